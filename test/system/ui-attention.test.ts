/** The alerts on the overview: what they say, where they lead, and what a person does about them. */
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { ALERTS_ONLY, BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { eventually } from '../_support/eventually.ts'
import { expectQuiet, openPage } from '../_support/page.ts'
import { park, SHORT_ATTEMPTS } from '../_support/parked.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start(ALERTS_ONLY)
})

async function fail(deviceId: string, command = 'on'): Promise<number> {
  const id = await broker.send(deviceId, { command })
  await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  return id
}

/** Returns the alerts. The disk of the machine that runs the tests may be nearly full. */
const alertsIn = (page: Page) =>
  page.locator('.attention li').filter({ hasNotText: 'The disk is nearly full' })

test.runIf(CHROMIUM)('alerts: failures of one device → one row, which comes and goes by itself', async () => {
  const opened = await openPage(broker)
  const { page } = opened
  await page.getByText('Needs attention').waitFor()
  await fail('lamp')
  const id = await fail('lamp', 'blink')
  const alert = alertsIn(page).filter({ hasText: 'lamp' })
  await alert.getByText('2 commands failed').waitFor()
  await alert.getByText('blink').waitFor()
  expect(await alert.count()).toBe(1)
  await alert.getByRole('link', { name: `№ ${id}` }).click()
  await page.getByRole('heading', { name: `Message ${id}` }).waitFor()
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('alerts: acknowledged → dimmed under the pointer, undone by the notice', async () => {
  await fail('lamp')
  await fail('fan')
  const opened = await openPage(broker)
  const { page } = opened
  const rows = alertsIn(page)
  await rows.filter({ hasText: 'lamp' }).getByRole('button', { name: 'Acknowledge' }).click()
  await page.getByText('Alert acknowledged').waitFor()
  // The pointer is still on the list, so no row moves.
  await rows.filter({ hasText: 'lamp' }).getByText('Acknowledged by admin').waitFor()
  expect(await rows.count()).toBe(2)
  await page.mouse.move(0, 0)
  await page.getByRole('heading', { name: 'Overview' }).focus()
  await expect.poll(() => rows.count()).toBe(1)

  await page.getByRole('button', { name: 'Show acknowledged (1)' }).click()
  await rows.filter({ hasText: 'Acknowledged by admin' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => rows.filter({ hasText: 'Acknowledged by admin' }).count()).toBe(0)
  expect(await rows.count()).toBe(2)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)(
  'alerts: an alert ends under the pointer → its row stays, dimmed; another comes later',
  async () => {
    const first = await fail('lamp')
    const { page } = await openPage(broker)
    const rows = alertsIn(page)
    await rows.filter({ hasText: 'lamp' }).hover()
    await broker.rest.post(`/admin/api/messages/${first}/resend`, {})
    await fail('fan')
    await rows.filter({ hasText: 'This alert is over.' }).waitFor()
    expect(await rows.count()).toBe(1)
    await page.getByRole('button', { name: '1 new' }).waitFor()
    await page.mouse.move(0, 0)
    await expect.poll(() => rows.allTextContents()).toMatchObject([expect.stringContaining('fan')])
  },
)

test.runIf(CHROMIUM)('alerts: by keys → j to a row, e acknowledges it, Enter opens it', async () => {
  await fail('lamp')
  await fail('fan')
  const { page } = await openPage(broker)
  const rows = alertsIn(page)
  await rows.nth(1).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await page.keyboard.press('e')
  await rows.first().getByText('Acknowledged by admin').waitFor()
  expect(await page.evaluate('document.activeElement.tagName')).toBe('A')
  await page.keyboard.press('j')
  await page.keyboard.press('r')
  const question = page.getByRole('alertdialog')
  await question.getByText('Send on').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain('/messages?')
})

test.runIf(CHROMIUM)(
  'alerts: a failed command is sent again → asked first, then the alert leaves',
  async () => {
    const id = await fail('lamp')
    const { page } = await openPage(broker)
    await alertsIn(page).getByRole('button', { name: 'Send again' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByText(`Send on (№ ${id}) to lamp again?`).waitFor()
    await question.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('Sent again', { exact: true }).waitFor()
    expect((await broker.poll('lamp')).body).toMatchObject([{ command: 'on' }])
    await page.mouse.move(0, 0)
    await page.getByRole('heading', { name: 'Overview' }).focus()
    await page.getByText('Nothing needs your attention').waitFor()
  },
)

test.runIf(CHROMIUM)(
  'alerts: 31 failed commands are sent again → 2 clicks, a report, the alert leaves',
  async () => {
    for (let n = 0; n < 31; n++) await fail('lamp')
    const { page } = await openPage(broker)
    const acts = await countActs(page)
    await alertsIn(page).getByRole('button', { name: 'Send 31 again' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('31').first().waitFor()
    await dialog.getByRole('button', { name: /Send/ }).click()
    expect((await acts()).clicks).toBe(2)
    await dialog.getByText('31 commands sent again').waitFor()
    await page.keyboard.press('Escape')
    await page.mouse.move(0, 0)
    await page.getByRole('heading', { name: 'Overview' }).focus()
    await page.getByText('Nothing needs your attention').waitFor()
  },
)

test.runIf(CHROMIUM)('alerts: more than six → six, then all', async () => {
  for (let n = 1; n <= 8; n++) await fail(`lamp-${n}`)
  const { page } = await openPage(broker)
  const rows = page.locator('.attention li')
  await page.getByRole('button', { name: /^All (8|9)$/ }).click()
  await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(8)
  await page.getByRole('button', { name: 'Show fewer' }).click()
  await expect.poll(() => rows.count()).toBe(6)
})

test.runIf(CHROMIUM)(
  'alerts: a device acknowledges nothing → its parked commands, and the device',
  async () => {
    broker = await BrokerUnderTest.start({
      ...ALERTS_ONLY,
      env: { ...SHORT_ATTEMPTS, COMMON_MAX_ATTEMPTS: '1' },
    })
    for (let i = 0; i < 3; i++) await park(broker, 'lamp', await broker.send('lamp', { command: 'on' }))
    const { page } = await openPage(broker)
    const rows = alertsIn(page)
    await rows.filter({ hasText: '3 commands are parked' }).getByRole('link', { name: 'Open' }).click()
    await eventually(async () => expect(await page.locator('tbody').getByText('Parked').count()).toBe(3))
    await page.goBack()
    const deaf = rows.filter({ hasText: 'Acknowledges nothing.' })
    await deaf.getByRole('link', { name: 'Open' }).click()
    await page.getByRole('heading', { name: 'lamp' }).waitFor()
  },
)

test.runIf(CHROMIUM)(
  'alerts: each kind that needs a place, a clock or a disk → words, and a link that helps',
  async () => {
    const none = {
      ...{ deviseId: null, messageId: null, address: null, sinceDate: null, lastDate: null, command: null },
      ...{ count: null, value: null, limit: null, unit: null, acknowledged: null },
    }
    const alerts = [
      [{ kind: 'CLOCK_BEHIND', value: 90_000 }, 'is 1 min 30 sec behind', '#/system'],
      [
        { kind: 'QUEUE_NEARLY_FULL', deviseId: 'lamp', value: 9e6, limit: 1e7, unit: 'bytes' },
        '9 MB of 10 MB are pending',
        '#/devices/lamp',
      ],
      [
        { kind: 'NOT_FINISHED', deviseId: 'lamp', messageId: 1, count: 2 },
        '2 commands were not finished in time',
        'NOT_FINISHED',
      ],
      [
        { kind: 'DEVICE_SILENT', deviseId: 'lamp', value: 7_200, limit: 3_600 },
        'Not seen for 2 hr. Expected every 1 hr.',
        '#/devices/lamp',
      ],
      [{ kind: 'LOGIN_REFUSED', address: '192.0.2.7', count: 9 }, '9 sign-ins refused', '#/connections'],
      [{ kind: 'QUEUES_OPEN', value: 2 }, 'Each of 2 devices may fetch the commands', '#/system'],
    ] as const
    const opened = await openPage(broker, '/api')
    const { page } = opened
    await page.route('**/admin/api/alerts*', async (route) => {
      const items = alerts.map(([alert], i) => ({ ...none, key: `alert-${i}`, ...alert }))
      await route.fulfill({ json: { open: 6, acknowledged: 0, items } })
    })
    await page.getByRole('link', { name: 'Overview' }).click()
    const rows = page.locator('.attention li')
    for (const [{ kind }, text, place] of alerts) {
      const row = rows.filter({ hasText: text })
      await row.waitFor()
      expect([kind, await row.getByRole('link', { name: 'Open' }).getAttribute('href')]).toEqual([
        kind,
        expect.stringContaining(place),
      ])
    }
    expectQuiet(opened, broker)
  },
)
