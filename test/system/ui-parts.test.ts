/** Parts of the page that load when they are opened: in each language, without the server, and after its upgrade. */
import { beforeAll, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  if (CHROMIUM) broker = await BrokerUnderTest.start()
})

test.runIf(CHROMIUM)(
  'parts: the language changes while one is open → no text is missing, and back again',
  async () => {
    const opened = await openPage(broker, '/system')
    const { page } = opened
    await page.getByText('HTTP adapter').waitFor()
    await page.getByLabel('Language').selectOption('ru')
    await page.getByText('HTTP-адаптер').waitFor()
    await page.getByRole('link', { name: 'Настройки' }).click()
    await page.getByText('Отличаются от умолчания').waitFor()
    await page.getByLabel('Язык').selectOption('en')
    await page.getByText('Differs from default').waitFor()
    expect(await page.locator('main').textContent()).not.toContain('undefined')
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)('parts: texts arrive after the code → a placeholder until then', async () => {
  const { page } = await openPage(broker)
  let release = (): void => {}
  const arrived = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/ui/system.en-*.js', async (route) => {
    await arrived
    await route.continue()
  })
  const code = page.waitForResponse(/\/ui\/system-.*\.js$/)
  await page.getByRole('link', { name: 'System' }).click()
  await (await code).finished()
  expect(await page.locator('main').textContent()).toBe('Loading…')
  release()
  await page.getByText('HTTP adapter').waitFor()
})

test.runIf(CHROMIUM)(
  'parts: the server has a newer page → a prompt, which reloads the same place',
  async () => {
    const { page } = await openPage(broker)
    await page.route('**/ui/system-*.js', (route) => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'System' }).click()
    const prompt = page.locator('main').getByRole('alert')
    await prompt.getByText('This page is older than the server.').waitFor()
    await page.unroute('**/ui/system-*.js')
    await prompt.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByText('HTTP adapter').waitFor()
    expect(page.url()).toContain('#/system')
  },
)

test.runIf(CHROMIUM)('parts: the server cannot be reached → says so, and opens on the next try', async () => {
  const { page } = await openPage(broker)
  const gone = ['**/ui/system-*.js', '**/livez']
  for (const each of gone) await page.route(each, (route) => route.abort())
  await page.getByRole('link', { name: 'System' }).click()
  const problem = page.locator('main').getByRole('alert')
  await problem.getByText('The server cannot be reached.').waitFor()
  for (const each of gone) await page.unroute(each)
  await problem.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('HTTP adapter').waitFor()
})
