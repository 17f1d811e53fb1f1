/** `subscribe` of `waybill/client`: event streams of the real server that break and resume. */
import { beforeAll, expect, test } from 'vitest'
import { Client } from '../../src/client/index.ts'
import { eventParser } from '../../src/client/sse.ts'
import { ADMIN_PASSWORD } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { EVENTS } from '../_support/known-events.ts'
import { LOCAL, type Server, startServer, unusedUrl } from '../_support/server.ts'
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

test('subscribe: the stream ends → it resumes behind the last event until the loop ends', async () => {
  const seen: unknown[] = []
  for await (const event of admin().subscribe()) {
    seen.push(event)
    if (seen.length === 5) break
  }
  expect(seen).toEqual([1, 2, 3, 4, 5].map((n) => ({ id: String(n), event: 'status', data: { n } })))
})

test('subscribe: lastEventId and a signal → begins behind that event, ends with the signal', async () => {
  const ended = new AbortController()
  const seen: string[] = []
  for await (const { id } of admin().subscribe({ lastEventId: '41', signal: ended.signal })) {
    seen.push(id)
    if (seen.length === 2) ended.abort()
  }
  expect(seen).toEqual(['42', '43'])
})

test('subscribe: refused, or no server → an error at once', async () => {
  const anonymous = new Client({ url: server.url }).subscribe()
  await expect(anonymous.next()).rejects.toMatchObject({ status: 401 })
  await expect(new Client({ url: await unusedUrl() }).subscribe().next()).rejects.toThrow('ECONNREFUSED')
})

test('subscribe: the server is killed and starts again → it resumes', async () => {
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
])('eventParser: line ends %s, cut in any way → the same events', (_name, end) => {
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
