/** Holders of access: each ends with the grant that it holds, once, and nothing that outlives a check compiles without one. */
import { beforeEach, describe, expect, test } from 'vitest'
import { AccessControl } from '../../src/auth/access.ts'
import { ClientList } from '../../src/auth/client-list.ts'
import type { ClientRecord } from '../../src/auth/clients.ts'
import { EndTimes, type TimedEntry } from '../../src/auth/end-times.ts'
import type { Grant } from '../../src/auth/grant.ts'
import { HeldAccess, type Holder } from '../../src/auth/held-access.ts'
import { KeyList } from '../../src/auth/key-list.ts'
import type { PollWaits } from '../../src/broker/engine/poll-waits.ts'
import type { StatusWaits } from '../../src/broker/engine/status-waits.ts'
import type { WaitLimit } from '../../src/broker/engine/waits.ts'
import { Duties } from '../../src/process/duties.ts'
import type {
  ConnectionHandle,
  ConnectionRegistry,
  RegisteredConnection,
} from '../../src/transport/connections.ts'
import { HeldClock } from '../_support/clock.ts'
import { seeded } from '../_support/random.ts'
import { TemporaryStore } from '../_support/store.ts'

let clock: HeldClock
let clients: ClientList
let keys: KeyList
let access: AccessControl
let held: HeldAccess
let lamp: ClientRecord
/** The timer of the held access, and its delay. */
let timer: { delayMs: number; run: () => void } | null
const logged: object[] = []
/** Ends of the holders, with their causes. */
let ended: string[]

beforeEach(async () => {
  const store = new TemporaryStore()
  clock = new HeldClock()
  const now = (): number => clock.wallMs()
  clients = await ClientList.open(store.clients, now)
  keys = await KeyList.open({ store: store.keys, clients, now, duties: new Duties() })
  access = new AccessControl({ clients, keys, now })
  timer = null
  logged.length = 0
  const after = (delayMs: number, run: () => void) => {
    const set = { delayMs, run }
    timer = set
    return () => {
      if (timer === set) timer = null
    }
  }
  held = new HeldAccess({ access, log: { error: (fields) => void logged.push(fields) }, now, after })
  ended = []
  lamp = await clients.create({ deviceId: 'lamp', password: 'sesame' })
})

const holder = (name: string, more: Partial<Holder> = {}): Holder => ({
  ...{ kind: 'wait', end: (cause) => void ended.push(`${name}: ${cause}`) },
  ...more,
})
const fire = (): void => {
  const set = timer
  timer = null
  set?.run()
}

describe('a change of the client', () => {
  test('password → ends what passwords and tokens hold, not what a key holds', async () => {
    const { record } = await keys.create(lamp.id, { description: '', expiresAtMs: null })
    held.hold(access.grant(lamp), holder('password'))
    held.hold(access.grant(lamp, { endsAtMs: 2_000_000 }), holder('token'))
    const byKey = held.hold(access.grant(lamp, { keyId: record.id }), holder('key'))
    await clients.change(lamp.id, { password: 'another' })
    expect(ended).toEqual(['password: password-changed', 'token: password-changed'])
    expect(byKey.holds()).toBe(true)
    await keys.remove(lamp.id, record.id)
    expect(ended.slice(2)).toEqual(['key: key-removed'])
    expect(byKey.holds()).toBe(false)
  })

  test('deleted, and another client gets its id → the grant stays ended', async () => {
    const grant = access.grant(lamp)
    const before = held.hold(grant, holder('before'))
    await clients.remove(lamp.id)
    await clients.create({ deviceId: 'lamp', password: 'sesame' })
    expect([ended, before.holds(), access.isCurrent(grant)]).toEqual([
      ['before: client-removed'],
      false,
      false,
    ])
  })

  test('description → ends nothing', async () => {
    held.hold(access.grant(lamp), holder('wait'))
    await clients.change(lamp.id, { description: 'hall' })
    expect(ended).toEqual([])
  })

  test('devices → ends what may no longer be, tells the others', async () => {
    let may = true
    held.hold(access.grant(lamp), holder('poll', { may: () => may }))
    held.hold(access.grant(lamp), holder('connection', { rightsChanged: () => void ended.push('told') }))
    may = false
    await clients.change(lamp.id, { devices: ['radio'] })
    expect(ended).toEqual(['poll: rights-changed', 'told'])
  })

  test('what it would end → by kind; a new password leaves what keys hold, a removed key what others hold', async () => {
    const { record } = await keys.create(lamp.id, { description: '', expiresAtMs: null })
    for (const kind of ['wait', 'wait', 'connection'] as const)
      held.hold(access.grant(lamp), holder(kind, { kind }))
    held.hold(access.grant(lamp, { keyId: record.id }), holder('stream', { kind: 'stream' }))
    expect(held.ending(lamp.id, 'client-removed')).toEqual({ waits: 2, connections: 1, streams: 1 })
    expect(held.ending(lamp.id, 'password-changed')).toEqual({ waits: 2, connections: 1 })
    expect(held.ending(lamp.id, 'key-removed', record.id)).toEqual({ streams: 1 })
    expect(held.ending(lamp.id, 'rights-changed')).toEqual({})
  })

  test('one holder throws → the others end, and the error is logged', async () => {
    const broken = (): void => {
      throw new Error('broken')
    }
    held.hold(access.grant(lamp), holder('broken', { end: broken }))
    held.hold(access.grant(lamp), holder('whole'))
    await clients.remove(lamp.id)
    expect([ended, logged.length]).toEqual([['whole: client-removed'], 1])
  })

  test('before its credential is held → ends at once', async () => {
    const grant = access.grant(lamp)
    await clients.change(lamp.id, { role: 'READER' })
    expect([held.hold(grant, holder('late')).holds(), ended]).toEqual([false, ['late: client-changed']])
  })

  test('after the release → ends nothing', async () => {
    held.hold(access.grant(lamp), holder('released')).release()
    await clients.remove(lamp.id)
    expect([ended, held.ending(lamp.id, 'client-removed')]).toEqual([[], {}])
  })

  test('access checks are off → no grant ends', async () => {
    const open = new AccessControl({ clients, keys, unrestricted: true })
    const free = new HeldAccess({ access: open, log: { error() {} } })
    const holders = [open.grant(lamp), open.anyone('lamp')].map((grant) => free.hold(grant, holder('free')))
    await clients.remove(lamp.id)
    expect([ended, holders.map((each) => each.holds())]).toEqual([[], [true, true]])
  })
})

