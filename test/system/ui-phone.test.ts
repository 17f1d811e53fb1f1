/** The admin page on a phone: the bar of the selection, folded filters, and the screen of a message while it loads. */
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { openPage } from '../_support/page.ts'

const PHONE = { width: 360, height: 740 }
const LANGUAGES = ['en', 'ru']

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

async function openPhone(place: string): Promise<Page> {
  const { page } = await openPage(broker, place)
  await page.setViewportSize(PHONE)
  return page
}

async function speak(page: Page, locale: string): Promise<void> {
  await page.evaluate(`localStorage.setItem('waybill.locale', '${locale}')`)
  await page.reload()
}

test.runIf(CHROMIUM)('selection on a phone: the bar → its actions fit, each 44 pixels high', async () => {
  for (const id of ['pump', 'lamp']) await broker.send(id, { command: 'on' })
  const page = await openPhone('/messages')
  for (const place of ['/messages', '/devices']) {
    await page.goto(`${broker.server.url}/#${place}`)
    for (const locale of LANGUAGES) {
      await speak(page, locale)
      await page.locator('thead .tick').click()
      const bar = page.locator('.selection')
      await bar.waitFor()
      const wide =
        '[...document.querySelectorAll(".selection, .selection *")].filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && e.tagName !== "svg").length'
      expect([locale, await page.evaluate(wide)]).toEqual([locale, 0])
      for (const button of await bar.locator('button, a').all()) {
        const box = await button.boundingBox()
        expect(box?.height).toBeGreaterThanOrEqual(44)
        expect(Number(box?.x) + Number(box?.width)).toBeLessThanOrEqual(PHONE.width)
      }
    }
  }
})

test.runIf(CHROMIUM)('filters on a phone: the key / and a tap → unfold, and focus the search', async () => {
  await broker.send('pump', { command: 'on' })
  const page = await openPhone('/messages')
  const search = page.getByLabel('Search device, command')
  const focused = (): Promise<boolean> =>
    search.evaluate((field) => field === field.ownerDocument.activeElement)
  const fold = page.getByRole('button', { name: 'Filters' })
  await fold.waitFor()
  await page.keyboard.press('/')
  await expect.poll(focused).toBe(true)
  expect(await search.inputValue()).toBe('')
  await fold.click()
  await search.waitFor({ state: 'hidden' })
  await fold.click()
  await expect.poll(focused).toBe(true)
})

test.runIf(CHROMIUM)('message on a phone: it arrives → nothing moves', async () => {
  const pending = await broker.send('pump', { command: 'on' })
  const failed = await broker.send('fan', { command: 'on' })
  await broker.poll('fan')
  await broker.acknowledge('fan', { id: failed, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  await broker.rest.post(`/admin/api/messages/${failed}/resend`, { force: false })
  const page = await openPhone('/messages')
  for (const locale of LANGUAGES) {
    await speak(page, locale)
    for (const id of [pending, failed]) {
      await page.goto(`${broker.server.url}/#/messages`)
      await page.locator('tbody tr').nth(2).waitFor()
      await page.evaluate(`
        globalThis.moved = 0
        globalThis.observer?.disconnect()
        globalThis.observer = new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) globalThis.moved += value
        })
        globalThis.observer.observe({ type: 'layout-shift' })`)
      await page.goto(`${broker.server.url}/#/messages/${id}`)
      await page.locator('.heading .row-menu').waitFor()
      await page.locator('.waybill .badge').waitFor()
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      expect(await page.evaluate('globalThis.moved')).toBeLessThanOrEqual(0.05)
    }
  }
})
