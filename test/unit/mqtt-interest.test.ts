/** The filters of a node's sessions, for which it wants the messages of other nodes. */
import { expect, test } from 'vitest'
import type { Peer } from '../../src/mqtt/aedes-internals.ts'
import { Interest } from '../../src/mqtt/interest.ts'
import { SUBSCRIPTION_LIMITS } from '../../src/mqtt/subscription-quota.ts'

function open() {
  const changes: string[][] = []
  const interest: Interest = new Interest(() => void changes.push([...interest.filters()].sort()))
  return { interest, changes, filters: () => [...interest.filters()].sort() }
}

const peer = (id: string, filters: readonly string[], expirySeconds = 0): Peer =>
  ({
    ...{ id, sessionExpiryInterval: expirySeconds },
    subscriptions: Object.fromEntries(filters.map((filter) => [filter, {}])),
  }) as unknown as Peer

test('two sessions with one filter → it stays until both have ended; topics of the broker and $ are not shared', () => {
  const { interest, changes } = open()
  const one = peer('one', ['t/a', 'consumer/request/lamp', 'producer/#', '$SYS/#', '#'])
  const two = peer('two', ['t/a'])
  interest.open(one)
  interest.open(two)
  interest.leave(one)
  expect(changes.at(-1)).toEqual(['t/a'])
  interest.leave(two)
  expect(changes.at(-1)).toEqual([])
})

test('SUBSCRIBE and UNSUBSCRIBE → the filters of the packet alone are looked at', () => {
  const { interest, filters } = open()
  interest.update(peer('one', ['t/a', 't/b']), ['t/a'])
  expect(filters()).toEqual(['t/a'])
  interest.update(peer('one', ['t/b']), ['t/b', 't/a', 't/refused'])
  expect(filters()).toEqual(['t/b'])
})

test('a session that outlives its connection → its filters stay until it ends', () => {
  const { interest, filters } = open()
  const first = peer('one', ['t/a'], 60)
  interest.open(first)
  interest.leave(first)
  expect(filters()).toEqual(['t/a'])
  interest.cleaned('one')
  expect(filters()).toEqual([])
})

test('a session that ends before its connection → its filters end with the connection', () => {
  const { interest, filters } = open()
  const first = peer('one', ['t/a'], 60)
  interest.open(first)
  interest.cleaned('one')
  interest.leave(first)
  expect(filters()).toEqual([])
})

test('a connection takes the session of another one → the filters of the new one alone, whenever the old one ends', () => {
  const { interest, changes, filters } = open()
  const first = peer('one', ['t/a', 't/b'], 60)
  interest.open(first)
  interest.cleaned('one')
  interest.open(peer('one', ['t/b', 't/c'], 60))
  interest.leave(first)
  expect(filters()).toEqual(['t/b', 't/c'])
  // The filter that both connections have was never missing.
  expect(changes.slice(2).every((each) => each.includes('t/b'))).toBe(true)
})

test('more filters than a connection may have → one filter for all topics', () => {
  const { interest, filters } = open()
  const many = Array.from({ length: SUBSCRIPTION_LIMITS.filters + 1 }, (_, i) => `t/${i}`)
  interest.open(peer('one', many))
  expect(filters()).toEqual(['#'])
  interest.update(peer('one', many.slice(1)), ['t/0'])
  expect(filters()).toHaveLength(SUBSCRIPTION_LIMITS.filters)
})
