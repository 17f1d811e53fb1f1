/** The figures and charts of the admin page: one number everywhere, gaps, ranges, keys and the table. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { withClients } from '../_support/clients.ts'
import { expectOneNumber, failAtRandom } from '../_support/failures.ts'
import { expectQuiet, figureCard, openPage } from '../_support/page.ts'
import { SHORT_ATTEMPTS } from '../_support/parked.ts'
import { seeded } from '../_support/random.ts'
import { alterIn } from '../_support/stored-rows.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const figure = (page: Page, name: string) => figureCard(page, name).locator('strong')
const chart = (page: Page, name: string) =>
  page.getByRole('figure').filter({ has: page.getByRole('heading', { name, exact: true }) })

/** A data directory with a day of counts by the minute: 5 a minute, a pause of the server, and one burst. */
async function dayOfCounts(): Promise<string> {
  const dataDir = await withClients()
  const now = Date.now() - (Date.now() % HOUR)
  const rows: string[] = []
  for (let minute = 24 * 60; minute > 5; minute--) {
    if (minute > 600 && minute < 720) continue
    const stored = minute === 300 ? 900 : 5
    const values = [
      MINUTE,
      now - minute * MINUTE,
      stored,
      stored,
      stored - 1,
      minute % 3 === 0 ? 1 : 0,
      minute % 40,
    ]
    rows.push(
      `(${values.join(', ')}, ${MINUTE}, x'${'00'.repeat(4 * 8)}05000000${'00'.repeat(4 * 10)}01000000${'00'.repeat(4 * 12)}')`,
    )
  }
  await alterIn(
    dataDir,
    `INSERT INTO statistics (step_ms, at_ms, stored, delivered, completed, failed, pending, up_ms, delivery) VALUES ${rows.join(', ')}`,
  )
  return dataDir
}

/** Delivers one command, since the overview shows the first steps before that. */
async function deliver(broker: BrokerUnderTest): Promise<void> {
  const id = await broker.send('lamp', { command: 'on' })
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED' })
}

let broker: BrokerUnderTest

test.runIf(CHROMIUM)(
  'failures at random, then a restart: figure, chart, table and list → one number',
  async () => {
    broker = await BrokerUnderTest.start({ env: SHORT_ATTEMPTS })
    await deliver(broker)
    await failAtRandom(broker, seeded(5), 20)
    broker = await BrokerUnderTest.start({ env: SHORT_ATTEMPTS, dataDir: broker.leftBehind() })
    const failures = String(await expectOneNumber(broker))
    const opened = await openPage(broker)
    const { page } = opened
    await expect.poll(() => figure(page, 'Failed').textContent()).toBe(failures)
    const messages = chart(page, 'Messages')
    await messages
      .locator('span')
      .filter({ hasText: 'failed' })
      .getByText(failures, { exact: true })
      .waitFor()
    await messages.getByRole('button', { name: 'Show as a table' }).click()
    const cells = messages.locator('tbody tr td:last-child')
    await cells.first().waitFor()
    const shown = (await cells.allTextContents()).map((text) => Number(text.replace('—', '0')))
    expect(shown.reduce((a, b) => a + b, 0)).toBe(Number(failures))
    await page.locator('.figure').getByRole('link', { name: 'Failed' }).click()
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(Number(failures))
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)('a range: chosen by name, by dragging and in the address → figures follow', async () => {
  broker = await BrokerUnderTest.start({ dataDir: await dayOfCounts() })
  await deliver(broker)
  const opened = await openPage(broker)
  const { page } = opened
  const sent = figure(page, 'Sent')
  await expect.poll(async () => Number((await sent.textContent())?.replace(/\D/g, ''))).toBeGreaterThan(5_000)
  expect(await sent.textContent()).toMatch(/^\d,\d{3}$/)
  await chart(page, 'Messages').locator('canvas').waitFor()
  const plot = page.getByRole('slider', { name: 'Messages', exact: true })
  const box = await plot.boundingBox()
  if (!box) throw new Error('the chart is not drawn')
  await page.mouse.move(box.x + box.width * 0.4, box.y + 60)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 4 })
  await page.mouse.up()
  await page.waitForURL(/from=\d+&to=\d+/)
  await expect.poll(async () => Number((await sent.textContent())?.replace(/\D/g, ''))).toBeLessThan(5_000)
  await page
    .getByRole('button', { name: /^Time range|–/ })
    .first()
    .click()
  await page.getByRole('button', { name: /hour/ }).first().click()
  await page.waitForURL(/range=1h/)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('a chart: arrow keys, gaps, a burst that the scale cuts off, its table', async () => {
  broker = await BrokerUnderTest.start({ dataDir: await dayOfCounts() })
  await deliver(broker)
  const opened = await openPage(broker)
  const { page } = opened
  const plot = page.getByRole('slider', { name: 'Messages', exact: true })
  await plot.locator('canvas').waitFor()
  await plot.focus()
  await page.keyboard.press('Home')
  const text = () => plot.getAttribute('aria-valuetext')
  await expect.poll(text).toMatch(/: .* sent, .* completed, .* failed/)
  const first = await text()
  await page.keyboard.press('ArrowRight')
  await expect.poll(text).not.toBe(first)
  expect(await plot.getAttribute('aria-valuenow')).toBe('1')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Full scale' }).click()
  expect(await page.getByRole('button', { name: 'Full scale' }).getAttribute('aria-pressed')).toBe('true')
  const messages = chart(page, 'Messages')
  await messages.getByRole('button', { name: 'Show as a table' }).click()
  // The server was not running then, which is not the same as no messages.
  await messages.locator('tbody').getByText('—').first().waitFor()
  await chart(page, 'Delivery time').getByText(/≈ \d/).first().waitFor()
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)(
  'overview on a phone → the charts are beside each other, and the page scrolls down alone',
  async () => {
    broker = await BrokerUnderTest.start({ dataDir: await dayOfCounts() })
    await deliver(broker)
    const { page } = await openPage(broker)
    await page.setViewportSize({ width: 360, height: 800 })
    await page.getByRole('slider', { name: 'Pending messages' }).waitFor()
    // The parts above the charts may still move them, so both places are read until they agree.
    await expect
      .poll(async () => {
        const first = await chart(page, 'Messages').boundingBox()
        const second = await chart(page, 'Delivery time').boundingBox()
        return first && second && second.y - first.y
      })
      .toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  },
)
