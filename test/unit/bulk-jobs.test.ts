/** Actions on many messages: steps, order, limits, stop, and errors of the storage, over a list in memory. */
import { describe, expect, test } from 'vitest'
import type { AuditEntry } from '../../src/audit/audit.ts'
import type { Candidate } from '../../src/broker/bulk/bulk-actions.ts'
import { BulkJobs, type BulkOrder } from '../../src/broker/bulk/bulk-jobs.ts'
import { BulkProgress, PROGRESS_MS } from '../../src/broker/bulk/bulk-progress.ts'
import type { BulkReport } from '../../src/broker/bulk/bulk-report.ts'
import type { MessageSearch } from '../../src/broker/contract/message-search.ts'
import { BrokerError } from '../../src/broker/vocabulary/errors.ts'
import { HeldClock } from '../_support/clock.ts'

const BY = { clientId: 'boss', keyId: null, address: null }
const ALL: BulkOrder = { action: 'RESEND', selection: { filter: {}, upToId: null }, force: false }

/** A list of failed messages with the ids from 1 on, and a broker that notes what it stores. */
class World {
  readonly clock = new HeldClock()
  readonly resent: number[] = []
  readonly lines: { entry: AuditEntry; detail: AuditEntry['detail'] }[] = []
  readonly reports: BulkReport[] = []
  readonly jobs: BulkJobs
  /** Called before each change. */
  onChange: (id: number) => void = () => {}

  constructor(count: number) {
    const ids = Array.from({ length: count }, (_, i) => count - i)
    const candidate = (id: number) =>
      ({ id, deviceId: 'pump', command: 'go', status: 'COMPLETED', extras: { resentAs: null } }) as Candidate
    this.jobs = new BulkJobs({
      source: {
        list: async ({ before = count + 1 }: MessageSearch, limit: number) => {
          const items = ids.slice(count + 1 - before, count + 1 - before + limit).map(candidate)
          const last = items.at(-1)?.id ?? 1
          return { items, next: last > 1 ? last : null, searchedToMs: null }
        },
        getAll: async (wanted) => wanted.filter((id) => id <= count).map(candidate),
      },
      broker: {
        cancel: () => Promise.reject(new Error('not called')),
        replay: () => Promise.reject(new Error('not called')),
        enqueue: async ({ links }) => {
          this.onChange(links?.resentFrom as number)
          this.resent.push(links?.resentFrom as number)
          return { id: count + this.resent.length, status: 'NOT_DELIVERED', replayed: false }
        },
      },
      audit: {
        add: async (entry) => this.lines.push({ entry, detail: entry.detail }),
        complete: async (id, detail) => void Object.assign(this.lines[id - 1] as object, { detail }),
      },
      clock: this.clock,
      log: { debug: () => {}, error: () => {} },
    })
    this.jobs.onChange((report) => this.reports.push(report))
  }

  async run(order = ALL): Promise<BulkReport> {
    const { report } = await this.jobs.start(order, BY)
    return this.end(report.id)
  }

  end(id: number): Promise<BulkReport> {
    const isEnd = (report: BulkReport) => report.id === id && report.state !== 'RUNNING'
    const ended = this.reports.find(isEnd)
    if (ended) return Promise.resolve(ended)
    return new Promise((resolve) => {
      this.jobs.onChange((report) => isEnd(report) && resolve(report))
    })
  }
}

