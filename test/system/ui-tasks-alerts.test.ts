/** Follows the alert of a device that gets nothing: one click opens the device, over MQTT and for a device that polls; three unblock it. */
import { expect, test } from 'vitest'
import { ALERTS_ONLY, BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { confirmOnce, openPage } from '../_support/page.ts'
import { SHORT_ATTEMPTS } from '../_support/parked.ts'

const ALERTS = '/admin/api/alerts'

/** Opens the overview and follows the alert of a device. Returns the number of clicks. */
async function clicksToDevice(broker: BrokerUnderTest, deviceId: string): Promise<number> {
  const { page } = await openPage(broker)
  const acts = await countActs(page)
  const alert = page.locator('.attention li').filter({ hasText: deviceId })
  await alert.getByText('Blocked for').waitFor()
  await alert.getByRole('link', { name: 'Open' }).click()
  await page.getByRole('heading', { name: deviceId }).waitFor()
  return (await acts()).clicks
}

/** Polls until the device has an alert, since the times of attempts are short. */
async function blocked(
  broker: BrokerUnderTest,
  deviceId: string,
  poll: () => Promise<unknown>,
): Promise<void> {
  await eventually(async () => {
    await poll()
    const { body } = await broker.rest.get(ALERTS)
    const keys = (body as { items: { key: string }[] }).items.map(({ key }) => key)
    expect(keys).toContain(`NOT_ACKNOWLEDGED:${deviceId}`)
  })
}

test.runIf(CHROMIUM)('task: a silent MQTT device gets nothing → its alert opens it, 1 click', async () => {
  const dataDir = await withClients('pump-7')
  const env = {
    COMMON_SEND_MESSAGE_PERIOD: '0',
    COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '20',
    COMMON_MAX_ATTEMPTS: '0',
  }
  const broker = await BrokerUnderTest.start({ ...ALERTS_ONLY, dataDir, env, mqtt: true })
  const peer = await MqttPeer.connect({ port: broker.mqttPort, username: 'pump-7', password: PASSWORD })
  await peer.subscribe('consumer/request/pump-7')
  await broker.send('pump-7', { command: 'reboot' })
  await blocked(broker, 'pump-7', async () => {})
  expect(await clicksToDevice(broker, 'pump-7')).toBe(1)
})

test.runIf(CHROMIUM)(
  'task: a silent device that polls gets nothing → its alert opens it, 1 click',
  async () => {
    const broker = await BrokerUnderTest.start({
      ...ALERTS_ONLY,
      env: { ...SHORT_ATTEMPTS, COMMON_MAX_ATTEMPTS: '0' },
    })
    await broker.send('lift-3', { command: 'set-level' })
    await blocked(broker, 'lift-3', () => broker.poll('lift-3'))
    expect(await clicksToDevice(broker, 'lift-3')).toBe(1)
  },
)

test.runIf(CHROMIUM)(
  'task: unblock a silent MQTT device → 3 clicks from the overview, the queue goes on',
  async () => {
    const dataDir = await withClients('pump-7')
    const env = {
      COMMON_SEND_MESSAGE_PERIOD: '1',
      COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '400',
      COMMON_MAX_ATTEMPTS: '0',
    }
    const broker = await BrokerUnderTest.start({ ...ALERTS_ONLY, dataDir, env, mqtt: true })
    const peer = await MqttPeer.connect({ port: broker.mqttPort, username: 'pump-7', password: PASSWORD })
    await peer.subscribe('consumer/request/pump-7')
    const first = await broker.send('pump-7', { command: 'reboot' })
    const second = await broker.send('pump-7', { command: 'status' })
    await blocked(broker, 'pump-7', async () => {})
    const { page } = await openPage(broker)
    const alert = page.locator('.attention li').filter({ hasText: 'pump-7' })
    await alert.getByText('Blocked for').waitFor()
    const acts = await countActs(page)
    await alert.getByRole('link', { name: 'Open' }).click()
    await page.locator('.strip').getByRole('button', { name: 'Cancel command' }).click()
    await confirmOnce(page.getByRole('dialog').getByRole('button', { name: 'Cancel anyway' }))
    await expect.poll(() => broker.status(first)).toBe('CANCELLED')
    expect(await acts()).toEqual({ clicks: 3, shortcuts: 0 })
    const got: number[] = []
    await expect
      .poll(async () => {
        got.push((JSON.parse((await peer.next()).text) as { id: number }).id)
        return got.includes(second)
      })
      .toBe(true)
  },
)
