/** The tasks of an operator's day in the admin page: each within its number of clicks, typing not counted. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { confirmOnce, openPage } from '../_support/page.ts'

test.runIf(CHROMIUM)('task: make a backup → 2 clicks', async () => {
  const broker = await BrokerUnderTest.start()
  const { page } = await openPage(broker)
  const acts = await countActs(page)
  await page.getByRole('link', { name: 'System' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download a backup' }).click()
  expect((await download).suggestedFilename()).toMatch(/^waybill-.*\.db$/)
  await page.getByText('The backup is in your downloads').waitFor()
  expect((await acts()).clicks).toBeLessThanOrEqual(2)
})

test.runIf(CHROMIUM)(
  'task: unblock a silent MQTT device, from its screen → 2 clicks, the queue goes on',
  async () => {
    const broker = await BrokerUnderTest.start({
      mqtt: true,
      env: { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '400', COMMON_SEND_MESSAGE_PERIOD: '1' },
    })
    const peer = await MqttPeer.connect({ port: broker.mqttPort, username: 'admin', password: broker.token })
    await peer.subscribe('consumer/request/pump-7')
    const first = await broker.send('pump-7', { command: 'reboot' })
    const second = await broker.send('pump-7', { command: 'status' })
    const { page } = await openPage(broker, '/devices/pump-7')
    await page.getByText('Blocked for').waitFor()
    await page.getByText(/attempt [2-9] of 10/).waitFor()
    const acts = await countActs(page)
    await page.locator('.strip').getByRole('button', { name: 'Cancel command' }).click()
    await page.getByText('The device may have it').waitFor()
    await confirmOnce(page.getByRole('dialog').getByRole('button', { name: 'Cancel anyway' }))
    await expect.poll(() => broker.status(first)).toBe('CANCELLED')
    expect((await acts()).clicks).toBeLessThanOrEqual(2)
    const got: number[] = []
    await expect
      .poll(async () => {
        got.push((JSON.parse((await peer.next()).text) as { id: number }).id)
        return got.includes(second)
      })
      .toBe(true)
  },
)

test.runIf(CHROMIUM)('task: which devices are away with pending commands → 2 clicks', async () => {
  const broker = await BrokerUnderTest.start()
  await broker.send('bell', { command: 'ring' })
  await broker.rest.post('/admin/api/clients', { deviseId: 'lamp', password: 'secret' })
  const { page } = await openPage(broker)
  const acts = await countActs(page)
  await page.getByRole('navigation').getByRole('link', { name: 'Devices' }).first().click()
  await page.getByRole('link', { name: 'Away with pending 1' }).click()
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
  await page.getByRole('row', { name: 'bell' }).waitFor()
  expect((await acts()).clicks).toBeLessThanOrEqual(2)
})

test.runIf(CHROMIUM)(
  'task: empty the queue of a device with 430 commands → 2 clicks on its page',
  async () => {
    const broker = await BrokerUnderTest.start()
    for (let i = 0; i < 430; i += 43) {
      await Promise.all(Array.from({ length: 43 }, () => broker.send('kiosk-3', { command: 'show' })))
    }
    await broker.poll('kiosk-3')
    const { page } = await openPage(broker, '/devices/kiosk-3')
    await page.getByText('20 of 430').waitFor()
    const acts = await countActs(page)
    await page.getByRole('button', { name: 'Cancel all (430)' }).click()
    await confirmOnce(page.getByRole('dialog').getByRole('button', { name: 'Cancel all (430)' }))
    await page.getByText('No messages are pending for this device.').waitFor()
    await page.getByText('430 commands cancelled.').waitFor()
    expect((await acts()).clicks).toBeLessThanOrEqual(2)
  },
)

test.runIf(CHROMIUM)('task: disconnect a client → 3 clicks, and the field keeps its text', async () => {
  const broker = await BrokerUnderTest.start({ mqtt: true })
  const login = { port: broker.mqttPort, username: 'admin', password: broker.token }
  const peer = await MqttPeer.connect({ ...login, clientId: 'press-4' })
  await MqttPeer.connect({ ...login, clientId: 'other' })
  const { page } = await openPage(broker)
  const acts = await countActs(page)
  await page.getByRole('navigation').getByRole('link', { name: 'Connections' }).first().click()
  const search = page.getByRole('combobox', { name: 'Search' })
  await search.waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('press')
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
  await page.locator('tbody').getByRole('button', { name: 'Disconnect' }).click()
  await confirmOnce(page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }))
  await peer.closed
  expect(await search.inputValue()).toBe('press')
  expect((await acts()).clicks).toBeLessThanOrEqual(3)
})
