/** The docs page as a user sees it: in a browser, from this server alone. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTERS } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { LOCAL, startServer } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

/** Returns the requests that went to another host. */
function elsewhere(requests: readonly string[], url: string): string[] {
  return requests.filter((each) => !each.startsWith(`${url}/`) && !each.startsWith('data:'))
}

describe.each(ADAPTERS)('docs page over %s', (adapter) => {
  let broker: BrokerUnderTest
  let url: string
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ adapter })
    url = broker.server.url
  })

  test('its files without a token → 200, their types, a security policy', async () => {
    for (const [path, type] of [
      ['/swagger-ui', 'text/html; charset=utf-8'],
      ['/swagger-ui/', 'text/html; charset=utf-8'],
      ['/swagger-ui/index.html', 'text/html; charset=utf-8'],
      ['/swagger-ui/swagger-ui-bundle.js', 'text/javascript'],
      ['/swagger-ui/swagger-ui-bundle.js.LICENSE.txt', 'text/plain'],
      ['/swagger-ui/swagger-ui.css', 'text/css'],
    ] as const) {
      const answer = await fetch(url + path)
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, type])
      expect(answer.headers.get('content-security-policy')).toContain(
        "default-src 'none'; script-src 'self';",
      )
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100)
    }
  })

  test.each(['/swagger-ui/nothing.js', '/swagger-ui/..%2Fswagger-ui.ts', '/swagger-ui/package.json'])(
    '%s → 404',
    async (path) => {
      expect((await fetch(url + path)).status).toBe(404)
    },
  )

  test('/swagger-ui.html → redirected to the page', async () => {
    const answer = await fetch(`${url}/swagger-ui.html`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/swagger-ui'])
  })

  test.runIf(CHROMIUM)(
    'in a browser, sign in and try out → answers; no other host is requested',
    async () => {
      const { page, requests, complaints } = await visit(`${url}/swagger-ui.html`)
      await page.getByLabel('User name or id').fill('admin')
      await page.getByLabel('Password').fill(ADMIN_PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByText('Signed in as admin, role MAN.').waitFor()

      const operation = page.locator('#operations-Producer-sendCommand')
      await operation.getByText('Send a command to a device').click()
      await operation.getByRole('button', { name: 'Try it out' }).click()
      await operation.getByPlaceholder('deviceId').fill('tried/out')
      await operation.locator('textarea').fill('{"command":"blink"}')
      await operation.getByRole('button', { name: 'Execute' }).click()
      await operation
        .locator('.live-responses-table')
        .getByText('"deliveryStatus": "NOT_DELIVERED"')
        .first()
        .waitFor()
      expect((await broker.poll('tried/out')).body).toMatchObject([{ command: 'blink' }])

      await page.reload()
      const me = page.locator('#operations-Login-getSession')
      await me.getByText('Show the client that the token belongs to').click()
      await me.getByRole('button', { name: 'Try it out' }).click()
      await me.getByRole('button', { name: 'Execute' }).click()
      await me.locator('.live-responses-table').getByText('"deviseId": "admin"').first().waitFor()

      expect(await page.title()).toBe('Waybill')
      expect(elsewhere(requests, url)).toEqual([])
      expect(complaints).toEqual([])
    },
  )
})

describe.each(ADAPTERS)('docs page without the broker over %s', (adapter) => {
  const start = async (files: Record<string, string>): Promise<string> => {
    const prefixes = ['--prefix', writeTree(files), '--prefix', '@docs']
    return (await startServer({ args: [...LOCAL, '--adapter', adapter, ...prefixes] })).url
  }
  const HELLO = `import { Endpoint } from 'waybill'
    export class Greeting extends Endpoint {
      GET(name: string, { polite = 'no' }) { return [polite === 'yes' ? 'Dear' : 'Hi', name].join(' ') }
    }`

  test.runIf(CHROMIUM)('a tree of one file: try out → the answer; no login, no other host', async () => {
    const url = await start({ 'hello.ts': HELLO, 'package.json': '{ "name": "pump-house" }' })
    const { page, requests, complaints } = await visit(`${url}/swagger-ui`)
    const operation = page.locator('#operations-hello-getHelloGreetingByName')
    await operation.getByText('/hello/greeting/{name}').click()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByPlaceholder('name').fill('Ada Lovelace')
    await operation.getByRole('button', { name: 'Execute' }).click()
    await operation.getByText('"Hi Ada Lovelace"').first().waitFor()
    expect(await page.title()).toBe('pump-house')
    expect(await page.getByRole('button', { name: /^(Sign in|Authorize)$/ }).count()).toBe(0)
    expect(elsewhere(requests, url)).toEqual([])
    expect(complaints).toEqual([])
  })

  test.runIf(CHROMIUM)('a tree with an authenticator: Authorize → its token is sent', async () => {
    const url = await start({
      'hello.ts': HELLO,
      '_services.ts': `export const authenticate = (_services, authorization) =>
        authorization === 'Bearer sesame' ? { id: 'ada', roles: [] } : null`,
    })
    const { page, requests, complaints } = await visit(`${url}/swagger-ui`)
    await page.getByRole('button', { name: 'Authorize', exact: true }).click()
    const dialog = page.locator('.modal-ux')
    await dialog.getByRole('textbox').fill('sesame')
    await dialog.getByRole('button', { name: 'Apply credentials' }).click()
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    const operation = page.locator('#operations-hello-getHelloGreetingByName')
    await operation.getByText('/hello/greeting/{name}').click()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByPlaceholder('name').fill('Ada')
    await operation.getByRole('button', { name: 'Execute' }).click()
    await operation.getByText('"Hi Ada"').first().waitFor()
    expect(elsewhere(requests, url)).toEqual([])
    expect(complaints).toEqual([])
  })
})
