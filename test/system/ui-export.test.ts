/** The export of messages in the admin page: through the browser's downloads, into a chosen file, stopped, refused. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { openPage, signIn } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start()
  for (const device of ['pump', 'lamp']) await broker.send(device, { command: 'on' })
})

/** Opens the list of messages with a script that runs before the page. */
async function openMessages(script: string, filter = ''): Promise<Page> {
  const { page } = await openPage(broker, '/messages')
  await page.addInitScript(script)
  await page.goto(`${broker.server.url}/?again#/messages${filter}`)
  await page.getByRole('row', { name: 'pump' }).waitFor()
  return page
}

async function choose(page: Page, format: string): Promise<void> {
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: format }).click()
}

const NO_PICKER = 'delete window.showSaveFilePicker'
/** A file picker whose file keeps the parts in the page. A write waits while `held` is true. */
const PICKER = `window.parts = []; window.ends = [];
  window.showSaveFilePicker = async ({ suggestedName }) => ({ createWritable: async () => ({
    async write(bytes) { window.parts.push(new TextDecoder().decode(bytes)); while (window.held) await new Promise((go) => setTimeout(go, 20)) },
    async close() { window.ends.push('saved ' + suggestedName) },
    async abort() { window.ends.push('aborted') } }) })`
const ends = (page: Page): Promise<unknown> => page.evaluate('window.ends')

test.runIf(CHROMIUM)(
  'export: no file picker → a download with the filters in force, then a notice',
  async () => {
    const page = await openMessages(NO_PICKER, '?deviseId=pump')
    const downloading = page.waitForEvent('download')
    await choose(page, 'CSV')
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^waybill-messages-[-\dT]+\.csv$/)
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^id,deviseId,.*\r\n1,pump,on,[^\n]*\r\n$/)
    await page.getByText(/^Exported \d+ byte/).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Export')
  },
)

test.runIf(CHROMIUM)('export: a file picker → written part by part, and saved', async () => {
  const page = await openMessages(PICKER)
  await choose(page, 'JSON')
  await expect
    .poll(() => ends(page))
    .toEqual([expect.stringMatching(/^saved waybill-messages-[-\dT]+\.jsonl$/)])
  const text = (await page.evaluate('window.parts.join("")')) as string
  expect(text.match(/"deviseId":"\w+"/g)).toEqual(['"deviseId":"lamp"', '"deviseId":"pump"'])
})

test.runIf(CHROMIUM)('export: stopped → no file, no notice, and the button exports again', async () => {
  const page = await openMessages(`${PICKER}; window.held = true`)
  await choose(page, 'JSON')
  await page.getByText(/^Exporting: /).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.evaluate('window.held = false')
  await expect.poll(() => ends(page)).toEqual(['aborted'])
  await page.getByRole('button', { name: 'Export' }).waitFor()
  expect(await page.locator('.toast').count()).toBe(0)
})

test.runIf(CHROMIUM)('export: refused, cut off → a notice says what to do, and no file', async () => {
  const page = await openMessages(PICKER)
  const body = JSON.stringify({ status: 409, code: 'export-running', params: {}, title: 'x', detail: 'x' })
  const contentType = 'application/problem+json'
  await page.route('**/messages/export?*', (route) => route.fulfill({ status: 409, contentType, body }))
  await choose(page, 'CSV')
  await page.getByText('Two exports are running. Try again when one is done.').waitFor()
  await page.unroute('**/messages/export?*')
  await page.route('**/messages/export?*', (route) => route.abort())
  await choose(page, 'CSV')
  await page.getByText('Nothing was saved').waitFor()
  expect(await ends(page)).toEqual(['aborted', 'aborted'])
})

test.runIf(CHROMIUM)('export: a READER → may export', async () => {
  await broker.rest.post('/admin/api/clients', { deviseId: 'eye', password: 'sesame', role: 'READER' })
  const { page } = await visit(`${broker.server.url}/#/messages`)
  await page.evaluate(NO_PICKER)
  await signIn(page, 'eye', 'sesame')
  await page.getByRole('row', { name: 'pump' }).waitFor()
  const downloading = page.waitForEvent('download')
  await choose(page, 'JSON')
  expect(readFileSync(await (await downloading).path(), 'utf8').split('\n')).toHaveLength(3)
})

test.runIf(CHROMIUM)('task: export the messages of a week → 5 clicks', async () => {
  const { page } = await openPage(broker)
  await page.evaluate(NO_PICKER)
  const acts = await countActs(page)
  await page.getByRole('link', { name: 'Messages' }).click()
  await page.getByRole('button', { name: 'Any time' }).click()
  await page.getByRole('button', { name: 'Last 7 days' }).click()
  await page.getByRole('row', { name: 'pump' }).waitFor()
  const requested = page.waitForRequest(/messages\/export/)
  const downloading = page.waitForEvent('download')
  await choose(page, 'CSV')
  const { searchParams } = new URL((await requested).url())
  expect(Date.now() - Number(searchParams.get('from'))).toBeGreaterThan(6.9 * 86_400_000)
  expect(readFileSync(await (await downloading).path(), 'utf8').split('\r\n')).toHaveLength(4)
  expect((await acts()).clicks).toBeLessThanOrEqual(5)
})

test.runIf(CHROMIUM)(
  'task: find a message by a word in its data → 3 clicks; selected rows → exported alone',
  async () => {
    const id = await broker.send('boiler', { command: 'set', data: { note: 'Клапан 7' } })
    const { page } = await openPage(broker)
    await page.evaluate(NO_PICKER)
    const acts = await countActs(page)
    await page.getByRole('link', { name: 'Messages' }).click()
    await page.getByRole('checkbox', { name: 'in data' }).click()
    await page.getByLabel('Search in data').click()
    await page.keyboard.type('клапан')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('row', { name: 'boiler' }).waitFor()
    expect((await acts()).clicks).toBeLessThanOrEqual(3)

    await page.getByRole('link', { name: 'Messages' }).click()
    await page.getByRole('row', { name: 'pump' }).getByRole('checkbox').check()
    const downloading = page.waitForEvent('download')
    await page.locator('.selection').getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'JSON' }).click()
    const text = readFileSync(await (await downloading).path(), 'utf8')
    expect(text).toMatch(/^\{"id":1,[^\n]*\}\n$/)
    expect(id).toBeGreaterThan(1)
  },
)
