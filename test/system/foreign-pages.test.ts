/** A real page of another site in a real browser cannot use a server whose access checks are off. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { whenDone } from '../_support/cleanup.ts'

/** Starts a site of its own. Returns its origin by the name `localhost`, which is another site than 127.0.0.1. */
async function otherSite(): Promise<string> {
  const server = createServer((_req, res) => res.setHeader('content-type', 'text/html').end('<form></form>'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenDone(() => server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

/** Sends a form and opens a WebSocket, as any page may. Resolves to what became of the WebSocket. */
const ATTACK = (url: string) => `(async () => {
  const body = new URLSearchParams({ deviseId: 'eve', password: 'eve', role: 'MAN' })
  await fetch('${url}/admin/api/clients', { method: 'POST', mode: 'no-cors', body }).catch(() => {})
  const image = new Image()
  const loaded = new Promise((resolve) => { image.onload = image.onerror = resolve })
  image.src = '${url}/consumer/getLastMessage/pump'
  await loaded
  return new Promise((resolve) => {
    const socket = new WebSocket('${url.replace('http', 'ws')}/mqtt', ['mqtt'])
    socket.onopen = () => resolve('open')
    socket.onerror = () => resolve('refused')
  })
})()`

test.runIf(CHROMIUM)('checks off: a page of another site → no client, no command, no WebSocket', async () => {
  const broker = await BrokerUnderTest.start({ mqtt: true, env: { APP_SECURITY_PERMIT_ALL: 'true' } })
  const command = { command: 'open', believerGuarantee: 'NO' }
  const id = await broker.send('pump', command)
  const { page } = await visit(await otherSite())
  expect(await page.evaluate(ATTACK(broker.server.url))).toBe('refused')
  const clients = (await broker.rest.get('/admin/api/clients')).body as { deviseId: string }[]
  expect(clients.map(({ deviseId }) => deviseId)).toEqual(['admin'])
  expect(await broker.next('pump')).toBe(id)
})

test.runIf(CHROMIUM)('checks off: the own page → opens', async () => {
  const broker = await BrokerUnderTest.start({ env: { APP_SECURITY_PERMIT_ALL: 'true' } })
  const { page, complaints } = await visit(broker.server.url)
  expect(await page.title()).toContain('Waybill')
  expect(await page.evaluate(`fetch('/healthz').then(({ status }) => status)`)).toBe(200)
  expect(complaints).toEqual([])
})
