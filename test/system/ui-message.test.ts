/** One message in the admin page: its timeline, its payload as it was sent, cancelling it, sending it again. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ mqtt: true })
})

test.runIf(CHROMIUM)('message page: a command is dispatched and fails → its timeline grows', async () => {
  const id = await broker.send('pump/1', {
    command: 'start',
    data: { speed: 1 },
    messageBirthCertificate: { tmpId: 7, producerDeviseId: 'app' },
  })
  const opened = await openPage(broker, `/messages/${id}`)
  const { page } = opened
  const stops = page.locator('.timeline li')
  await page.getByText('Pending: the device is away.').waitFor()
  expect(await stops.first().textContent()).toContain('Accepted from admin')
  expect(await page.locator('.details').textContent()).toContain("NotifiedappProducer's id7")

  await broker.poll('pump/1')
  await page.getByText('Attempt 1 (REST)').waitFor()
  await broker.acknowledge('pump/1', { id, deliveryStatus: 'DELIVERED' })
  await page.getByText('Delivered: the device has it').waitFor()
  await broker.acknowledge('pump/1', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  await page.getByText('Failed: the device reports an error').waitFor()
  expect(await stops.count()).toBe(4)
  for (const stop of (await stops.allTextContents()).slice(1)) expect(stop).toMatch(/after [\d.]+ (ms|sec)/)
  expect(await stops.last().locator('time').getAttribute('title')).toMatch(/ UTC$/)
  expect(await page.getByRole('button', { name: 'Cancel command' }).count()).toBe(0)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('message page: a command behind another one → a link to that one', async () => {
  const device = await MqttPeer.connect({
    port: broker.mqttPort,
    username: 'admin',
    password: broker.token,
    clientId: 'lamp',
  })
  const first = await broker.send('lamp', { command: 'on' })
  const second = await broker.send('lamp', { command: 'off' })
  await device.subscribe('consumer/request/lamp')
  await device.next()
  const { page } = await openPage(broker, `/messages/${second}`)
  await page.getByText('Pending: another command of the device comes first:').waitFor()
  await page.getByRole('link', { name: `message ${first}` }).click()
  await page.getByText('Attempt 1 (MQTT)').waitFor()
  await page.getByText('Waiting for acknowledgement. Next attempt at').waitFor()
})

test.runIf(CHROMIUM)('message page: 20 equal attempts → one entry, each of them on demand', async () => {
  broker = await BrokerUnderTest.start({
    mqtt: true,
    env: {
      COMMON_MAX_ATTEMPTS: '0',
      COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '20',
      COMMON_SEND_MESSAGE_PERIOD: '1',
    },
  })
  const deaf = await MqttPeer.connect({
    port: broker.mqttPort,
    username: 'admin',
    password: broker.token,
    clientId: 'deaf',
  })
  await deaf.subscribe('consumer/request/deaf')
  const id = await broker.send('deaf', { command: 'on' })
  for (let attempt = 0; attempt < 20; attempt++) await deaf.next()
  await deaf.drop()
  const { page } = await openPage(broker, `/messages/${id}`)
  const stops = page.locator('.timeline li')
  await page.getByText('not acknowledged in time').first().waitFor()
  await page.getByText(/^Attempts 1 to \d+ \(MQTT\)$/).waitFor()
  // Accepted, the attempts as one entry, at most the last one apart, and the reason why it is pending.
  expect(await stops.count()).toBeLessThan(5)
  await page.getByRole('button', { name: /^Show each of the \d+$/ }).click()
  await page.getByText('Attempt 12 (MQTT)').waitFor()
  expect(await stops.count()).toBeGreaterThan(21)
})

test.runIf(CHROMIUM)('message page: large numbers in data → shown and copied exactly', async () => {
  const data = '{"a":1.0,"big":12345678901234567890,"note":"it\'s <b>bold</b>","none":{}}'
  await broker.request('lamp', `{"command":"on","data":${data}}`)
  const opened = await openPage(broker, '/messages/1')
  const { page } = opened
  const pre = page.locator('.payload pre')
  await pre.waitFor()
  expect(await pre.textContent()).toBe(
    '{\n  "a": 1.0,\n  "big": 12345678901234567890,\n  "note": "it\'s <b>bold</b>",\n  "none": {}\n}',
  )
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copied = () => page.evaluate('navigator.clipboard.readText()')
  await page.getByRole('button', { name: 'Copy raw' }).click()
  await page.getByText('Copied').waitFor()
  expect(await copied()).toBe(data)
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
  await expect.poll(copied).toBe(`curl -X PUT '${broker.server.url}/producer/request/lamp' \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  --data-binary '{"command":"on","believerGuarantee":"RECEIPT_CONFIRMATION","data":${data.replace("'", "'\\''")}}'
`)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('message page: cancel → cancelled; dispatched meanwhile → refused', async () => {
  const [first, second] = [
    await broker.send('lamp', { command: 'on' }),
    await broker.send('lamp', { command: 'off' }),
  ]
  const { page } = await openPage(broker, `/messages/${second}`)
  const dialog = page.getByRole('alertdialog')
  const takeBack = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Cancel command' }).click()
    await dialog.getByText('The device will not receive it.').waitFor()
  }
  await takeBack()
  await dialog.getByRole('button', { name: 'Cancel command' }).click()
  await page.locator('.timeline').getByText('Cancelled').waitFor()
  expect(await broker.status(second)).toBe('CANCELLED')

  await page.goto(`${broker.server.url}/#/messages/${first}`)
  await takeBack()
  await broker.poll('lamp')
  await dialog.getByRole('button', { name: 'Cancel command' }).click()
  await dialog.getByText('Already dispatched. The device may have it.').waitFor()
  expect(await broker.status(first)).toBe('NOT_DELIVERED')
})

test.runIf(CHROMIUM)('message page: send again → a new message; change and send → the form', async () => {
  const id = await broker.send('lamp', { command: 'dim', data: { to: 4 }, believerGuarantee: 'NO' })
  const { page } = await openPage(broker, `/messages/${id}`)
  const dialog = page.getByRole('alertdialog')
  await page.getByRole('button', { name: 'Send again' }).click()
  await dialog.getByText('This message is still pending.').waitFor()
  await dialog.getByRole('button', { name: 'Send a second one' }).click()
  await page.getByRole('heading', { name: `Message ${id + 1}` }).waitFor()
  await broker.poll('lamp')
  await broker.poll('lamp')
  await page.getByRole('button', { name: 'Send again' }).click()
  await dialog.getByText('as a new message').waitFor()
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await page.getByRole('heading', { name: `Message ${id + 2}` }).waitFor()
  await page.getByRole('link', { name: 'Edit and send' }).click()
  await expect.poll(() => page.getByRole('dialog').getByLabel('Command').inputValue()).toBe('dim')
  await page.getByRole('dialog').locator('.token').getByText('lamp', { exact: true }).waitFor()
})

test.runIf(CHROMIUM)('message page: an unknown id → says that there is none', async () => {
  const { page } = await openPage(broker, '/messages/404')
  await page.getByText('This message does not exist').waitFor()
  await page.goto(`${broker.server.url}/#/messages/none`)
  await page.getByText('This message does not exist').waitFor()
})
