/** One session for all tabs of a browser: a link opens signed in, and a sign-out reaches all. */
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { openPage, signIn } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

const signInForm = (page: Page) => page.getByRole('heading', { name: 'Sign in' }).waitFor()

test.runIf(CHROMIUM)('tabs: Ctrl+click on a message → the new tab shows it, signed in', async () => {
  const id = await broker.send('lamp', { command: 'on' })
  const { page } = await openPage(broker, '/messages')
  const opened = page.context().waitForEvent('page')
  await page
    .getByRole('row', { name: 'lamp' })
    .getByRole('link', { name: String(id) })
    .click({ modifiers: ['Control'] })
  const tab = await opened
  await tab.getByRole('heading', { name: `Message ${id}` }).waitFor()
  expect(await tab.evaluate('Object.keys(localStorage)')).toEqual([])
})

test.runIf(CHROMIUM)('tabs: sign out, sign in, expire → all tabs', async () => {
  const { page } = await openPage(broker, '/messages')
  const tab = await page.context().newPage()
  await tab.goto(`${broker.server.url}/#/devices`)
  await tab.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await signInForm(tab)
  expect(await tab.evaluate('sessionStorage.length')).toBe(0)
  await signIn(tab)
  await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()

  await broker.rest.put('/admin/api/clients/1', { password: ADMIN_PASSWORD })
  await page.getByText('Your session has expired.').waitFor()
  await tab.getByText('Your session has expired.').waitFor()
})

test.runIf(CHROMIUM)('tabs: an answer that comes late → taken while no field is filled', async () => {
  const { page } = await openPage(broker, '/messages')
  const kept = await page.evaluate("sessionStorage.getItem('waybill.session')")
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signInForm(page)
  const typing = await page.context().newPage()
  await typing.goto(broker.server.url)
  await typing.getByLabel('User name').pressSequentially('ad')
  const waiting = await page.context().newPage()
  await typing.evaluate(`window.heard = new BroadcastChannel('waybill.session')
    window.heard.onmessage = ({ data }) => { if (data.ask) window.asked = data.nonce }`)
  await waiting.goto(broker.server.url)
  await signInForm(waiting)
  await typing.evaluate(`window.heard.postMessage({ nonce: window.asked, ...${kept} })`)
  await waiting.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await typing.getByLabel('User name').inputValue()).toBe('ad')
})

test.runIf(CHROMIUM)('docs page: signed in by the other tab, and stores no token', async () => {
  const { page } = await openPage(broker)
  const docs = await page.context().newPage()
  await docs.goto(`${broker.server.url}/swagger-ui`)
  await docs.getByText('Signed in as admin, role MAN, as in the other tab.').waitFor()
  expect(await docs.evaluate("JSON.stringify({ ...localStorage }).includes('eyJ')")).toBe(false)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await docs.getByText('Signed out.').waitFor()
})
