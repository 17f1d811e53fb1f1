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
