/** `waybill/client` in a browser: the built modules, without a bundler. */
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { BUILT, PROJECT } from '../_support/server.ts'

const IMPORTS = { imports: { 'openapi-fetch': '/client/openapi-fetch.js' } }
const PAGE = `<script type="importmap">${JSON.stringify(IMPORTS)}</script>`
/** A page that sends, polls and acknowledges a command with the client. */
const USE = `(async (credentials) => {
  const { Client } = await import('/client/index.js')
  const client = new Client({ url: location.origin, credentials })
  const { id } = await client.send('from-a-page', 'go', { n: 1 })
  const message = await client.poll('from-a-page')
  await client.acknowledge('from-a-page', message.id, 'COMPLETED')
  return [message.id === id, message.data, await client.waitFor(id)]
})(${JSON.stringify({ deviceId: 'admin', password: ADMIN_PASSWORD })})`

test.runIf(CHROMIUM)('client in a browser: log in, send, poll, acknowledge, wait → COMPLETED', async () => {
  const [bin = ''] = BUILT
  const modules = join(dirname(bin), '../src/client')
  const broker = await BrokerUnderTest.start()
  const { page } = await visit('about:blank')
  await page.route('**/client/*.js', (route) => {
    const name = basename(new URL(route.request().url()).pathname)
    const path =
      name === 'openapi-fetch.js'
        ? join(PROJECT, 'node_modules/openapi-fetch/dist/index.mjs')
        : join(modules, name)
    return route.fulfill({ contentType: 'text/javascript', body: readFileSync(path, 'utf8') })
  })
  await page.route('**/page.html', (route) => route.fulfill({ contentType: 'text/html', body: PAGE }))
  await page.goto(`${broker.server.url}/page.html`)
  expect(await page.evaluate(USE)).toEqual([true, { n: 1 }, 'COMPLETED'])
})