describe('bulk jobs', () => {
  test('job: 250 messages → the oldest first, in steps of 100, each step reported', async () => {
    const world = new World(250)

    const report = await world.run()

    expect(world.resent).toEqual(Array.from({ length: 250 }, (_, i) => i + 1))
    expect(report).toMatchObject({ state: 'DONE', matched: 250, done: 250, changed: 250, left: 0 })
    expect(world.reports.map(({ done }) => done)).toEqual([0, 0, 100, 200, 250, 250])
  })

  test('progress: a step every 100 ms → the start, one state in 250 ms, and the end', async () => {
    const world = new World(1_000)
    const seen: BulkReport[] = []
    new BulkProgress({ bulk: world.jobs, clock: world.clock }).onChange((report) => seen.push(report))
    world.onChange = (message) => void (message % 100 === 1 && world.clock.advance(100))

    await world.run()

    expect(PROGRESS_MS).toBe(250)
    expect(seen.map(({ state, done }) => `${state} ${done}`)).toEqual([
      ...['RUNNING 0', 'RUNNING 300', 'RUNNING 600', 'RUNNING 900', 'DONE 1000'],
    ])
  })

  test('progress: two jobs within 250 ms → the start and the end of each', async () => {
    const world = new World(1)
    const seen: BulkReport[] = []
    const end = new BulkProgress({ bulk: world.jobs, clock: world.clock }).onChange((report) =>
      seen.push(report),
    )

    for (let i = 0; i < 2; i++) await world.run()
    end()
    await world.run()

    expect(seen.map(({ state }) => state)).toEqual(['RUNNING', 'DONE', 'RUNNING', 'DONE'])
  })

  test('job: more than 10,000 messages → the oldest 10,000, the others are left; the plan is not exact', async () => {
    const world = new World(20_700)

    expect(await world.jobs.plan(ALL, new AbortController().signal)).toMatchObject({
      matched: 10_000,
      eligible: 10_000,
      isExact: false,
    })
    const report = await world.run()

    expect(report).toMatchObject({ matched: 10_000, changed: 10_000, left: 10_700 })
    expect(world.resent[0]).toBe(1)
    expect(world.resent.at(-1)).toBe(10_000)
  })

  test('job: stopped by a client → the present step ends, nothing more is changed, the line says so', async () => {
    const world = new World(1_000)
    let id = 0
    world.onChange = (message) => void (message === 150 && world.jobs.stop(id, BY))

    const { report } = await world.jobs.start(ALL, BY)
    id = report.id
    const ended = await world.end(id)

    expect(ended).toMatchObject({ state: 'STOPPED', matched: 1_000, done: 200, changed: 200 })
    expect(world.lines).toMatchObject([
      {
        entry: { action: 'message.bulk' },
        detail: { state: 'STOPPED', changed: 200, matched: 1_000, stoppedBy: 'boss' },
      },
    ])
  })

  test('job: the server shuts down → close resolves after the present step', async () => {
    const world = new World(1_000)
    let closed: Promise<void> = Promise.resolve()
    world.onChange = (message) => {
      if (message === 1) closed = world.jobs.close()
    }

    const ended = await world.run()
    await closed

    expect(ended).toMatchObject({ state: 'STOPPED', done: 100 })
  })

  test('job: another one runs → bulk-running; after its end a new one starts', async () => {
    const world = new World(300)
    const first = await world.jobs.start(ALL, BY)

    await expect(world.jobs.start(ALL, BY)).rejects.toMatchObject({ code: 'bulk-running' })

    await world.end(first.report.id)
    expect(await world.run()).toMatchObject({ state: 'DONE' })
  })

  test('job: the storage takes nothing → stopped after one step, with its failures', async () => {
    const world = new World(1_000)
    world.onChange = () => {
      throw new BrokerError('storage-full', 'The disk is full.')
    }

    const report = await world.run()

    expect(report).toMatchObject({ state: 'STOPPED', done: 100, changed: 0, failed: 100 })
    expect(report.failures[0]).toEqual({
      messageId: 1,
      deviceId: 'pump',
      command: 'go',
      code: 'storage-full',
      params: {},
    })
  })

  test('reports: 25 jobs → the last 20 are kept, newest first; an earlier one is unknown', async () => {
    const world = new World(1)
    const ids: number[] = []
    for (let i = 0; i < 25; i++) ids.push((await world.run()).id)

    expect(world.jobs.all().map(({ id }) => id)).toEqual(ids.slice(-20).reverse())
    expect(() => world.jobs.get(ids[0] as number)).toThrow(expect.objectContaining({ code: 'unknown-bulk' }))
  })
})
