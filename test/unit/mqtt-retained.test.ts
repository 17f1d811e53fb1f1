/** Retained messages are bounded in number and bytes, and found without holding up the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LimitLog } from '../../src/mqtt/limit-log.ts'
import { RETAINED_LIMITS, RetainedMessages } from '../../src/mqtt/retained.ts'
import { covers, isFilter, patternOf } from '../../src/mqtt/topics.ts'
import { runs } from '../_support/runs.ts'

type Retained = Parameters<RetainedMessages['store']>[0]
const packet = (topic: string, payload: string | Buffer = 'x'): Retained =>
  ({ cmd: 'publish', topic, payload, qos: 0, retain: true }) as Retained

async function found(messages: RetainedMessages, filters: string[], reader: object = {}): Promise<string[]> {
  const topics: string[] = []
  for await (const { topic } of messages.matching(filters, reader)) topics.push(topic)
  return topics
}

test('number: more topics than the limit → not retained; a known topic → replaced', async () => {
  const messages = new RetainedMessages()
  for (let i = 0; i < RETAINED_LIMITS.messages; i++) expect(messages.store(packet(`t/${i}`))).toBe(true)
  expect(messages.store(packet('more'))).toBe(false)
  expect(messages.store(packet('t/0', 'y'))).toBe(true)
  expect(messages.store(packet('t/1', ''))).toBe(true)
  expect(messages.store(packet('more'))).toBe(true)
  expect(await found(messages, ['more', 't/1', 't/0'])).toEqual(['more', 't/0'])
})

test('bytes: more than the limit → not retained; after an empty payload → retained', () => {
  const messages = new RetainedMessages()
  const half = Buffer.alloc(RETAINED_LIMITS.bytes / 2 - 256 - 1)
  expect(messages.store(packet('a', half))).toBe(true)
  expect(messages.store(packet('b', half))).toBe(true)
  expect(messages.store(packet('c'))).toBe(false)
  messages.store(packet('a', ''))
  expect(messages.store(packet('c'))).toBe(true)
})

test('search: many wildcards over many topics → other work gets every turn between, and other readers are served', async () => {
  const messages = new RetainedMessages()
  for (let i = 0; i < 10_000; i++) messages.store(packet(`t/${i}`))
  let isDone = false
  const greedy = {}
  const searches = Promise.all(
    Array.from({ length: 20 }, () => found(messages, ['t/+/x', '+/+/x', '#'], greedy)),
  ).then(() => {
    isDone = true
  })
  expect(await found(messages, ['t/+'])).toHaveLength(10_000)
  expect(isDone).toBe(false)
  let turns = 0
  while (!isDone) {
    await nextTurn()
    turns++
  }
  // Three filters compare 10,000 topics 2,000 at a time, 20 times over.
  expect(turns).toBeGreaterThan(200)
  await searches
})

test('search: a reader with many waiting searches → waits before the next one', async () => {
  const messages = new RetainedMessages()
  messages.store(packet('t/1'))
  const reader = {}
  const searches = Array.from({ length: 100 }, () => found(messages, ['#'], reader))
  const ready = messages.whenReady(reader)
  expect(ready).not.toBe(null)
  expect(messages.whenReady({})).toBe(null)
  await ready
  await Promise.all(searches)
  expect(messages.whenReady(reader)).toBe(null)
})

const level = fc.constantFrom('', 'a', 'b.c', '$SYS', '(x)', 'ü', '\\d')
const topic = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join('/'))
const filter = fc
  .array(fc.oneof(level, fc.constantFrom('+', '#')), { minLength: 1, maxLength: 4 })
  .map((levels) => levels.join('/'))
  .filter(isFilter)

test('pattern of a filter: any filter and topic → matches as the rules of topics say', () => {
  fc.assert(
    fc.property(filter, topic, (one, other) => {
      expect(patternOf(one).test(other)).toBe(covers(one, other))
    }),
    { numRuns: runs(500) },
  )
})

test('log of limits: hits one after the other → one line; after a quiet minute → another one', () => {
  const lines: object[] = []
  const clock = { nowMs: 1_000 }
  const log = { warn: (fields: object, message: string) => void lines.push({ ...fields, message }) }
  const limits = new LimitLog({ log, now: () => clock.nowMs })
  const hit = (afterMs: number): void => {
    clock.nowMs += afterMs
    limits.hit('queue', { clientId: 'c' }, 'A message was dropped.')
  }
  hit(0)
  for (let i = 0; i < 5; i++) hit(59_999)
  expect(lines).toEqual([{ limit: 'queue', clientId: 'c', message: 'A message was dropped.' }])
  hit(60_000)
  expect(lines).toHaveLength(2)
  limits.hit('sessions', {}, 'A session has ended.')
  expect(lines).toHaveLength(3)
})
