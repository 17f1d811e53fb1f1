/** Peers: which other nodes live, by the numbers of their beats and the clock of the observer. */
import { beforeEach, expect, test } from 'vitest'
import { Peers, type SeenNode } from '../../src/store/postgres/nodes/peers.ts'

let nowMs: number
let peers: Peers
beforeEach(() => {
  nowMs = 1_000_000
  peers = new Peers({ leaseMs: 10_000, deadMs: 60_000, nowMs: () => nowMs })
})

const seen = (id: number, beats: number, isStopped = false) => ({ id, beats, isStopped })
/** Processes a read of the table that takes no time. */
const look = (others: readonly SeenNode[]) => peers.observe(others, nowMs)
const ids = () => peers.dead().map(({ id }) => id)

test('peers: a node is seen for the first time → its lease may hold for a whole one', () => {
  look([seen(1, 5)])
  expect([peers.living, peers.isOver(1)]).toEqual([1, false])
  nowMs += 9_999
  look([seen(1, 5)])
  expect(peers.isOver(1)).toBe(false)
  nowMs += 1
  look([seen(1, 5)])
  expect([peers.living, peers.isOver(1), ids()]).toEqual([0, true, []])
})

test('peers: a node beats → it lives; no beat for a minute → dead', () => {
  for (let beats = 0; beats < 100; beats++) {
    look([seen(1, beats)])
    expect([peers.isOver(1), ids()]).toEqual([false, []])
    nowMs += 2_500
  }
  nowMs += 60_000
  look([seen(1, 99)])
  expect(ids()).toEqual([1])
})

test('peers: this process was paused for an hour → the next look shows beats, so it lives', () => {
  look([seen(1, 5)])
  nowMs += 3_600_000
  look([seen(1, 900)])
  expect([peers.isOver(1), ids()]).toEqual([false, []])
})

test('peers: this process was paused before it processed a read → the time of the pause does not count', () => {
  look([seen(1, 5)])
  const askedMs = nowMs
  nowMs += 3_600_000
  peers.observe([seen(1, 5)], askedMs)
  expect([peers.isOver(1), peers.living, [...peers.silent], ids()]).toEqual([false, 1, [], []])
})

test('peers: a node stopped, or was removed → over; the stopped one is dead at once', () => {
  look([seen(1, 5, true), seen(2, 5)])
  expect([peers.isOver(1), peers.isOver(2), ids()]).toEqual([true, false, [1]])
  look([])
  expect([peers.isOver(2), peers.living, ids()]).toEqual([true, 0, []])
})
