/** The hand-over on the page: what changed since a time, copied as a text. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

/** Pixels by which the page is wider than the window. */
const TOO_WIDE = 'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)'
const LONG_ID = 'д'.repeat(112)

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
  for (const [deviceId, command] of [
    ['valve-1', 'open'],
    ['valve-2', 'open'],
    [LONG_ID, 'x'.repeat(200)],
  ] as const) {
    const id = await broker.send(deviceId, { command })
    await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR', reason: 'valve stuck' })
  }
  await broker.rest.post(`/admin/api/devices/${encodeURIComponent(LONG_ID)}/notes`, {
    text: '<b>ordered</b>',
  })
})

test.runIf(CHROMIUM)(
  'hand-over: from the overview → the report, and its text in the clipboard after two clicks',
  async () => {
    const opened = await openPage(broker)
    const { page } = opened
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const acts = await countActs(page)
    await page.getByRole('link', { name: 'Hand-over' }).click()
    await page.getByRole('button', { name: 'Copy as text' }).click()
    await page.getByText('Copied').waitFor()
    expect((await acts()).clicks).toBe(2)
    const text = (await page.evaluate('navigator.clipboard.readText()')) as string
    expect(text).toMatch(/^Hand-over: .*20:00 to /)
    expect(text).toContain('\n- open failed: 2, devices 2, before 0: valve stuck\n')
    const failed = page.locator('main section').filter({ hasText: 'Failed commands' })
    await failed.getByText('open failed: 2, devices 2, before 0: valve stuck').waitFor()
    await page.locator('main section').filter({ hasText: '<b>ordered</b>' }).waitFor()
    await failed.getByRole('link', { name: 'Failed commands' }).click()
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)(
  'hand-over: keys g h, another begin → its report; no earlier sign-in → says so',
  async () => {
    const { page } = await openPage(broker)
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByRole('heading', { name: 'Hand-over', level: 1 }).waitFor()
    await page.getByRole('link', { name: '24 hours' }).click()
    await page
      .getByRole('link', { name: '24 hours', exact: true })
      .and(page.locator('[aria-current]'))
      .waitFor()
    await page.getByText('open failed: 2').waitFor()
    await page.getByRole('link', { name: 'Since I left' }).click()
    await page.getByText('No earlier sign-in of yours is known').waitFor()
  },
)

test.runIf(CHROMIUM)('hand-over: in Russian, an id of 112 characters, 360 pixels → no wider', async () => {
  const { page } = await openPage(broker)
  await page.evaluate("localStorage.setItem('waybill.locale', 'ru')")
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${broker.server.url}/#/handover`)
  await page.reload()
  await page.getByRole('heading', { name: 'Сдача смены', level: 1 }).waitFor()
  await page.getByText(LONG_ID).first().waitFor()
  expect(await page.evaluate(TOO_WIDE)).toBe(0)
})
