/** The batches of a verb over a connection that the test answers: what is batched, repeated, refused, given up, closed. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Connection } from '../../src/store/postgres/database/connection.ts'
import { NotConnected } from '../../src/store/postgres/database/faults.ts'
import { Lane, type LaneOptions, type Ticket } from '../../src/store/postgres/database/lane.ts'
import { whenDone } from '../_support/cleanup.ts'
import { eventually } from '../_support/eventually.ts'

/** One try of a batch, which the test answers. */
interface Try {
  readonly calls: readonly string[]
  readonly ticket: Ticket
  answer(results?: readonly string[]): void
  fail(code: string | null): void
}

class FakeDatabase {
  readonly tries: Try[] = []
  resets = 0
  readonly connection = {
    reset: () => {
      this.resets++
      this.tries.at(-1)?.fail(null)
    },
  } as Connection

  readonly perform = (_: Connection, calls: readonly string[], ticket: Ticket) =>
    new Promise<readonly string[]>((resolve, reject) => {
      this.tries.push({
        calls,
        ticket,
        answer: (results = calls.map((call) => `${call}!`)) => resolve(results),
        fail: (code) => reject(Object.assign(new Error('failed'), code === null ? {} : { code })),
      })
    })

  /** Resolves to the try of this number, from 0. */
  async try(at: number): Promise<Try> {
    await eventually(() => expect(this.tries.length).toBeGreaterThan(at))
    return this.tries[at] as Try
  }
}

let database: FakeDatabase
beforeEach(() => {
  database = new FakeDatabase()
})

const open = (options: Partial<LaneOptions<string, string>> = {}) =>
  new Lane<string, string>({
    ...{ connection: database.connection, perform: database.perform, nodeId: () => 7, patienceMs: 5_000 },
    keysOf: () => ({ alone: [], shared: [] }),
    ...options,
  })

