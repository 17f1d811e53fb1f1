/** Nodes on PostgreSQL that settle the same messages at once: one of them decides, and all return what it decided. */
import { beforeEach, expect, test } from 'vitest'
import type { MessageStore } from '../../src/broker/contract/store.ts'
import type { AckStatus } from '../../src/broker/vocabulary/status.ts'
import { message } from '../_support/message.ts'
import { openPostgresStore, type PostgresStoreUnderTest } from '../_support/postgres-store.ts'
import { acknowledge, limits, put, terms } from '../contract/store-under-test.ts'

const DEVICES = 20
const VALID = { terms: terms({ validSeconds: 5 }) }

let store: PostgresStoreUnderTest
let first: MessageStore
let second: MessageStore
beforeEach(async () => {
  store = await openPostgresStore()
  first = store.store
  second = (await store.second?.()) as MessageStore
})

/** Stores messages for twenty devices, and returns their ids with their devices. */
async function putMany(count: number) {
  const devices = Array.from({ length: count }, (_, n) => `pump-${n % DEVICES}`)
  const ids = await Promise.all(devices.map((deviceId) => put(first, { ...VALID, deviceId })))
  return ids.map((id, n) => ({ id, deviceId: devices[n] as string }))
}

type Stored = Awaited<ReturnType<typeof putMany>>

function acknowledgeAll(node: MessageStore, all: Stored, status: AckStatus) {
  return Promise.all(all.map(({ id, deviceId }) => acknowledge(node, id, status, deviceId)))
}

test('acknowledge: two nodes report other statuses in opposite orders → one of them changes each message', async () => {
  const all = await putMany(300)

  const [completed, failed] = await Promise.all([
    acknowledgeAll(first, all, 'COMPLETED'),
    acknowledgeAll(second, all.toReversed(), 'COMPLETED_WITH_ERROR'),
  ])

  failed.reverse()
  for (const [n, { id }] of all.entries()) {
    const outcomes = [completed[n], failed[n]]
    const status = await first.status(id)
    expect(outcomes.map((each) => each?.status)).toEqual([status, status])
    expect(outcomes.filter((each) => each?.transition)).toHaveLength(1)
  }
  expect(await store.query('SELECT id FROM messages WHERE late_status IS NULL')).toEqual([])
  expect(await store.query('SELECT id FROM pending')).toEqual([])
  expect(await store.query('SELECT message_id FROM changes WHERE status IN (2, 3)')).toHaveLength(all.length)
})

test('expire: both nodes carry out deadlines while a device reports → each message changes once', async () => {
  const all = await putMany(300)
  store.clock.advance(5_000)

  const [outcomes, one, other] = await Promise.all([
    acknowledgeAll(first, all, 'COMPLETED'),
    first.expire(1_000),
    second.expire(1_000),
  ])

  const expired = [...one.settled, ...other.settled].map(({ messageId }) => messageId)
  expect(new Set(expired).size).toBe(expired.length)
  for (const [n, { id }] of all.entries()) {
    const wasExpired = expired.includes(id)
    expect(outcomes[n]).toMatchObject({ status: wasExpired ? 'CANCELLED' : 'COMPLETED' })
    expect(outcomes[n]?.transition === null).toBe(wasExpired)
  }
  expect((await first.expire(1_000)).settled).toEqual([])
  expect(await store.query('SELECT id FROM pending')).toEqual([])
  expect(await store.query('SELECT message_id FROM deadlines')).toEqual([])
})

test('re-send: another node purges the message at the same time → no link to it stays', async () => {
  const all = await putMany(400)
  await acknowledgeAll(first, all, 'COMPLETED')
  const resends = all.map(({ id, deviceId }) => message({ deviceId, links: { resentFrom: id } }))

  await Promise.all([
    ...resends.map((resend) => first.enqueue(resend, limits(1_000))),
    second.purge(Number.MAX_SAFE_INTEGER),
  ])

  const orphans = 'SELECT l.* FROM resends l LEFT JOIN messages m ON m.id = l.message_id WHERE m.id IS NULL'
  expect(await store.query(orphans)).toEqual([])
})
