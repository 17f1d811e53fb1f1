/** Clients in the admin page: create, change, delete, and the refusals of the server in words. */
import { beforeEach, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { openPage } from '../_support/page.ts'
import { tokenOf } from '../_support/rest.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

test.runIf(CHROMIUM)('logins: create, change, delete → done on the server', async () => {
  const { page } = await openPage(broker, '/clients')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Create a login' }).click()
  await dialog.getByLabel('Id', { exact: true }).fill('erp')
  await dialog.getByLabel('Administrator').check()
  await dialog.getByLabel('Description').fill('Back office')
  await dialog.getByLabel('Password').fill('first secret')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Login created').waitFor()
  await dialog.getByText('first secret').waitFor()
  await dialog.locator('.actions').getByRole('button', { name: 'Close' }).click()
  expect(await tokenOf(broker.server.url, 'erp', 'first secret')).toBeTruthy()

  const row = page.getByRole('row', { name: 'erp' })
  await row.getByText('Administrator').waitFor()
  await row.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Device, program').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('Device, program').waitFor()
  await row.getByText('Back office').waitFor()

  await row.getByRole('button', { name: 'Set a new password' }).click()
  await dialog.getByLabel('Password').fill('second secret')
  await dialog.locator('[type=submit]').click()
  await dialog.getByText('second secret').waitFor()
  await page.keyboard.press('Escape')
  expect(await tokenOf(broker.server.url, 'erp', 'second secret')).toBeTruthy()

  await page.getByLabel('Role').selectOption('Administrator')
  await row.waitFor({ state: 'detached' })
  await page.getByLabel('Role').selectOption('Any role')
  await page.getByLabel('Search').fill('BACK')
  await row.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('heading', { name: 'Delete erp?' }).waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No login matches these filters').waitFor()
  expect(((await broker.rest.get('/admin/api/clients')).body as unknown[]).length).toBe(1)
})

test.runIf(CHROMIUM)(
  'logins: rename a client → told that the queue stays; a taken id is refused',
  async () => {
    for (const deviseId of ['lamp', 'radio'])
      await broker.rest.post('/admin/api/clients', { deviseId, password: 'x' })
    const { page } = await openPage(broker, '/clients')
    const dialog = page.getByRole('dialog')
    await page.getByRole('row', { name: 'lamp' }).getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Id', { exact: true }).fill('radio')
    await dialog.getByText('The queue stays with the old id “lamp”').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Another login has this id.').waitFor()
    await dialog.getByLabel('Id', { exact: true }).fill('lantern')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: 'lantern' }).waitFor()
    expect(await tokenOf(broker.server.url, 'lantern', 'x')).toBeTruthy()
  },
)

test.runIf(CHROMIUM)(
  'logins: rename the own client → told before, then signed out; the new id signs in',
  async () => {
    const { page } = await openPage(broker, '/clients')
    const dialog = page.getByRole('dialog')
    await page.getByRole('row', { name: 'admin (you)' }).getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Id', { exact: true }).fill('root')
    await dialog.getByText('You are signed out, and sign in with the new id.').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.getByLabel('User name').fill('root')
    await page.getByLabel('Password').fill(ADMIN_PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('row', { name: 'root (you)' }).waitFor()
  },
)

test.runIf(CHROMIUM)('logins: refused changes → the reason in words', async () => {
  await broker.rest.post('/admin/api/clients', { deviseId: 'lamp', password: 'secret' })
  const { page } = await openPage(broker, '/clients')
  const dialog = page.getByRole('dialog')
  const you = page.getByRole('row', { name: 'admin (you)' })
  expect(await you.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await you.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Device, program').check()
  await dialog.getByText('This is your own login').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('This is the last administrator.').waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Create a login' }).click()
  await dialog.getByLabel('Id', { exact: true }).fill('lamp')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Another login has this id.').waitFor()
  await page.keyboard.press('Escape')

  // The client is deleted elsewhere meanwhile.
  const row = page.getByRole('row', { name: 'lamp' })
  await row.getByRole('button', { name: 'Delete' }).click()
  const clients = (await broker.rest.get('/admin/api/clients')).body as { id: number; deviseId: string }[]
  await broker.rest.delete(`/admin/api/clients/${clients.find(({ deviseId }) => deviseId === 'lamp')?.id}`)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('This login no longer exists.').waitFor()
})

test.runIf(CHROMIUM)('logins: change the own password → stays signed in', async () => {
  const { page } = await openPage(broker, '/clients')
  await page
    .getByRole('row', { name: 'admin (you)' })
    .getByRole('button', { name: 'Set a new password' })
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Password').fill('another secret')
  await dialog.locator('[type=submit]').click()
  await dialog.getByText('another secret').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Create a login' }).click()
  await dialog.getByLabel('Id', { exact: true }).fill('lamp')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Login created').waitFor()
  await page.reload()
  await page.getByRole('row', { name: 'lamp' }).waitFor()
})
