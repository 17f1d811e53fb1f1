/** Looks at the past and at devices within a number of clicks: yesterday, two devices beside each other, the audit trail. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { expectQuiet, figureCard, openPage } from '../_support/page.ts'
import { alterIn } from '../_support/stored-rows.ts'

const MINUTE_MS = 60_000

/** Returns the start of a minute at noon, some days before today. */
function noon(daysAgo: number): number {
  const date = new Date()
  date.setDate(date.getDate() - daysAgo)
  return date.setHours(12, 0, 0, 0)
}

/** Stores counts: 1,234 messages of yesterday with 7 failures, and others of the day before, whose minutes are still kept. */
async function twoDays(): Promise<string> {
  const dataDir = await withClients()
  const rows = [
    [noon(1), 1_200, 7],
    [noon(1) + MINUTE_MS, 34, 0],
    [noon(2), 500, 3],
  ].map(([at, stored, failed]) => `(${MINUTE_MS}, ${at}, ${stored}, ${failed}, ${MINUTE_MS})`)
  await alterIn(
    dataDir,
    `INSERT INTO statistics (step_ms, at_ms, stored, failed, up_ms) VALUES ${rows.join(', ')}`,
  )
  return dataDir
}

test.runIf(CHROMIUM)('task: how busy was yesterday? → 2 clicks', async () => {
  const broker = await BrokerUnderTest.start({ dataDir: await twoDays() })
  const id = await broker.send('lamp', { command: 'on' })
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED' })
  const opened = await openPage(broker)
  const { page } = opened
  const figure = (name: string) => figureCard(page, name).locator('strong')
  await figure('Sent').waitFor()
  const acts = await countActs(page)
  await page.getByRole('button', { name: 'Time range' }).click()
  await page.getByRole('button', { name: 'Yesterday' }).click()
  await expect.poll(() => figure('Sent').textContent()).toBe('1,234')
  await expect.poll(() => figure('Failed').textContent()).toBe('7')
  expect(await acts()).toEqual({ clicks: 2, shortcuts: 0 })
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)(
  'task: compare two devices → 3 clicks: two tabs of the same session, no sign-in',
  async () => {
    const broker = await BrokerUnderTest.start({ dataDir: await withClients('pump-7', 'pump-9') })
    for (const command of ['reboot', 'status']) await broker.send('pump-7', { command })
    const opened = await openPage(broker)
    const { page } = opened
    const acts = await countActs(page)
    await page.getByRole('navigation').getByRole('link', { name: 'Devices' }).first().click()
    const tabs: Page[] = []
    for (const id of ['pump-7', 'pump-9']) {
      const tab = page.context().waitForEvent('page')
      await page
        .getByRole('row', { name: id })
        .getByRole('link', { name: id })
        .click({ modifiers: ['Control'] })
      tabs.push(await tab)
    }
    expect((await acts()).clicks).toBe(3)
    for (const [i, id] of ['pump-7', 'pump-9'].entries()) {
      const tab = tabs[i] as Page
      await tab.getByRole('heading', { name: id, level: 1 }).waitFor()
      expect(await tab.getByRole('heading', { name: 'Sign in' }).count()).toBe(0)
    }
    await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)('task: who cancelled it? → 2 clicks, then the object is typed', async () => {
  const broker = await BrokerUnderTest.start()
  await broker.send('pump', { command: 'go' })
  const id = await broker.send('pump', { command: 'stop' })
  for (const each of [1, id]) await broker.rest.post(`/admin/api/messages/${each}/cancel`, {})
  const opened = await openPage(broker)
  const { page } = opened
  const acts = await countActs(page)
  await page.getByRole('link', { name: 'System' }).click()
  await page.getByRole('link', { name: 'Audit trail' }).click()
  const rows = page.locator('tbody tr').filter({ hasText: 'message.cancel' })
  await expect.poll(() => rows.count()).toBe(2)
  await page.keyboard.press('/')
  await page.keyboard.type(String(id))
  await expect.poll(() => rows.count()).toBe(1)
  await rows.getByText('admin').waitFor()
  expect(page.url()).toContain(`/system/audit?object=${id}`)
  expect(await acts()).toEqual({ clicks: 2, shortcuts: 1 })
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)(
  'task: why was a device silent? → 2 clicks: its log has the reason and the time',
  async () => {
    const broker = await BrokerUnderTest.start({ mqtt: true, dataDir: await withClients('pump-7') })
    const device = await MqttPeer.connect({
      port: broker.mqttPort,
      username: 'pump-7',
      password: PASSWORD,
      keepalive: 60,
    })
    await device.subscribe('consumer/request/pump-7')
    await device.drop()
    const opened = await openPage(broker)
    const { page } = opened
    const acts = await countActs(page)
    await page.getByRole('navigation').getByRole('link', { name: 'Devices' }).first().click()
    await page.getByRole('row', { name: 'pump-7' }).getByRole('link', { name: 'pump-7' }).click()
    const ended = page.locator('.device-log tbody tr').filter({ hasText: 'Disconnected' })
    await ended.getByText('CLOSED').waitFor()
    await ended.getByText('MQTT, 127.0.0.1').waitFor()
    expect(await acts()).toEqual({ clicks: 2, shortcuts: 0 })
    expectQuiet(opened, broker)
  },
)
