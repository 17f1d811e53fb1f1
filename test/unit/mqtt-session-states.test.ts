/** The memory of MQTT sessions is bounded: for each session, for each client, and in all. */
import { expect, test } from 'vitest'
import type { HoldAccess } from '../../src/auth/held.ts'
import { SESSION_LIMITS, SessionStates } from '../../src/mqtt/session-states.ts'
import { hold } from '../_support/held.ts'

function sessions() {
  const clock = { nowMs: 0 }
  const ended: string[] = []
  const limited: string[] = []
  const states: SessionStates = new SessionStates({
    now: () => clock.nowMs,
    accessEnded: (id) => states.delete(id),
    limited: (limit, { id }) => void limited.push(`${limit} ${id}`),
    end: (id) => {
      ended.push(id)
      states.delete(id)
    },
  })
  const queue = (id: string, bytes: number): void => {
    const state = states.get(id)
    if (!state) throw new Error(`there is no session ${id}`)
    // The empty topic and 256 bytes for all but the payload.
    const packet = { cmd: 'publish', topic: '', payload: Buffer.alloc(bytes - 256), qos: 1 }
    states.enqueue(state, packet as Parameters<SessionStates['enqueue']>[1])
  }
  return { clock, ended, limited, states, queue }
}

test('queue of a session: more bytes than its limit → dropped, until a message has left', () => {
  const { states, queue, limited } = sessions()
  states.open('a', 'lamp', hold)
  queue('a', SESSION_LIMITS.queueBytes)
  queue('a', 256)
  expect(limited).toEqual(['queue a'])
  const state = states.get('a')
  if (!state) throw new Error('there is no session')
  expect(state.queue).toHaveLength(1)
  states.dequeue(state, 0)
  queue('a', 256)
  expect([state.queue.length, state.bytes]).toEqual([1, 256])
})

test('queues of a client: more bytes than its limit → dropped, other clients are not affected', () => {
  const { states, queue, limited } = sessions()
  const full = SESSION_LIMITS.clientBytes / SESSION_LIMITS.queueBytes
  for (let i = 0; i <= full; i++) {
    states.open(`a${i}`, 'lamp', hold)
    queue(`a${i}`, SESSION_LIMITS.queueBytes)
  }
  states.open('b', 'radio', hold)
  queue('b', SESSION_LIMITS.queueBytes)
  expect(limited).toEqual([`queue a${full}`])
})

test('queues of all clients: more bytes than the limit → dropped, until a session has ended', () => {
  const { states, queue, limited } = sessions()
  const full = SESSION_LIMITS.bytes / SESSION_LIMITS.queueBytes
  for (let i = 0; i <= full; i++) {
    states.open(`s${i}`, `client-${i}`, hold)
    queue(`s${i}`, SESSION_LIMITS.queueBytes)
  }
  expect(limited).toEqual([`queue s${full}`])
  states.delete('s0')
  queue(`s${full}`, SESSION_LIMITS.queueBytes)
  expect(limited).toHaveLength(1)
})

test('sessions of a client: one more is left than the limit → the one that was left first ends', () => {
  const { states, ended, limited } = sessions()
  states.open('other', 'radio', hold)
  states.leave('other')
  for (let i = 0; i < SESSION_LIMITS.perClient; i++) {
    states.open(`a${i}`, 'lamp', hold)
    states.leave(`a${i}`)
  }
  // A session that is used again is no longer the first one.
  states.open('a0', 'lamp', hold)
  states.leave('a0')
  expect(ended).toEqual([])
  states.open('last', 'lamp', hold)
  expect(ended).toEqual([])
  states.leave('last')
  expect([ended, limited]).toEqual([['a1'], ['sessions a1']])
})

test('sessions of a client: their filters take more bytes than its limit → those left first end', () => {
  const { states, ended } = sessions()
  const filter = 'x'.repeat(SESSION_LIMITS.clientBytes / 2)
  for (const id of ['a', 'b']) {
    states.open(id, 'lamp', hold)
    states.addFilter(states.get(id) as NonNullable<ReturnType<SessionStates['get']>>, filter)
    states.leave(id)
  }
  expect(ended).toEqual(['a'])
})

test('session: no connection for the time of expiry → ends; with a connection → stays', () => {
  const { states, clock, ended } = sessions()
  for (const id of ['left', 'used', 'later']) states.open(id, 'lamp', hold)
  states.leave('left')
  states.leave('used')
  states.open('used', 'lamp', hold)
  clock.nowMs += 1
  states.leave('later')
  clock.nowMs += SESSION_LIMITS.expirySec * 1_000 - 2
  states.expire()
  expect(ended).toEqual([])
  clock.nowMs += 1
  states.expire()
  expect(ended).toEqual(['left'])
  expect(states.get('used')?.leftAtMs).toBe(null)
})

test('QoS 2: identifiers that are not released → at most the limit, known ones stay known', () => {
  const { states } = sessions()
  states.open('a', 'lamp', hold)
  const state = states.get('a')
  if (!state) throw new Error('there is no session')
  for (let i = 1; i <= SESSION_LIMITS.unreleased; i++) expect(states.receive(state, i)).not.toBe(null)
  expect(states.receive(state, SESSION_LIMITS.unreleased + 1)).toBe(null)
  expect(states.receive(state, 1)).toBe(states.receive(state, 1))
  states.release(state, 1)
  expect(states.receive(state, SESSION_LIMITS.unreleased + 1)).not.toBe(null)
})

test('the access of the client ends → the session is forgotten; it is that of the connection that came last', () => {
  const { states } = sessions()
  const ends: (() => void)[] = []
  const released: number[] = []
  const by = (number: number): HoldAccess => {
    return (end) => {
      ends.push(end)
      return { holds: () => true, release: () => void released.push(number) }
    }
  }
  states.open('a', 'lamp', by(1))
  states.open('a', 'lamp', by(2))
  expect(released).toEqual([1])
  ends[1]?.()
  expect([states.get('a'), released]).toEqual([undefined, [1, 2]])
})
