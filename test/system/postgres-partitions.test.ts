/** The partitions of the PostgreSQL store: they are there before they are needed, and old ones are removed as a whole. */
import { beforeEach, expect, test } from 'vitest'
import type { MessageStore } from '../../src/broker/contract/store.ts'
import { openPostgresStore, type PostgresStoreUnderTest } from '../_support/postgres-store.ts'
import { acknowledge, expectEvent, put, recordEvents, terms } from '../contract/store-under-test.ts'

const PARTITION = 10_000_000

let store: PostgresStoreUnderTest
let messages: MessageStore
beforeEach(async () => {
  store = await openPostgresStore()
  messages = store.store
})

/** Makes the next message have an id. Nodes that start then create partitions for it. */
async function continueAt(id: number): Promise<void> {
  await store.query(`SELECT setval('message_ids', ${id}, false)`)
}

async function partitions(): Promise<string[]> {
  const rows = await store.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent IN ('messages'::regclass, 'attempts'::regclass) ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

/** Returns the messages that have a rare status. */
async function rare(): Promise<number[]> {
  const rows = await store.query<{ message_id: number }>('SELECT message_id FROM rare_messages')
  return rows.map(({ message_id }) => message_id)
}

const FIRST = ['attempts_0', 'attempts_old', 'messages_0', 'messages_old']

test.each([
  ['just below half', PARTITION / 2 - 1, FIRST],
  [
    'half',
    PARTITION / 2,
    ['attempts_0', 'attempts_1', 'attempts_old', 'messages_0', 'messages_1', 'messages_old'],
  ],
])(
  'partitions: a node starts when %s of the last is used → the next one exists from half on',
  async (_what, id, expected) => {
    await continueAt(id)
    await store.reopen()

    expect(await partitions()).toEqual(expected)
  },
)

test('partitions: ids were skipped → a node starts, and messages are stored on both sides of a bound', async () => {
  await continueAt(3 * PARTITION - 2)
  messages = await store.reopen()
  await store.second?.()

  const ids = await Promise.all(Array.from({ length: 4 }, () => put(messages)))
  expect(ids).toEqual([-2, -1, 0, 1].map((n) => 3 * PARTITION + n))
  for (const id of ids)
    expect(await acknowledge(messages, id, 'COMPLETED')).toMatchObject({ status: 'COMPLETED' })
  expect(await messages.newestMs()).toBe(store.clock.wallMs())
})

test('purge: all messages of a full partition are old → it is removed, and what is pending or young stays', async () => {
  await continueAt(PARTITION - 10)
  messages = await store.reopen()
  const done = await put(messages, {
    idempotency: { scope: '', key: 'done', fingerprint: 'f' },
  })
  const pending = await put(messages)
  const unfinished = await put(messages, { terms: terms({ finishSeconds: 3_600 }) })
  const young = await put(messages)
  await acknowledge(messages, done, 'COMPLETED_WITH_ERROR')
  await acknowledge(messages, unfinished, 'DELIVERED')
  for (const id of [done, pending]) {
    await store.query(
      `INSERT INTO attempts (message_id, at_ms, number, transport) VALUES (${id}, 1, 1, 'MQTT')`,
    )
    await store.query(
      `INSERT INTO changes_of_message (message_id, at_ms, status, cause) VALUES (${id}, 1, 0, 9)`,
    )
  }
  store.clock.advance(1_000)
  const beforeMs = store.clock.wallMs()
  await acknowledge(messages, young, 'COMPLETED_WITH_ERROR')
  await continueAt(PARTITION + 10)
  const current = await put(messages)
  const events = recordEvents(messages)

  expect(await messages.purge(beforeMs)).toBe(2)

  expect(await partitions()).toEqual(['attempts_1', 'attempts_old', 'messages_1', 'messages_old'])
  for (const id of [done, unfinished]) expect(await messages.status(id)).toBeNull()
  expect(await messages.status(young)).toBe('COMPLETED_WITH_ERROR')
  expect(await rare()).toEqual([young])
  expect(await messages.status(current)).toBe('NOT_DELIVERED')
  await expectEvent(events, { is: 'unfinished', deviceId: 'pump', messageId: unfinished, forMs: null })
  for (const table of ['attempts', 'changes_of_message'])
    expect(await store.query(`SELECT message_id FROM ${table} ORDER BY 1`)).toEqual([{ message_id: pending }])
  expect(await acknowledge(messages, pending, 'COMPLETED')).toMatchObject({
    transition: { status: 'COMPLETED' },
  })
})

test('purge: a second full partition is old → both are removed, in their order', async () => {
  for (const number of [0, 1, 2]) {
    await continueAt((number + 1) * PARTITION - 5)
    messages = await store.reopen()
    await acknowledge(messages, await put(messages), 'COMPLETED')
    await put(messages)
  }
  store.clock.advance(1)

  expect(await messages.purge(store.clock.wallMs())).toBe(3)

  expect((await partitions()).filter((name) => name.startsWith('messages'))).toEqual([
    ...['messages_2', 'messages_3', 'messages_old'],
  ])
  expect(await store.query('SELECT id FROM messages_old ORDER BY id')).toHaveLength(2)
})

test('purge: a full partition took more than a day → its old messages are removed one by one', async () => {
  await continueAt(PARTITION - 5)
  messages = await store.reopen()
  await acknowledge(messages, await put(messages), 'COMPLETED_WITH_ERROR')
  store.clock.advance(86_400_001)
  const later = await put(messages)
  await acknowledge(messages, later, 'COMPLETED_WITH_ERROR')
  await continueAt(PARTITION + 5)
  await put(messages)

  expect(await messages.purge(store.clock.wallMs())).toBe(1)

  expect(await messages.status(later)).toBe('COMPLETED_WITH_ERROR')
  expect(await rare()).toEqual([later])
  expect(await partitions()).toContain('messages_0')
})

test('purge: two nodes at once → each message is removed once', async () => {
  await continueAt(PARTITION - 20)
  messages = await store.reopen()
  const second = (await store.second?.()) as MessageStore
  const ids = await Promise.all(Array.from({ length: 10 }, () => put(messages)))
  await Promise.all(ids.map((id) => acknowledge(messages, id, 'COMPLETED')))
  await continueAt(PARTITION + 5)
  await put(messages)
  store.clock.advance(1)
  const beforeMs = store.clock.wallMs()

  const removed = await Promise.all([messages.purge(beforeMs), second.purge(beforeMs)])

  expect(removed.toSorted((a, b) => a - b)).toEqual([0, 10])
  expect(await partitions()).not.toContain('messages_0')
})
