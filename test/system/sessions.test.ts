/** The login page of docs/framework/sessions.md in a real browser: a session by cookie, an EventSource with an identity, a page of another site. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { whenDone } from '../_support/cleanup.ts'
import { filesOf } from '../_support/docs.ts'
import { startServer } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

const startChat = async () =>
  startServer({
    args: ['--host', '127.0.0.1:0', '--prefix', writeTree(filesOf('docs/framework/sessions.md', 'login'))],
  })

async function logIn(url: string, password = 'lovelace') {
  const { page, complaints } = await visit(url)
  await page.waitForURL('**/login')
  await page.fill('[name=user]', 'ada')
  await page.fill('[name=password]', password)
  await page.click('button')
  return { page, complaints }
}

test.runIf(CHROMIUM)(
  'a page without a session → the login; a wrong password → the login says so',
  async () => {
    const { page } = await logIn((await startChat()).url, 'wrong')
    await page.waitForURL('**/login?failed=1')
    expect(await page.textContent('p')).toBe('The user or the password is wrong.')
  },
)

test.runIf(CHROMIUM)('login → an event stream with an identity; logout → its end', async () => {
  const { url } = await startChat()
  const { page } = await logIn(url)
  await page.waitForURL(`${url}/`)
  await page.fill('[name=text]', 'hello')
  await page.press('[name=text]', 'Enter')
  await page.waitForSelector('li')
  expect(await page.textContent('li')).toBe('ada: hello')
  expect(await page.evaluate('document.cookie')).toBe('')
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ name: 'session', httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })

  const other = await page.context().newPage()
  await other.goto(url)
  await other.waitForSelector('li')
  await page.click('text=Log out')
  await page.waitForURL('**/login')
  await other.waitForURL('**/login')
  expect(await page.context().cookies()).toEqual([])
})

/** Starts a page of the same site, whose requests have the cookie although it is SameSite=Lax: browsers ignore the port. */
async function neighbour(): Promise<string> {
  const server = createServer((_req, res) => res.setHeader('content-type', 'text/html').end('<p></p>'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenDone(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.runIf(CHROMIUM)(
  'a page of another origin writes with the cookie → 403, nothing is written',
  async () => {
    const { url } = await startChat()
    const { page } = await logIn(url)
    await page.waitForURL(`${url}/`)
    const foreign = await page.context().newPage()
    await foreign.goto(await neighbour())
    const refused = foreign.waitForEvent('response')
    const body = "new URLSearchParams({ text: 'evil' })"
    await foreign.evaluate(
      `fetch('${url}/chat', { method: 'POST', mode: 'no-cors', credentials: 'include', body: ${body} })`,
    )
    // Without the cookie it would be 401.
    expect((await refused).status()).toBe(403)
    await page.fill('[name=text]', 'mine')
    await page.press('[name=text]', 'Enter')
    await page.waitForSelector('li')
    expect(await page.textContent('ul')).toBe('ada: mine')
  },
)