describe('batches', () => {
  test('batch: calls met each other → those of the next moments are gathered, sixteen begin at once', async () => {
    const lane = open()
    const calls = [lane.call('a')]
    const one = await database.try(0)
    calls.push(lane.call('b'))
    one.answer()
    await calls[0]
    for (const name of ['c', 'd']) {
      await nextTurn()
      calls.push(lane.call(name))
    }
    const two = await database.try(1)
    expect(two.calls).toEqual(['b', 'c', 'd'])
    const many = Array.from({ length: 17 }, (_, n) => `e${n}`)
    calls.push(...many.slice(0, 15).map((name) => lane.call(name)))
    two.answer()
    await calls[1]
    calls.push(lane.call('e15'))
    await nextTurn()
    calls.push(lane.call('e16'))
    expect((await database.try(2)).calls).toEqual(many.slice(0, 16))
    database.tries[2]?.answer()
    const last = await database.try(3)
    last.answer()
    expect(await Promise.all(calls)).toHaveLength(21)
  })

  test('batch: calls of one turn → one batch; those that arrive meanwhile → the next one', async () => {
    const lane = open()
    const first = [lane.call('a'), lane.call('b')]
    const one = await database.try(0)
    const second = [lane.call('c'), lane.call('d')]
    one.answer()
    expect(await Promise.all(first)).toEqual(['a!', 'b!'])
    const two = await database.try(1)
    two.answer()
    expect(await Promise.all(second)).toEqual(['c!', 'd!'])
    expect(database.tries.map(({ calls }) => calls)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect([one, two].map(({ ticket }) => ticket)).toEqual([
      { nodeId: 7, no: 1 },
      { nodeId: 7, no: 2 },
    ])
  })

  test('batch: 600 calls at once → at most 250 each, in order', async () => {
    const lane = open()
    const calls = Array.from({ length: 600 }, (_, n) => String(n))
    const all = Promise.all(calls.map((call) => lane.call(call)))
    for (let at = 0; at < 3; at++) (await database.try(at)).answer()

    expect(await all).toEqual(calls.map((call) => `${call}!`))
    expect(database.tries.map((each) => each.calls.length)).toEqual([250, 250, 100])
  })

  test('batch: calls with a key of their own → one after the other, in order; other calls do not wait', async () => {
    const keysOf = (call: string) =>
      call.startsWith('x') ? { alone: [call.slice(1)], shared: [] } : { alone: [], shared: [call] }
    const lane = open({ keysOf })
    const all = Promise.all(['xpump', 'pump', 'valve', 'xpump', 'pump'].map((call) => lane.call(call)))
    for (let at = 0; at < 4; at++) (await database.try(at)).answer()
    await all

    expect(database.tries.map(({ calls }) => calls)).toEqual([
      ['xpump', 'valve'],
      ['pump'],
      ['xpump'],
      ['pump'],
    ])
  })
})

describe('failures', () => {
  const UNKNOWN: readonly [string, string | null][] = [
    ['the connection broke', 'ECONNRESET'],
    ['the connection broke before the call', 'EPIPE'],
    ['no answer in time', null],
    ['the session was terminated', '57P01'],
    ['the server stops', '57P02'],
    ['the server starts', '57P03'],
    ['a deadlock', '40P01'],
    ['the host became a standby', '25006'],
  ]

  test.each(UNKNOWN)('failure: %s → the same batch again with the same ticket', async (_, code) => {
    const lane = open()
    const call = lane.call('a')
    ;(await database.try(0)).fail(code)
    const again = await database.try(1)
    again.answer()

    expect(await call).toBe('a!')
    expect(again.ticket).toEqual(database.tries[0]?.ticket)
  })

  test('failure: no host accepts a connection, because of the password → repeated', async () => {
    const refused = new NotConnected(
      Object.assign(new Error('password authentication failed'), { code: '28P01' }),
    )
    const perform = vi.fn(database.perform).mockRejectedValueOnce(refused)
    const call = open({ perform }).call('a')
    ;(await database.try(0)).answer()

    expect(await call).toBe('a!')
    expect(refused.code).toBe('28P01')
  })

  test('failure: one call of a batch is wrong → each alone with a ticket of its own, only that one fails', async () => {
    const lane = open()
    const all = Promise.allSettled(['a', 'wrong', 'c'].map((call) => lane.call(call)))
    ;(await database.try(0)).fail('22003')
    for (let at = 1; at <= 3; at++) {
      const alone = await database.try(at)
      if (alone.calls[0] === 'wrong') alone.fail('22003')
      else alone.answer()
    }

    expect(await all).toMatchObject([
      { value: 'a!' },
      { status: 'rejected', reason: { code: '22003' } },
      { value: 'c!' },
    ])
    expect(database.tries.map(({ ticket }) => ticket.no)).toEqual([1, 2, 3, 4])
  })

  test('failure: the disk is full → storage-full, and the next call is tried', async () => {
    const lane = open()
    const call = lane.call('a')
    ;(await database.try(0)).fail('53100')
    await expect(call).rejects.toMatchObject({ code: 'storage-full' })
    expect(lane.isAway).toBe(false)
    const next = lane.call('b')
    ;(await database.try(1)).answer()
    expect(await next).toBe('b!')
  })

  test('failure: the node registered again during the tries → the ticket keeps the former number', async () => {
    let nodeId = 7
    const lane = open({ nodeId: () => nodeId })
    const call = lane.call('a')
    const first = await database.try(0)
    nodeId = 8
    first.fail('ECONNRESET')
    ;(await database.try(1)).answer()
    await call
    const next = lane.call('b')
    ;(await database.try(2)).answer()
    await next

    expect(database.tries.map(({ ticket }) => ticket.nodeId)).toEqual([7, 7, 8])
  })

  test('failure: the row of the lane was removed → storage-away', async () => {
    const lane = open()
    const call = lane.call('a')
    ;(await database.try(0)).fail('WB001')

    await expect(call).rejects.toMatchObject({ code: 'storage-away' })
  })

  test('isAway: the latest try had no answer → true until one has', async () => {
    const lane = open()
    const call = lane.call('a')
    expect(lane.isAway).toBe(false)
    ;(await database.try(0)).fail('ECONNREFUSED')
    const again = await database.try(1)
    expect(lane.isAway).toBe(true)
    again.answer()
    await call
    expect(lane.isAway).toBe(false)
  })
})

describe('waiting', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
    whenDone(() => vi.useRealTimers())
  })

  test('waiting: 10,000 calls wait → storage-busy at once', async () => {
    const lane = open()
    const first = lane.call('first')
    const one = await database.try(0)
    const waiting = Array.from({ length: 10_000 }, () => lane.call('a'))

    await expect(lane.call('one too many')).rejects.toMatchObject({ code: 'storage-busy' })
    one.answer()
    await first
    for (let at = 1; at <= 40; at++) (await database.try(at)).answer()
    expect(await Promise.all(waiting)).toHaveLength(10_000)
  })

  test('waiting: 5 s without a result → storage-away; the late result is handled before the lane goes on', async () => {
    const late: unknown[] = []
    const lane = open({
      onLate: (call, result) => late.push([call, result]),
    })
    const call = lane.call('sent')
    await database.try(0)
    const queued = lane.call('queued')
    vi.advanceTimersByTime(5_001)
    const young = lane.call('young')
    lane.giveUp()

    await expect(call).rejects.toMatchObject({ code: 'storage-away' })
    await expect(queued).rejects.toMatchObject({ code: 'storage-away' })
    database.tries[0]?.answer()
    const next = await database.try(1)
    expect(late).toEqual([['sent', 'sent!']])
    next.answer()
    expect(await young).toBe('young!')
    expect(next.calls).toEqual(['young'])
    expect(late).toHaveLength(1)
  })

  test('waiting: a lane without patience → the caller waits', async () => {
    const lane = open({ patienceMs: null })
    const call = lane.call('a')
    const one = await database.try(0)
    vi.advanceTimersByTime(60_000)
    lane.giveUp()
    one.answer()

    expect(await call).toBe('a!')
  })
})

describe('close', () => {
  test('close: calls wait → they are performed, later ones are refused', async () => {
    const lane = open()
    const first = lane.call('a')
    const one = await database.try(0)
    const second = lane.call('b')
    const closed = lane.close()
    await expect(lane.call('c')).rejects.toMatchObject({ code: 'storage-closed' })
    one.answer()
    ;(await database.try(1)).answer()
    await closed

    expect(await Promise.all([first, second])).toEqual(['a!', 'b!'])
  })

  test('close: the database is away → one more try, and all callers get storage-away', async () => {
    const lane = open()
    const all = Promise.allSettled(Array.from({ length: 600 }, (_, n) => lane.call(String(n))))
    const one = await database.try(0)
    const closed = lane.close()
    one.fail('ECONNREFUSED')
    await closed

    expect(database.tries).toHaveLength(1)
    for (const each of await all) expect(each).toMatchObject({ reason: { code: 'storage-away' } })
  })

  test('close: a call gets no answer → its connection is ended, and the caller gets storage-away', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    whenDone(() => vi.useRealTimers())
    const lane = open()
    const call = lane.call('a')
    await database.try(0)
    const closed = lane.close()
    vi.advanceTimersByTime(2_001)

    await expect(call).rejects.toMatchObject({ code: 'storage-away' })
    await closed
    expect(database.resets).toBe(1)
  })
})
