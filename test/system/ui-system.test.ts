/** System and API in the admin page: facts, settings without secrets, a backup, links to the API. */
import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { expectQuiet, openPage, signIn } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ env: { WAYBILL_HISTORY_DAYS: '7' } })
})

test.runIf(CHROMIUM)('system page: settings → value and origin, no secret', async () => {
  const opened = await openPage(broker, '/system/settings')
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
  expect(page.url()).toContain('differs=true')
  await page.getByLabel('Differs from default').uncheck()
  await page.getByLabel('Search settings').fill('queue.limit')
  await row('server.port').waitFor({ state: 'detached' })
  await row('app.queue.limit').getByText('messages', { exact: true }).waitFor()
  await page.getByLabel('Language').selectOption('ru')
  await row('app.queue.limit').getByText('Наибольшее число команд в очереди одного устройства').waitFor()
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('system page: state → the load of the process; READER → no backup', async () => {
  const { page } = await openPage(broker, '/system')
  for (const name of ['CPU', 'Memory', 'Event-loop lag p99', 'Commit p99', 'HTTP adapter'])
    await page.getByText(name, { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Backup' }).click()
  await page.getByText('waybill db restore').first().waitFor()
  await broker.rest.post('/admin/api/clients', { deviseId: 'irina', password: 'secret', role: 'READER' })
  const reader = await visit(`${broker.server.url}/#/system/backup`)
  await signIn(reader.page, 'irina', 'secret')
  await reader.page.getByRole('link', { name: 'Settings' }).waitFor()
  expect(await reader.page.getByText('Backup').count()).toBe(0)
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

test.runIf(CHROMIUM)('audit trail: object, action, login → filters, kept in the address', async () => {
  await broker.rest.put('/admin/api/devices/pump', { maxAttempts: 3 })
  const id = await broker.send('pump', { command: 'go' })
  await broker.rest.post(`/admin/api/messages/${id}/cancel`, {})
  const opened = await openPage(broker, '/system/audit')
  const { page } = opened
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })
  await row('device.settings').getByText('{"maxAttempts":3}').waitFor()
  await row('message.cancel').getByText('127.0.0.1').waitFor()
  await page.getByLabel('Object').fill(String(id))
  await row('device.settings').waitFor({ state: 'detached' })
  await row('message.cancel').getByText('admin').waitFor()
  expect(page.url()).toContain(`/system/audit?object=${id}`)
  await page.getByRole('button', { name: `Object: ${id}` }).click()
  await page.getByLabel('Action').selectOption('message.cancel')
  await row('device.settings').waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Login' }).fill('unknown')
  await page.getByText('No lines').waitFor()
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
