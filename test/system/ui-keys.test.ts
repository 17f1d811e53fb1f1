/** API keys on the admin page: created and shown once, listed, deleted. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { withClients } from '../_support/clients.ts'
import { confirmed, expectQuiet, openPage } from '../_support/page.ts'
import { withToken } from '../_support/rest.ts'

test.runIf(CHROMIUM)('logins: a key is created, shown once, listed and deleted', async () => {
  const broker = await BrokerUnderTest.start({ dataDir: await withClients('erp') })
  const opened = await openPage(broker, '/access/devices')
  const { page } = opened
  const dialog = page.getByRole('dialog', { name: 'erp' })
  const openKeys = () => page.getByRole('link', { name: 'erp' }).click()
  await openKeys()
  await dialog.getByText('This login has no keys.').waitFor()
  await dialog.getByLabel('Description').last().fill('metrics')
  await dialog.getByLabel('Expires on').fill('2999-01-31')
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  const key = await dialog.getByText(/^wbk_/).innerText()
  expect((await withToken(broker.server.url, key).get('/auth/me')).body).toMatchObject({ deviseId: 'erp' })
  await dialog.getByRole('row', { name: 'metrics' }).getByText('Jan 31, 2999').waitFor()
  await page.keyboard.press('Escape')
  await openKeys()
  await dialog.getByRole('row', { name: 'metrics' }).waitFor()
  expect(await dialog.getByText(key).count()).toBe(0)
  await dialog.getByRole('button', { name: 'Delete key' }).click()
  const question = page.getByRole('dialog').filter({ hasText: 'signed out at once' }).last()
  await confirmed(question.getByRole('button', { name: 'Delete', exact: true }), async () =>
    dialog.getByText('This login has no keys.').isVisible(),
  )
  await dialog.getByText('This login has no keys.').waitFor()
  expect((await withToken(broker.server.url, key).get('/auth/me')).status).toBe(401)
  expectQuiet(opened, broker)
})