describe('the end of a credential', () => {
  const token = (endsAtMs: number): Grant => access.grant(lamp, { endsAtMs })

  test('one timer, set to the earliest → each ends at its time', () => {
    const nowMs = clock.wallMs()
    held.hold(token(nowMs + 3_000), holder('later'))
    const first = held.hold(token(nowMs + 1_000), holder('first'))
    expect(timer?.delayMs).toBe(1_000)
    clock.advance(999)
    expect(first.holds()).toBe(true)
    clock.advance(1)
    expect(first.holds()).toBe(false)
    fire()
    expect([ended, timer?.delayMs]).toEqual([['first: expired'], 2_000])
  })

  test('the clock is set forward → ended at the next look, within a minute', () => {
    held.hold(token(clock.wallMs() + 86_400_000), holder('token'))
    expect(timer?.delayMs).toBe(60_000)
    clock.setWall(clock.wallMs() + 90_000_000)
    fire()
    expect(ended).toEqual(['token: expired'])
  })

  test('the clock is set back after the end → what ended stays ended', () => {
    const nowMs = clock.wallMs()
    const entry = held.hold(token(nowMs + 1_000), holder('token'))
    clock.advance(1_000)
    fire()
    clock.setWall(nowMs)
    expect([ended, entry.holds()]).toEqual([['token: expired'], false])
  })

  test('1,000 ends in any order, half of them removed → the others come in their order', () => {
    const random = seeded(7)
    const ends = new EndTimes<TimedEntry>()
    const entries = Array.from({ length: 1_000 }, () => ({
      endsAtMs: Math.floor(random() * 500),
      heapIndex: 0,
    }))
    for (const each of entries) ends.add(each)
    const [removed, kept] = [entries.slice(0, 500), entries.slice(500)]
    for (const each of removed) ends.remove(each)
    const order: number[] = []
    for (let first = ends.first; first; first = ends.first) {
      order.push(first.endsAtMs)
      ends.remove(first)
    }
    expect(order).toEqual(kept.map(({ endsAtMs }) => endsAtMs).sort((a, b) => a - b))
  })
})

describe('a key whose client has another role', () => {
  test('renewed → the grant with that role; of a password → none', async () => {
    const { record } = await keys.create(lamp.id, { description: '', expiresAtMs: null })
    const grants = [access.grant(lamp, { keyId: record.id }), access.grant(lamp)] as const
    await clients.change(lamp.id, { role: 'READER' })
    expect(access.renewed(grants[0])).toMatchObject({ id: 'lamp', roles: ['READER'], keyId: record.id })
    expect(access.renewed(grants[1])).toBeNull()
  })
})

/** Never called. Each line must not compile: whatever outlives the check of a request needs the grant of its caller. */
export function unregistered(
  { polls, statuses, limit }: { polls: PollWaits; statuses: StatusWaits; limit: WaitLimit },
  { connections, entry }: { connections: ConnectionRegistry; entry: RegisteredConnection },
  signal: AbortSignal,
): unknown {
  const request = { messageId: 1, waitMs: 1, signal, read: async () => 1, isAwaited: () => true }
  const handle = { protocol: 'X', describe: () => ({}) as never, disconnect() {} }
  return [
    // @ts-expect-error a poll that waits without a grant
    polls.wait('lamp', 1_000, signal),
    // @ts-expect-error a wait for a status without a grant
    statuses.answer(request),
    // @ts-expect-error a place of a new kind of wait without held access
    limit.take(1_000, () => {}),
    // @ts-expect-error a connection of a client that no credential proved
    connections.identify(entry, { id: 'lamp', roles: ['DEVISE'] }),
    // @ts-expect-error a connection that cannot end with its access
    handle satisfies ConnectionHandle,
    // @ts-expect-error a holder of a kind that nobody knows
    held.hold({} as Grant, { kind: 'new', end() {} }),
    // @ts-expect-error a holder that cannot be ended
    held.hold({} as Grant, { kind: 'wait' }),
  ]
}
