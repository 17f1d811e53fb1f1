/** Signing in to the admin page: refusals, a session that ends, and kept preferences. */
import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { expectQuiet, openPage, signIn } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start()
})

test.runIf(CHROMIUM)('sign-in: a wrong password, or a device → the reason in words', async () => {
  await broker.rest.post('/admin/api/clients', { deviseId: 'lamp', password: 'lamp-secret' })
  const opened = await visit(broker.server.url)
  const { page } = opened
  await page.getByLabel('User name').fill('lamp')
  await page.getByLabel('Password').fill('no')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Wrong user name or password.').waitFor()
  await page.getByLabel('Password').fill('lamp-secret')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This login belongs to a device.').waitFor()
  await page.getByText('Where is the first password?').click()
  await page.getByText('prints the password once').waitFor()
  // The browser itself logs an error about the refused login.
  expectQuiet({ ...opened, complaints: opened.complaints.filter((each) => !each.includes('401')) }, broker)
})

test.runIf(CHROMIUM)('sign-in: the session ends → back to the same place after signing in', async () => {
  const { page } = await openPage(broker, '/messages?search=x')
  await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()
  expect(await page.evaluate('[Object.keys(localStorage), Object.keys(sessionStorage)]')).toEqual([
    [],
    ['waybill.session'],
  ])
  await broker.rest.put('/admin/api/clients/1', { password: ADMIN_PASSWORD })
  await page.getByText('Your session has expired.').waitFor()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  await signIn(page)
  await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()
  expect(await page.getByRole('combobox', { name: 'Search device, command' }).inputValue()).toBe('x')

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test.runIf(CHROMIUM)('preferences: Russian and dark → kept after a reload', async () => {
  const { page } = await openPage(broker, '/messages')
  await page.getByLabel('Language').selectOption('Русский')
  await page.getByRole('heading', { name: 'Сообщения' }).waitFor()
  await page.getByLabel('Оформление').selectOption('Тёмное')
  await page.reload()
  await page.getByRole('heading', { name: 'Сообщения' }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('ru')
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
})

/** Resolves when the page asks for its texts in Russian, which it gets when the test lets them go on. */
function heldTexts(page: Page): Promise<Route> {
  return new Promise((resolve) => page.route('**/ru-*.js', resolve))
}

test.runIf(CHROMIUM)('languages: the Russian texts load → no English is shown before', async () => {
  const { page } = await visit(broker.server.url)
  await page.evaluate("localStorage.setItem('waybill.locale', 'ru')")
  const asked = heldTexts(page)
  await page.reload({ waitUntil: 'commit' })
  const texts = await asked
  expect(await page.locator('#page').innerHTML()).toBe('')
  await texts.continue()
  await page.getByRole('heading', { name: 'Вход' }).waitFor()
})

test.runIf(CHROMIUM)('languages: the texts cannot be loaded → the page stays in its language', async () => {
  const { page } = await visit(broker.server.url)
  await page.route('**/ru-*.js', (route) => route.abort())
  const language = page.getByLabel('Language')
  await language.selectOption('Русский')
  await expect.poll(() => language.inputValue()).toBe('en')
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test.runIf(CHROMIUM)(
  'languages: another one is chosen while texts load → the last choice is shown',
  async () => {
    const { page } = await visit(broker.server.url)
    const asked = heldTexts(page)
    const language = page.getByLabel('Language')
    await language.selectOption('Русский')
    const texts = await asked
    await language.selectOption('English')
    await texts.continue()
    await page.evaluate(`import('${texts.request().url()}')`)
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
  },
)
