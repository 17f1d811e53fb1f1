/** Probes: /livez, /readyz and /healthz need no token, show no data, and follow faults of the storage and the disk. */
import { describe, expect, test, vi } from 'vitest'
import { openStorage } from '../../src/store/sqlite/database.ts'
import { SqliteStats } from '../../src/store/sqlite/views/store-stats.ts'
import type { Storage } from '../../src/store/storage.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { type Answer, Client, request, requestOf } from '../_support/http.ts'

const PROBES = ['/readyz', '/healthz']
const MIB = 1_048_576

const probe = (broker: BrokerUnderTest, path: string, method = 'GET'): Promise<Answer> =>
  request(broker.port, method, path)

async function failing(broker: BrokerUnderTest): Promise<string[]> {
  const answers = await Promise.all(PROBES.map((path) => probe(broker, path)))
  const [first, second] = answers.map(({ status, text }) => ({ status, text: text() }))
  expect(second).toEqual(first)
  const { status, checks } = JSON.parse(first?.text ?? '') as {
    status: string
    checks: { name: string; ok: boolean }[]
  }
  expect([first?.status, status]).toEqual(checks.every(({ ok }) => ok) ? [200, 'ok'] : [503, 'failed'])
  return checks.flatMap(({ name, ok }) => (ok ? [] : [name]))
}

describe(`adapter ${ADAPTER}`, () => {
  test('probes: without a token → their answers, not stored by caches; HEAD → no body', async () => {
    const broker = await BrokerUnderTest.start({ mqtt: true })
    const alive = await probe(broker, '/livez')
    expect([alive.status, alive.text(), alive.headers['cache-control']]).toEqual([
      200,
      '{"status":"ok"}',
      'no-store',
    ])
    const ready = await probe(broker, '/readyz')
    expect([ready.status, ready.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(ready.json()).toEqual({
      status: 'ok',
      checks: ['storage', 'disk', 'mqtt', 'running'].map((name) => ({ name, ok: true })),
    })
    for (const path of ['/livez', ...PROBES]) {
      const head = await probe(broker, path, 'HEAD')
      expect([head.status, head.text()]).toEqual([200, ''])
      expect(
        (await request(broker.port, 'GET', path, { headers: { authorization: 'Bearer x' } })).status,
      ).toBe(200)
    }
  })

  test('storage: fails → 503, works → 200; no log line for a probe', async () => {
    const opened: Storage[] = []
    const open = async (...args: Parameters<typeof openStorage>) => {
      const storage = openStorage(...args)
      opened.push(storage)
      return storage
    }
    const broker = await BrokerUnderTest.start({ replaced: { open } })
    const stats = opened[0]?.stats as SqliteStats
    const lines = broker.server.log.length
    expect(await failing(broker)).toEqual([])
    stats.failedAtMs = Date.now()
    expect(await failing(broker)).toEqual(['storage'])
    expect((await probe(broker, '/livez')).status).toBe(200)
    stats.failedAtMs = null
    expect(await failing(broker)).toEqual([])
    expect(broker.server.log.slice(lines)).toEqual([])
  })

  test('disk: below 50 MiB → 503, above → 200', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    whenDone(() => vi.useRealTimers())
    let free = 49 * MIB
    vi.spyOn(SqliteStats.prototype, 'space').mockImplementation(async () => {
      return { directory: '', database: 1, log: 1, disk: 100 * MIB, free }
    })
    whenDone(() => vi.restoreAllMocks())
    const broker = await BrokerUnderTest.start({ unchecked: true })
    expect(await failing(broker)).toEqual(['disk'])
    free = 51 * MIB
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await failing(broker)).toEqual([])
  })

  test('a stop under way → no probe is answered with 200', async () => {
    const broker = await BrokerUnderTest.start()
    const running = await Client.connect(broker.port)
    const headers = { authorization: `Bearer ${broker.token}` }
    const whole = requestOf('PUT', '/producer/request/pump', { body: { command: 'start' }, headers })
    await running.send(whole.subarray(0, -1))
    expect(await failing(broker)).toEqual([])
    const stopped = broker.server.kill()
    // The listener is closed. A connection that was open gets 503.
    expect(
      await probe(broker, '/readyz').then(
        ({ status }) => status,
        () => 'refused',
      ),
    ).not.toBe(200)
    await running.send(whole.subarray(-1))
    expect((await running.answer()).status).toBe(200)
    await stopped
  })
})
