/** Logins in the admin page: people, devices and programs, their panel, and the refusals of the server in words. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { confirmed, openPage, signIn } from '../_support/page.ts'
import { tokenOf } from '../_support/rest.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

const create = (deviseId: string, more: object = {}) =>
  broker.rest.post('/admin/api/clients', { deviseId, password: 'x', ...more })
const panel = (page: Page, id: string) => page.getByRole('dialog', { name: id })

test.runIf(CHROMIUM)('access: an address of an earlier release → devices and programs', async () => {
  await create('lamp')
  const { page } = await openPage(broker, '/clients?search=lam')
  await page.getByRole('link', { name: 'Devices and programs 1' }).waitFor()
  await page.getByRole('row', { name: 'lamp' }).waitFor()
  expect(page.url()).toContain('#/access/devices?search=lam')
})

test.runIf(CHROMIUM)(
  'task: give a colleague read-only access → 4 clicks; the password fits a person',
  async () => {
    const { page } = await openPage(broker)
    const acts = await countActs(page)
    const dialog = page.getByRole('dialog')
    await page.getByRole('link', { name: 'Access' }).click()
    await page.getByRole('button', { name: 'New person' }).click()
    await page.keyboard.type('irina')
    await dialog.getByText('Reader', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Give it to the person over a safe channel.').waitFor()
    expect((await acts()).clicks).toBeLessThanOrEqual(4)
    const password = (await dialog.locator('dd .id').textContent()) as string
    expect(await tokenOf(broker.server.url, 'irina', password)).toBeTruthy()
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: 'irina' }).getByText('Reader').waitFor()
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY')
  },
)

test.runIf(CHROMIUM)('task: add 50 devices → 5 clicks; the passwords are downloaded once', async () => {
  const { page } = await openPage(broker)
  const acts = await countActs(page)
  const dialog = page.getByRole('dialog')
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  await page.getByRole('button', { name: 'Import' }).click()
  const ids = Array.from({ length: 50 }, (_, i) => `meter-${i + 1}`)
  // The file chooser is one click more.
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'meters.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['deviseId', ...ids].join('\n')),
  })
  await dialog.getByRole('button', { name: 'Import 50' }).click()
  await dialog.getByText('The import is done').waitFor()
  const coming = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download passwords (once)' }).click()
  expect((await acts()).clicks + 1).toBeLessThanOrEqual(5)
  const rows = readFileSync(await (await coming).path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(rows).toHaveLength(51)
  const [id, password] = (rows[50] as string).split(',') as [string, string]
  expect(await tokenOf(broker.server.url, id, password)).toBeTruthy()
})

test.runIf(CHROMIUM)(
  'import: wrong lines and a demotion → named at once; the id is typed before it runs',
  async () => {
    await create('boss', { role: 'MAN' })
    const { page } = await openPage(broker, '/access/people')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Import' }).click()
    await dialog.getByLabel('CSV file').setInputFiles({
      name: 'list.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('deviseId,role\nboss,READER\nlamp,KING\nlamp 2\n'),
    })
    await dialog.getByRole('row', { name: 'boss' }).getByText('Administrator → Reader').waitFor()
    await dialog.getByRole('row', { name: '3 lamp' }).getByText('“role”').waitFor()
    await dialog.getByRole('row', { name: '4 lamp 2' }).getByText('The line has 1 cells').waitFor()
    const start = dialog.getByRole('button', { name: 'Import 1' })
    expect(await start.isDisabled()).toBe(true)
    await dialog.getByLabel('takes the role Administrator').fill('boss')
    await start.click()
    await dialog.getByText('The import is done').waitFor()
  },
)

test.runIf(CHROMIUM)(
  'import: a file of a spreadsheet → its encoding is named, and an id that was rounded comes first',
  async () => {
    const { page } = await openPage(broker, '/access/people')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Import' }).click()
    await dialog.getByLabel('CSV file').setInputFiles({
      name: 'list.csv',
      mimeType: 'text/csv',
      // "лифт" in Windows-1251.
      buffer: Buffer.concat([
        Buffer.from('ID;role\r\n'),
        Buffer.of(0xeb, 0xe8, 0xf4, 0xf2),
        Buffer.from(';\r\n8,61E+14;\r\n'),
      ]),
    })
    await dialog.getByText('The file was read as Windows-1251.').waitFor()
    await dialog.getByRole('row', { name: '2 лифт' }).waitFor()
    await dialog.getByRole('row').nth(1).getByText('A spreadsheet has probably rounded this id.').waitFor()
  },
)

test.runIf(CHROMIUM)(
  'task: a new password for one device → 3 clicks and Enter; the focus returns',
  async () => {
    await create('pump-1')
    const { page } = await openPage(broker)
    const acts = await countActs(page)
    await page.getByRole('link', { name: 'Access' }).click()
    await page.getByRole('link', { name: 'Devices and programs' }).click()
    const button = page.getByRole('row', { name: 'pump-1' }).getByRole('button', { name: 'New password' })
    await button.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Password').press('Enter')
    await dialog.getByText('Copy it into the device.').waitFor()
    expect((await acts()).clicks).toBeLessThanOrEqual(3)
    const password = (await dialog.locator('dd .id').textContent()) as string
    expect(await tokenOf(broker.server.url, 'pump-1', password)).toBeTruthy()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await button.evaluate((element) => element.matches(':focus'))).toBe(true)
  },
)

test.runIf(CHROMIUM)('panel: change, rename, delete with the id typed → done on the server', async () => {
  await create('lamp', { description: 'Hall' })
  const { page } = await openPage(broker, '/access/devices')
  await page.getByRole('link', { name: 'lamp' }).click()
  const lamp = panel(page, 'lamp')
  await lamp.getByLabel('Description').first().fill('Hall 2')
  await lamp.getByLabel('Own queue only').selectOption('Yes')
  await lamp.getByLabel('Gateway devices').fill('child-1 site-*')
  await lamp.getByRole('button', { name: 'Save' }).click()
  await page.getByText('lamp is saved').waitFor()
  const { body } = await broker.rest.get('/admin/api/clients/2?details=true')
  expect(body).toMatchObject({ description: 'Hall 2', ownQueueOnly: true, devices: ['child-1', 'site-*'] })

  await lamp.getByLabel('Id', { exact: true }).fill('lantern')
  await lamp.getByText('The queue stays with the old id “lamp”').waitFor()
  await lamp.getByRole('button', { name: 'Save' }).click()
  const lantern = panel(page, 'lantern')
  await lantern.getByRole('button', { name: 'Delete', exact: true }).last().click()
  const question = page.getByRole('dialog', { name: 'Delete lantern?' })
  const remove = question.getByRole('button', { name: 'Delete' })
  expect(await remove.isDisabled()).toBe(true)
  await question.getByRole('textbox').fill('lantern')
  await confirmed(remove, async () => (await question.count()) === 0)
  await page.getByText('lantern is deleted').waitFor()
  expect((await broker.rest.get('/admin/api/clients')).body).toHaveLength(1)
})

test.runIf(CHROMIUM)('panel: the last administrator → its buttons are off and say why', async () => {
  await create('lamp')
  const { page } = await openPage(broker, '/access/people?open=admin')
  const admin = panel(page, 'admin')
  await admin.getByText('This is the last administrator.').first().waitFor()
  expect(await admin.getByRole('radio', { name: 'Reader' }).isDisabled()).toBe(true)
  expect(await admin.getByRole('button', { name: 'Delete', exact: true }).last().isDisabled()).toBe(true)
  await admin.getByText('You cannot delete your own login.').waitFor()
})

test.runIf(CHROMIUM)('panel: an administrator becomes a reader → the id must be typed', async () => {
  await create('boss', { role: 'MAN' })
  const { page } = await openPage(broker, '/access/people?open=boss')
  const boss = panel(page, 'boss')
  await boss.getByText('Reader', { exact: true }).click()
  await boss.getByRole('button', { name: 'Save' }).click()
  const question = page.getByRole('dialog', { name: 'Take the role Administrator from boss?' })
  await question.getByRole('textbox').fill('boss')
  await confirmed(question.getByRole('button', { name: 'Save' }), async () => (await question.count()) === 0)
  expect((await broker.rest.get('/admin/api/clients/2')).body).toMatchObject({ role: 'READER' })
})

test.runIf(CHROMIUM)('own login: renamed → signed out, the new name signs in', async () => {
  const { page } = await openPage(broker, '/access/people?open=admin')
  const admin = panel(page, 'admin')
  await admin.getByLabel('User name').fill('root')
  await admin.getByText('You are signed out, and sign in with the new id.').waitFor()
  await admin.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.getByLabel('User name').fill('root')
  await page.getByLabel('Password').fill(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('row', { name: 'root' }).first().waitFor()
})

test.runIf(CHROMIUM)('panel: a reader → facts and audit lines, no form, no keys', async () => {
  await create('lamp', { description: 'Hall' })
  await create('irina', { role: 'READER' })
  const { page } = await visit(`${broker.server.url}/#/access/devices?open=lamp`)
  await signIn(page, 'irina', 'x')
  const lamp = panel(page, 'lamp')
  await lamp.getByText('Hall').waitFor()
  await lamp.getByText('client.create').waitFor()
  expect(await lamp.locator('input, select, form').count()).toBe(0)
  expect(await lamp.getByText('API keys').count()).toBe(0)
})

test.runIf(CHROMIUM)('refusals in Russian: an id that is taken → the text of the page', async () => {
  await create('lamp')
  const { page } = await openPage(broker, '/access/people')
  await page.getByLabel('Language').selectOption('ru')
  await page.getByRole('button', { name: 'Новый человек' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Имя пользователя').fill('lamp')
  await dialog.getByRole('button', { name: 'Создать' }).click()
  await dialog.getByText('«lamp» уже существует. Выберите другое имя.').waitFor()
})
