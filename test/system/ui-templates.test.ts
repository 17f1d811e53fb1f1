/** Templates in the admin page: create, send after a question, copy, delete; data exactly as typed. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '1' } })
})

test.runIf(CHROMIUM)('templates page: create, send, copy, delete → done on the server', async () => {
  const opened = await openPage(broker, '/templates')
  const { page } = opened
  const dialog = page.getByRole('dialog')
  await page.getByText('No templates yet').waitFor()
  await page.getByRole('button', { name: 'Create a template' }).click()
  await dialog.getByText('A template needs a device, and there is none yet.').waitFor()
  await page.keyboard.press('Escape')
  for (const deviseId of ['lamp-1', 'lamp-2']) {
    await broker.rest.post('/admin/api/clients', { deviseId, password: 'secret' })
  }

  await page.getByRole('button', { name: 'Create a template' }).click()
  await dialog.getByLabel('For device').selectOption('lamp-1')
  await dialog.getByLabel('Description').fill('Evening <b>light</b>')
  await dialog.getByLabel('Command').fill('dim')
  await dialog.getByLabel('Data (JSON)').fill('{"to":1.0,"serial":12345678901234567890}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const row = page.getByRole('row', { name: 'dim' })
  await row.getByText('Evening <b>light</b>').waitFor()

  await row.getByRole('button', { name: 'Send' }).click()
  await dialog.getByText('This command is sent to the device now:').waitFor()
  await dialog.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Sent dim to lamp-1, № 1').waitFor()
  expect(await page.getByRole('link', { name: 'Open message' }).getAttribute('href')).toBe('#/messages/1')

  await row.getByRole('button', { name: 'Send' }).click()
  await dialog.getByRole('button', { name: 'Send' }).click()
  await dialog.getByText('The queue of this device is full').waitFor()
  await page.keyboard.press('Escape')
  expect((await broker.poll('lamp-1')).text).toContain('"data":{"to":1.0,"serial":12345678901234567890}')

  await row.getByRole('button', { name: 'Duplicate' }).click()
  await expect.poll(() => dialog.getByLabel('Command').inputValue()).toBe('dim')
  await dialog.getByLabel('For device').selectOption('lamp-2')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'lamp-2' }).waitFor()
  const { text } = await broker.rest.get('/admin/api/saved-messages?deviseId=lamp-2')
  expect(text.replace(/\s/g, '')).toContain('"data":{"to":1.0,"serial":12345678901234567890}')

  await page.getByLabel('Search').fill('LAMP-1')
  await page.getByRole('heading', { name: 'lamp-2' }).waitFor({ state: 'detached' })
  await row.getByRole('button', { name: 'Delete the template' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No template matches this search').waitFor()
  expect((await broker.rest.get('/admin/api/saved-messages')).body).toHaveLength(1)
  // The browser itself logs an error about the refused command.
  expect(opened.complaints.filter((each) => !each.includes('429'))).toEqual([])
  expectQuiet({ ...opened, complaints: [] }, broker)
})
