/** Filters of the lists in the admin page: the field owns its text, suggestions, chips, the time range. */
import { beforeAll, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start()
  for (const id of ['pump-1', 'pump-2', 'lamp']) await broker.send(id, { command: 'on' })
})

const addressOf = (url: string): URLSearchParams => new URLSearchParams(url.split('?')[1])

test.runIf(CHROMIUM)('filter: a message arrives while somebody types → the text stays', async () => {
  const opened = await openPage(broker, '/messages')
  const { page } = opened
  await page.getByText('New messages appear automatically.').waitFor()
  const field = page.getByLabel('Search device, command')
  await field.pressSequentially('lam')
  await expect.poll(() => addressOf(page.url()).get('search')).toBe('lam')
  await broker.send('lam', { command: 'arrives' })
  await page.getByRole('row', { name: 'arrives' }).waitFor()
  expect(await field.inputValue()).toBe('lam')
  await field.pressSequentially('p')
  await expect.poll(() => addressOf(page.url()).get('search')).toBe('lamp')
  await page.getByRole('row', { name: 'arrives' }).waitFor({ state: 'detached' })
  expect(await field.inputValue()).toBe('lamp')
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('filter: suggestions → arrow and Enter choose one, Escape closes them', async () => {
  const { page } = await openPage(broker, '/messages')
  const field = page.getByLabel('Search device, command')
  await field.fill('pum')
  const list = page.getByRole('listbox')
  await list.getByText('pump-2').waitFor()
  await field.press('Escape')
  await list.waitFor({ state: 'hidden' })
  await field.press('ArrowDown')
  await list.getByText('pump-2').waitFor()
  await field.press('ArrowDown')
  await field.press('ArrowDown')
  expect(await list.getByRole('option', { selected: true }).innerText()).toBe('pump-2')
  await field.press('Enter')
  expect(addressOf(page.url()).get('search')).toBe('pump-2')
})

test.runIf(CHROMIUM)('filter: its chip removes it, the field is empty', async () => {
  const { page } = await openPage(broker, '/messages?search=pump-1&status=NOT_DELIVERED')
  await page.getByRole('button', { name: 'Remove the filter Contains: pump-1' }).click()
  expect(page.url()).toMatch(/messages\?status=NOT_DELIVERED$/)
  expect(await page.getByLabel('Search device, command').inputValue()).toBe('')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  expect(page.url()).toMatch(/#\/messages$/)
})

test.runIf(CHROMIUM)('time range: presets and dates → in the address, nothing is cut', async () => {
  const { page } = await openPage(broker, '/messages')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Time range' }).click()
  const panel = page.getByRole('dialog', { name: 'Time range' })
  await panel.getByRole('button', { name: 'Last 24 h' }).click()
  expect(addressOf(page.url()).get('range')).toBe('24h')
  await expect.poll(() => page.locator('tbody tr').count()).toBeGreaterThan(2)
  await page.getByRole('button', { name: 'Time range: Last 24 h' }).click()
  await panel.getByLabel('From: date').fill('2024-02-28')
  await panel.getByLabel('From: time').fill('13:05')
  await panel.getByLabel('To: date').fill('2024-02-27')
  await panel.getByRole('button', { name: 'Apply' }).click()
  await panel.getByText('The end is not after the start.').waitFor()
  const cut = await panel
    .locator('input')
    .evaluateAll((fields) => fields.filter((each) => each.scrollWidth > each.clientWidth).length)
  expect(cut).toBe(0)
  await panel.getByLabel('To: date').fill('2024-03-01')
  await panel.getByRole('button', { name: 'Apply' }).click()
  const from = await page.evaluate("new Date('2024-02-28T13:05').getTime()")
  expect(addressOf(page.url()).get('from')).toBe(String(from))
  expect(addressOf(page.url()).get('range')).toBeNull()
  await page.getByText('No message matches these filters').waitFor()
})

test.runIf(CHROMIUM)('phone: filters fold into one button with their number', async () => {
  const { page } = await openPage(broker, '/messages?search=pump-1')
  await page.setViewportSize({ width: 360, height: 740 })
  const field = page.getByLabel('Search device, command')
  await field.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Filters 1' }).click()
  await field.waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
})
