/** Downloads of many megabytes, on each adapter: backups, and exports that nobody reads. */
import { readdirSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { STREAM_STALL_MS } from '../../src/web/http.ts'
import { ADAPTERS } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { withClients } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { Client, requestOf } from '../_support/http.ts'
import { message } from '../_support/message.ts'
import { call } from '../_support/rest.ts'
import { openIn } from '../_support/store.ts'

const BACKUP = '/admin/api/system/backup'
const EXPORT = '/admin/api/messages/export'

describe.each(ADAPTERS)('adapter %s', (adapter) => {
  test('backup: a second one at once → 409; the first is aborted → 200', async () => {
    const broker = await BrokerUnderTest.start({ adapter, dataDir: await largeDirectory() })
    const aborter = new AbortController()
    const first = await download(broker, BACKUP, aborter.signal)
    expect(first.status).toBe(200)
    const second = await call(broker.server.url, 'GET', BACKUP, undefined, broker.token)
    expect(second.status).toBe(409)
    expect(second.headers.get('retry-after')).toBe('10')
    // HEAD makes no backup, so it is not refused.
    const head = await broker.rest.head(BACKUP)
    expect(head.status).toBe(200)
    for (const name of ['content-type', 'content-disposition', 'cache-control', 'content-length']) {
      expect([name, head.headers.get(name)?.replace(/T[\d-]+/, '')]).toEqual([
        name,
        first.headers.get(name)?.replace(/T[\d-]+/, ''),
      ])
    }
    aborter.abort()
    const third = await eventually(async () => {
      const response = await download(broker, BACKUP)
      if (response.status === 200) return response
      throw new Error(`still ${response.status}: ${await response.text()}`)
    })
    const bytes = await third.arrayBuffer()
    expect(bytes.byteLength).toBeGreaterThan(20_000_000)
    expect(Buffer.from(bytes, 0, 15).toString()).toBe('SQLite format 3')
    expect(filesOf(broker)).not.toContain('waybill.db.backup')
  })

  test('backup: the server stops while it is made → exit code 0, no file is left', async () => {
    const broker = await BrokerUnderTest.start({ adapter, dataDir: await largeDirectory() })
    // The download breaks off while the server stops, before anything awaits it.
    const backup = download(broker, BACKUP)
      .then((response) => response.arrayBuffer())
      .catch(() => null)
    await eventually(() => expect(filesOf(broker)).toContain('waybill.db.backup'))
    expect(await broker.server.kill()).toMatchObject({ code: 0 })
    await backup
    expect(filesOf(broker)).not.toContain('waybill.db.backup')
  })

  test('backup: the client takes nothing for a minute → its download ends, and the next one is made', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    whenDone(() => vi.useRealTimers())
    const broker = await BrokerUnderTest.start({ adapter, dataDir: await largeDirectory() })
    const client = await Client.connect(broker.port)
    await client.send(requestOf('GET', BACKUP, { headers: { authorization: `Bearer ${broker.token}` } }))
    await client.arrived('HTTP/1.1 200')
    client.pause()
    await eventually(async () => {
      const second = await download(broker, BACKUP)
      if (second.status !== 200) vi.advanceTimersByTime(STREAM_STALL_MS)
      expect(second.status).toBe(200)
      expect((await second.arrayBuffer()).byteLength).toBeGreaterThan(20_000_000)
    })
    expect(broker.server.log.map(({ msg }) => msg)).toContain(
      'the client took no part of the response for 60 s: the connection was closed',
    )
  })

  test('export: two without a reader → a third is refused; a reader leaves → there is room again', async () => {
    const broker = await BrokerUnderTest.start({ adapter, env: { WAYBILL_BODY_LIMIT: '2000000' } })
    const exported = (query: string, signal?: AbortSignal) => download(broker, `${EXPORT}?${query}`, signal)
    const data = { text: 'x'.repeat(900_000) }
    for (let i = 0; i < 20; i++) await broker.send('big', { command: 'on', data })
    const leaving = new AbortController()
    const open = [
      await exported('format=jsonl&deviseId=big', leaving.signal),
      await exported('format=jsonl&deviseId=big', leaving.signal),
    ]
    expect(open.map(({ status }) => status)).toEqual([200, 200])
    const refused = await exported('format=csv')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([409, '10'])
    leaving.abort()
    await eventually(async () => expect((await exported('format=csv&text=never')).status).toBe(200))
  })
})

/** Makes a data directory with 20 MB of commands. */
async function largeDirectory(): Promise<string> {
  const directory = await withClients()
  const storage = openIn(directory)
  const data = JSON.stringify({ text: 'x'.repeat(200_000) })
  await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      storage.messages.enqueue(message({ deviceId: `device ${i}`, data }), { messages: 10, bytes: 0 }),
    ),
  )
  await storage.close()
  return directory
}

function download({ server, token }: BrokerUnderTest, path: string, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` }
  return fetch(`${server.url}${path}`, { headers, ...(signal && { signal }) })
}

function filesOf({ dataDir }: BrokerUnderTest): string[] {
  return readdirSync(dataDir)
}
