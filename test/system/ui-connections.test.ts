/** Connections in the admin page: the open ones, ending one, and the rejected logins with their reasons. */
import { beforeEach, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { MqttPeer, refusalOf } from '../_support/mqtt.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ mqtt: true })
  await broker.rest.post('/admin/api/clients', { deviseId: 'lamp', password: 'secret' })
})

test.runIf(CHROMIUM)('connections page: a device connects, is disconnected → the list follows', async () => {
  const opened = await openPage(broker, '/connections')
  const { page } = opened
  await page.getByText('No open connections').waitFor()
  await page.getByRole('link', { name: 'Refused 0' }).waitFor()
  const device = await MqttPeer.connect({
    port: broker.mqttPort,
    username: 'lamp',
    password: 'secret',
    clientId: 'esp-<b>1</b>',
    protocolVersion: 5,
  })
  await device.subscribe('consumer/request/lamp')
  const row = page.getByRole('row', { name: 'lamp' })
  await row.getByText('esp-<b>1</b>').waitFor()
  await row.getByText('TCP MQTT 5').waitFor()
  await row.getByText('127.0.0.1').waitFor()
  expect(await row.getByRole('link', { name: 'lamp' }).first().getAttribute('href')).toBe('#/devices/lamp')

  const search = page.getByRole('combobox', { name: 'Search' })
  await search.fill('nobody')
  await page.getByText('No open connection matches').waitFor()
  await search.fill('127.0')
  await row.waitFor()
  // Another client connects while the next text is typed.
  await search.fill('la')
  const other = await MqttPeer.connect({ port: broker.mqttPort, username: 'lamp', password: 'secret' })
  await page.getByRole('link', { name: 'Open 2' }).waitFor()
  expect(await search.inputValue()).toBe('la')
  await other.end()
  await page.getByRole('link', { name: 'Open 1' }).waitFor()

  // A narrow row has no room for a button beside its menu.
  await page.setViewportSize({ width: 360, height: 740 })
  await row.getByRole('button', { name: 'Actions' }).waitFor()
  expect(await row.getByRole('button', { name: 'Disconnect' }).count()).toBe(0)
  await page.setViewportSize({ width: 1280, height: 720 })
  await row.getByRole('button', { name: 'Disconnect' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByText('The server closes the connection.').waitFor()
  const button = question.getByRole('button', { name: 'Disconnect' })
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false')
  await button.click()
  await device.closed
  await row.waitFor({ state: 'detached' })
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('connections page: refused clients → how often and why', async () => {
  const { mqttPort: port } = broker
  for (let i = 0; i < 2; i++) await refusalOf({ port, username: 'lamp', password: 'wrong', clientId: 'x' })
  await refusalOf({ port, clientId: '<i>scanner</i>' })
  const admin = await MqttPeer.connect({ port, username: 'admin', password: ADMIN_PASSWORD, clientId: 'a' })
  await admin.publish('producer/request/lamp', 'no JSON')
  const { page } = await openPage(broker, '/connections/refused')
  const row = (name: string) => page.getByRole('row', { name })
  await row('lamp').getByText('Wrong id or password').waitFor()
  await row('lamp').getByRole('cell', { name: '2', exact: true }).waitFor()
  await row('<i>scanner</i>').getByText('No id or password given').waitFor()
  await page.getByText('Message rejected').waitFor()
})
