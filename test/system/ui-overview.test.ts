/** The overview of the admin page: live figures, and the problems that need attention. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { eventually } from '../_support/eventually.ts'
import { expectQuiet, openPage } from '../_support/page.ts'
import { park, SHORT_ATTEMPTS } from '../_support/parked.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

test.runIf(CHROMIUM)('overview: a command fails → figures follow, send again works', async () => {
  const opened = await openPage(broker)
  const { page } = opened
  await page.getByText('Nothing needs your attention').waitFor()
  const figure = (name: string) => page.locator('.figure').filter({ hasText: name }).locator('strong')
  expect(await figure('Messages pending').textContent()).toBe('0')

  const id = await broker.send('lamp', { command: 'on' })
  await expect.poll(() => figure('Messages pending').textContent()).toBe('1')
  await broker.poll('lamp')
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  await page.getByText('A command failed.').waitFor()
  expect(await figure('Failed in 24 h').textContent()).toBe('1')
  expect(await figure('Messages pending').textContent()).toBe('0')

  await page.getByRole('button', { name: 'Send again' }).click()
  await expect.poll(() => figure('Messages pending').textContent()).toBe('1')
  expect((await broker.poll('lamp')).body).toMatchObject([{ command: 'on' }])
  await page.locator('.attention').getByRole('link', { name: 'lamp' }).click()
  await page.getByRole('heading', { name: 'lamp' }).waitFor()
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)(
  'overview: a command is parked → an item that leads to the parked messages',
  async () => {
    broker = await BrokerUnderTest.start({ env: { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '20' } })
    const id = await broker.send('lamp', { command: 'on', maxAttempts: 1 })
    await eventually(async () => {
      await broker.next('lamp')
      expect(await broker.status(id)).toBe('UNKNOWN')
    })
    const opened = await openPage(broker)
    const { page } = opened
    await page.getByText('A command is parked, since its device did not acknowledge it.').waitFor()
    expect(await page.getByText('A command failed.').count()).toBe(0)
    await page.locator('.attention').getByRole('link', { name: 'Open messages' }).click()
    await page.locator('tbody').getByText('Parked').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)(
  'overview: a device acknowledges nothing → parked commands, and the device',
  async () => {
    broker = await BrokerUnderTest.start({ env: { ...SHORT_ATTEMPTS, COMMON_MAX_ATTEMPTS: '1' } })
    for (let i = 0; i < 3; i++) await park(broker, 'lamp', await broker.send('lamp', { command: 'on' }))
    const { page } = await openPage(broker)
    const items = page.locator('.attention li')
    await items.filter({ hasText: '3 commands are parked' }).waitFor()
    const deaf = items.filter({ hasText: 'The device acknowledges nothing.' })
    await deaf.getByRole('link', { name: 'Open device' }).click()
    await page.getByRole('heading', { name: 'lamp' }).waitFor()
  },
)

test.runIf(CHROMIUM)(
  'overview: alerts that need time or a full disk → words, and a link that helps',
  async () => {
    const none = { deviseId: null, messageId: null, address: null, since: null, value: null, limit: null }
    const alerts = [
      [{ kind: 'CLOCK_BEHIND', value: 90_000 }, 'is 1 min 30 sec behind', 'Open system'],
      [
        { kind: 'QUEUE_NEARLY_FULL', deviseId: 'lamp', value: 9e6, limit: 1e7, unit: 'bytes' },
        '9 MB of 10 MB are pending',
        'Open device',
      ],
      [
        { kind: 'NOT_FINISHED', deviseId: 'lamp', messageId: 1, value: 2 },
        '2 commands were not finished in time.',
        'Open messages',
      ],
      [
        { kind: 'DEVICE_SILENT', deviseId: 'lamp', value: 7_200, limit: 3_600 },
        'was not seen for 2 hr. It is expected every 1 hr.',
        'Open device',
      ],
      [{ kind: 'QUEUES_OPEN', value: 2 }, 'Each of 2 devices may fetch the commands', 'Open system'],
    ] as const
    const opened = await openPage(broker, '/api')
    const { page } = opened
    await page.route('**/admin/api/overview*', async (route) => {
      const response = await route.fetch()
      const attention = alerts.map(([alert]) => ({ ...none, unit: null, ...alert }))
      await route.fulfill({ response, json: { ...((await response.json()) as object), attention } })
    })
    await page.getByRole('link', { name: 'Overview' }).click()
    const items = page.locator('.attention li')
    for (const [{ kind }, text, action] of alerts) {
      const item = items.filter({ hasText: text })
      await item.waitFor()
      expect([kind, await item.getByRole('link', { name: action }).count()]).toEqual([kind, 1])
    }
    await items.getByRole('link', { name: 'Open messages' }).click()
    await expect.poll(() => page.getByLabel('Status').inputValue()).toBe('NOT_FINISHED')
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)('overview: three commands → the charts are drawn, their numbers are text', async () => {
  for (let i = 0; i < 3; i++) await broker.send('lamp', { command: 'on' })
  const { page } = await openPage(broker)
  const charts = page.getByRole('figure')
  await charts.nth(1).getByText('3 sent').waitFor()
  expect(await charts.locator('canvas').count()).toBe(2)
  const drawn = `[...document.querySelectorAll('canvas')].map((each) => {
    const { data } = each.getContext('2d').getImageData(0, 0, each.width, each.height)
    return data.some((value, i) => i % 4 === 3 && value > 0)
  })`
  expect(await page.evaluate(drawn)).toEqual([true, true])
})
