/** `subscribe` of `waybill/client`: event streams over the real server, broken and resumed. */
import { beforeAll, expect, test } from 'vitest'
import { Client } from '../../src/client/index.ts'
import { eventParser } from '../../src/client/sse.ts'
import { ADMIN_PASSWORD } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { EVENTS } from '../_support/known-events.ts'
import { LOCAL, nobodysUrl, type Server, startServer } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

let server: Server
beforeAll(async () => {
  server = await startServer({
    args: [...LOCAL, '--prefix', writeTree(EVENTS), '--prefix', '@broker'],
    env: { ADMIN_PASSWORD },
    dataDir: temporaryDirectory(),
  })
})
const admin = (): Client =>
  new Client({ url: server.url, credentials: { deviceId: 'admin', password: ADMIN_PASSWORD } })

test('goes on behind the last event when the stream ends, until it is left', async () => {
  const seen: unknown[] = []
  for await (const event of admin().subscribe()) {
    seen.push(event)
    if (seen.length === 5) break
  }
  expect(seen).toEqual([1, 2, 3, 4, 5].map((n) => ({ id: String(n), event: 'status', data: { n } })))
})

test('begins where it is told, and ends with its signal', async () => {
  const ended = new AbortController()
  const seen: string[] = []
  for await (const { id } of admin().subscribe({ lastEventId: '41', signal: ended.signal })) {
    seen.push(id)
    if (seen.length === 2) ended.abort()
  }
  expect(seen).toEqual(['42', '43'])
})

test('a refusal is an error at once', async () => {
  const nobody = new Client({ url: server.url }).subscribe()
  await expect(nobody.next()).rejects.toMatchObject({ status: 401 })
  await expect(new Client({ url: await nobodysUrl() }).subscribe().next()).rejects.toThrow('ECONNREFUSED')
})

test('goes on after the server was gone', async () => {
  const dataDir = temporaryDirectory()
  const tree = writeTree(EVENTS)
  const start = (host: string): Promise<Server> =>
    startServer({
      args: ['--host', host, '--mqtt', 'off', '--prefix', tree, '--prefix', '@broker'],
      env: { ADMIN_PASSWORD },
      dataDir,
    })
  const first = await start('127.0.0.1:0')
  const states: string[] = []
  const events = new Client({
    url: first.url,
    credentials: { deviceId: 'admin', password: ADMIN_PASSWORD },
  }).subscribe({ onState: (state) => states.push(state) })
  expect(await events.next()).toMatchObject({ value: { id: '1' } })
  expect(await events.next()).toMatchObject({ value: { id: '2' } })
  await first.kill('SIGKILL')
  const next = events.next()
  await start(first.url.replace('http://', ''))
  expect(await next).toMatchObject({ value: { id: '3' } })
  expect([states[0], states[1], states.at(-1)]).toEqual(['open', 'lost', 'open'])
  await events.return(undefined)
})

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('an event stream with %s is read the same however it is cut', (_name, end) => {
  const text = [
    ': comment',
    'id: 1',
    'data: one',
    'data:  two',
    '',
    'event: named',
    'data',
    '',
    'event: without data',
    '',
    'retry: 20',
    'id',
    'data: last:',
    '',
    'data: not ended',
  ].join(end)
  for (let size = 1; size <= text.length; size++) {
    const parser = eventParser()
    const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
    expect(pieces.flatMap((piece) => parser.push(piece))).toEqual([
      { id: '1', event: 'message', data: 'one\n two' },
      { id: '1', event: 'named', data: '' },
      { id: '', event: 'message', data: 'last:' },
    ])
    expect(parser.retryMs).toBe(20)
  }
})
