/** The tables of the admin page: width, long ids, live rows, row actions, keys, columns, and the way back. */
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { confirmed, openPage } from '../_support/page.ts'

/** Two ids of 115 characters that differ near their end, and a Cyrillic one with "/". */
const LONG = [1, 2].map((n) => `very-long-device-name-${'x'.repeat(80)}-${n}-of-2-0009381`)
const CYRILLIC = 'насосная-станция/7'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

const rows = (page: Page) => page.locator('tbody tr')
const height = async (page: Page, i: number) =>
  Math.round((await rows(page).nth(i).boundingBox())?.height ?? 0)

describe.runIf(CHROMIUM)('tables', () => {
  test('ids of 115 characters → one line a row, told apart, whole in their titles', async () => {
    for (const id of [...LONG, CYRILLIC, 'pump-1']) await broker.send(id, { command: 'set-speed' })
    const { page } = await openPage(broker, '/messages')
    await page.setViewportSize({ width: 1440, height: 900 })
    await rows(page).nth(3).waitFor()
    const heights = await Promise.all([0, 1, 2, 3].map((i) => height(page, i)))
    expect(new Set(heights)).toEqual(new Set([44]))
    const shown = await page.locator('tbody a[title^="very-long"]').allInnerTexts()
    expect(new Set(shown).size).toBe(2)
    for (const id of LONG) await page.getByTitle(id).waitFor()
  })

  test('each width from 320 pixels on, each language → no wider than its card', async () => {
    for (const id of [...LONG, CYRILLIC]) await broker.send(id, { command: 'c'.repeat(115) })
    const { page } = await openPage(broker, '/messages')
    for (const locale of ['en', 'ru']) {
      await page.evaluate(`localStorage.setItem('waybill.locale', '${locale}')`)
      await page.reload()
      for (const width of [1440, 960, 720, 360, 320]) {
        await page.setViewportSize({ width, height: 800 })
        await rows(page).nth(2).waitFor()
        const wide =
          '[...document.querySelectorAll(".card")].map((each) => each.scrollWidth - each.clientWidth)'
        await expect.poll(() => page.evaluate(wide)).toEqual([0])
        // Its own width is that of the window without the space kept for a scroll bar.
        const over = 'document.documentElement.scrollWidth - document.documentElement.offsetWidth'
        expect([width, locale, await page.evaluate(over)]).toEqual([width, locale, 0])
      }
    }
  })

  test('below 640 pixels → two lines a row, which names the message', async () => {
    await broker.send('pump-1', { command: 'set-speed' })
    const { page } = await openPage(broker, '/messages')
    await page.setViewportSize({ width: 360, height: 800 })
    const row = page.getByRole('row', { name: 'set-speed' })
    await row.getByText('pump-1').waitFor()
    await row.getByText('Pending').waitFor()
    expect(await row.getByRole('cell').count()).toBe(1)
  })

  test('pointer on the rows → new ones wait behind a button, cells change in place, rows that end stay', async () => {
    const first = await broker.send('lamp', { command: 'on' })
    const { page } = await openPage(broker, '/messages?status=NOT_DELIVERED')
    await page.getByRole('row', { name: 'lamp' }).hover()
    for (const command of ['off', 'dim']) await broker.send('bulb', { command })
    await page.getByRole('button', { name: '2 new' }).waitFor()
    await broker.poll('lamp')
    await broker.acknowledge('lamp', { id: first, deliveryStatus: 'COMPLETED' })
    await page.locator('tr.gone').getByText('Completed').waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.getByRole('button', { name: '2 new' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
    await rows(page).getByText('bulb').first().waitFor()
  })

  test('the pointer leaves → the rows that waited appear', async () => {
    await broker.send('lamp', { command: 'on' })
    const { page } = await openPage(broker, '/messages')
    await page.getByRole('row', { name: 'lamp' }).hover()
    await broker.send('lamp', { command: 'off' })
    await page.getByRole('button', { name: '1 new' }).waitFor()
    await page.getByRole('heading', { name: 'Messages', level: 1 }).hover()
    await page.getByRole('row', { name: 'off' }).waitFor()
  })

  test('a destructive row action asks, and a double click hits neither it nor another row', async () => {
    for (let i = 0; i < 10; i++) await broker.send('lamp', { command: `on-${i}` })
    const { page } = await openPage(broker, '/devices/lamp')
    await page.clock.install()
    await page.reload()
    await rows(page).nth(9).waitFor()
    // The clock stands still, so the two clicks of a double click are never 300 ms apart.
    await page.clock.pauseAt(Date.now() + 1_000)
    await page.getByRole('button', { name: 'Actions for 1', exact: true }).click()
    const item = page.getByRole('menuitem', { name: /^Cancel/ })
    const at = await item.boundingBox()
    await item.click()
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: /^Cancel/ })
    await confirm.click({ force: true })
    await page.mouse.dblclick((at?.x ?? 0) + 5, (at?.y ?? 0) + 5)
    expect([await broker.status(1), await broker.status(2)]).toEqual(['NOT_DELIVERED', 'NOT_DELIVERED'])
    await page.clock.runFor(400)
    await confirm.dblclick()
    await expect.poll(() => broker.status(1)).toBe('CANCELLED')
    expect(await broker.status(2)).toBe('NOT_DELIVERED')
  })

  test('a row action that is confirmed → done once, the focus stays in its row', async () => {
    for (const command of ['on', 'off']) await broker.send('lamp', { command })
    const { page } = await openPage(broker, '/devices/lamp')
    await page.getByRole('button', { name: 'Actions for 1', exact: true }).click()
    await page.getByRole('menuitem', { name: /^Cancel/ }).click()
    const question = page.getByRole('alertdialog')
    await question.getByText('№ 1 on').waitFor()
    const confirm = question.getByRole('button', { name: /^Cancel/ })
    await confirmed(confirm, async () => (await broker.status(1)) === 'CANCELLED')
    await question.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.closest("tr")?.dataset.row')).toBe('1')
  })

  test('Back → the rows, the scroll position and the focused row', async () => {
    for (let i = 1; i <= 90; i++) await broker.send('lamp', { command: `on-${i}` })
    const { page } = await openPage(broker, '/messages')
    await expect.poll(() => rows(page).count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => rows(page).count()).toBe(90)
    await rows(page).nth(70).scrollIntoViewIfNeeded()
    const before = await page.evaluate('scrollY')
    expect(before).toBeGreaterThan(500)
    await rows(page).nth(70).getByText('on-20').click()
    await page.getByRole('heading', { name: /^Message 20/ }).waitFor()
    expect(await page.evaluate('scrollY')).toBe(0)
    await page.goBack()
    await rows(page).nth(70).waitFor()
    expect(await rows(page).count()).toBe(90)
    expect(await page.evaluate('scrollY')).toBe(before)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('20')
  })

  test('j, k and Enter → move between the rows and open one', async () => {
    for (const command of ['on', 'off', 'dim']) await broker.send('lamp', { command })
    const { page } = await openPage(broker, '/messages')
    await rows(page).nth(2).waitFor()
    const focused = () => page.evaluate('document.activeElement.closest("tr")?.dataset.row')
    await page.keyboard.press('j')
    expect(await focused()).toBe('3')
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
    expect(await focused()).toBe('2')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toMatch(/#\/messages\/2$/)
  })

  test('columns and density → as chosen, kept in this browser', async () => {
    await broker.send('lamp', { command: 'on' })
    const { page } = await openPage(broker, '/messages')
    await page.setViewportSize({ width: 1440, height: 900 })
    const header = page.getByRole('columnheader', { name: 'Guarantee' })
    await header.waitFor()
    await page.getByRole('button', { name: 'Columns and density' }).click()
    await page.getByRole('checkbox', { name: 'Guarantee' }).uncheck()
    await page.getByRole('radio', { name: 'Compact' }).check()
    await header.waitFor({ state: 'detached' })
    await page.reload()
    await rows(page).first().waitFor()
    expect(await header.count()).toBe(0)
    expect(await height(page, 0)).toBe(34)
  })

  test('Ctrl+click and middle click on a row → a new tab, this one stays', async () => {
    await broker.send('lamp', { command: 'on' })
    const { page } = await openPage(broker, '/messages')
    const cell = page.getByRole('row', { name: 'lamp' }).getByText('on', { exact: true })
    for (const options of [{ modifiers: ['Control' as const] }, { button: 'middle' as const }]) {
      const [opened] = await Promise.all([page.context().waitForEvent('page'), cell.click(options)])
      expect(opened.url()).toMatch(/#\/messages\/1$/)
      await opened.close()
    }
    expect(page.url()).toMatch(/#\/messages$/)
  })
})
