/** System and API in the admin page: facts, settings without secrets, a backup, links to the API. */
import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ env: { WAYBILL_HISTORY_DAYS: '7' } })
})

test.runIf(CHROMIUM)('system page: settings → value and origin, no secret', async () => {
  const opened = await openPage(broker, '/system')
  const { page } = opened
  const row = (name: string) => page.getByRole('row', { name })
  await row('server.port').getByText('Flag').waitFor()
  await row('app.queue.limit').getByText('10000').waitFor()
  await row('app.queue.limit').getByText('Default', { exact: true }).waitFor()
  await row('app.history.days').getByText('Environment').waitFor()
  await row('app.jwt.secret').getByText('secret', { exact: true }).waitFor()
  expect(await page.locator('body').textContent()).not.toContain(JWT_SECRET)

  await page.getByLabel('Differs from default').check()
  await row('app.queue.limit').waitFor({ state: 'detached' })
  await row('server.port').waitFor()
  expect(await page.locator('.facts').textContent()).toContain('HTTP adapternode')
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('system page: download a backup → a database file', async () => {
  await broker.send('lamp', { command: 'on' })
  const opened = await openPage(broker, '/system')
  const { page } = opened
  const coming = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download a backup' }).click()
  const download = await coming
  expect(download.suggestedFilename()).toMatch(/^waybill-[\d-]+T[\d-]+Z\.db$/)
  await page.getByText('The backup is in your downloads').waitFor()
  const bytes = readFileSync(await download.path())
  expect(bytes.subarray(0, 15).toString()).toBe('SQLite format 3')
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('system page: another backup is running → the reason in words', async () => {
  const { page } = await openPage(broker, '/system')
  await page.route('**/admin/api/system/backup', (route) =>
    route.fulfill({ status: 409, json: { error: 'Conflict', message: 'Another backup is being made.' } }),
  )
  await page.getByRole('button', { name: 'Download a backup' }).click()
  await page.getByText('Another backup is being made. Try again when it is done.').waitFor()
  await page.getByRole('button', { name: 'Download a backup' }).waitFor()
})

test.runIf(CHROMIUM)('system page: the audit trail → its lines; a filter → those that fit', async () => {
  await broker.rest.put('/admin/api/devices/pump', { maxAttempts: 3 })
  const id = await broker.send('pump', { command: 'go' })
  await broker.rest.post(`/admin/api/messages/${id}/cancel`, {})
  const opened = await openPage(broker, '/system')
  const { page } = opened
  const trail = page.getByRole('region', { name: 'Audit trail' })
  const row = (text: string) => trail.getByRole('row').filter({ hasText: text })
  await row('device.settings').getByText('{"maxAttempts":3}').waitFor()
  await row('message.cancel').getByText('127.0.0.1').waitFor()
  await trail.getByLabel('Action').selectOption('message.cancel')
  await row('device.settings').waitFor({ state: 'detached' })
  await row('message.cancel').waitFor()
  await trail.getByRole('searchbox').fill('unknown')
  await trail.getByRole('searchbox').press('Enter')
  await trail.getByText('No lines').waitFor()
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('API page: its links → the description as a file, the docs page', async () => {
  const opened = await openPage(broker, '/api')
  const { page } = opened
  await page.getByText(`${broker.server.url.replace('http', 'ws')}/mqtt`).waitFor()
  for (const [name, begin] of [
    ['openapi.json', '{"openapi":"3.1'],
    ['openapi.yaml', 'openapi: 3.1'],
  ] as const) {
    const coming = page.waitForEvent('download')
    await page.getByRole('link', { name }).click()
    const download = await coming
    expect(download.suggestedFilename()).toBe(name)
    expect(readFileSync(await download.path(), 'utf8').slice(0, begin.length)).toBe(begin)
  }
  const docs = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Open the docs page' }).click()
  await (await docs).getByText('Waybill').first().waitFor()
  expectQuiet(opened, broker)
})
