/** The SQLite store: calls that change many messages make commits of 250, and other work goes on between two of them. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, expect, test } from 'vitest'
import type { AuditEntry } from '../../src/audit/audit.ts'
import type { Transitioned } from '../../src/broker/contract/store.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database/directory.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'

const LIMITS = { messages: 1_000_000, bytes: 0 }
const COUNT = 600
const AUDIT: AuditEntry = {
  by: { clientId: 'boss', keyId: null, address: null },
  action: 'message.cancel',
  object: 'pump',
  detail: {},
}

let store: TemporaryStore
let steps: number[]
const onStep = (changes: readonly Transitioned[]): void => void steps.push(changes.length)

beforeEach(async () => {
  store = new TemporaryStore()
  steps = []
  await Promise.all(Array.from({ length: COUNT }, () => store.messages.enqueue(message(), LIMITS)))
})

const cancelAll = (step = onStep) =>
  store.messages.cancelAll(
    'pump',
    { force: false, by: 'boss' },
    { limit: 10_000, audit: AUDIT, onStep: step },
  )

const replayAll = (limit: number) =>
  store.messages.replayAll({}, { by: 'boss', limitsOf: () => LIMITS, limit, audit: AUDIT, onStep })

const counts = () => store.rows<{ count: number }>(`SELECT detail ->> 'count' AS count FROM audit`)
const number = (status: string) =>
  store.rows<{ n: number }>('SELECT count(*) AS n FROM messages WHERE status = ?', status)[0]?.n

/** Parks all messages. */
async function park(): Promise<void> {
  await store.close()
  const db = new Database(join(store.directory, DATABASE_FILE))
  db.exec(`UPDATE messages SET status = 'UNKNOWN', cause = 'NOT_ACKNOWLEDGED'`)
  db.close()
  await store.reopen()
}

test('cancelAll: 600 messages → three commits, one line of the audit trail', async () => {
  const { cancelled } = await cancelAll()

  expect(steps).toEqual([250, 250, 100])
  expect(new Set(cancelled.map(({ messageId }) => messageId))).toHaveLength(COUNT)
  expect(number('CANCELLED')).toBe(COUNT)
  expect(counts()).toEqual([{ count: COUNT }])
})

test('cancelAll: a message is stored for another device meanwhile → it is stored before the end', async () => {
  const order: string[] = []
  let stored: Promise<unknown> | null = null
  await cancelAll(() => {
    order.push('step')
    stored ??= store.messages
      .enqueue(message({ deviceId: 'valve' }), LIMITS)
      .then(() => void order.push('stored'))
  })
  await stored

  expect(order.lastIndexOf('step')).toBeGreaterThan(order.indexOf('stored'))
})

test('cancelAll: the store closes after the first commit → an error; the first commit stays, with its line', async () => {
  let closed: Promise<void> | null = null
  const cancelled = cancelAll((changes) => {
    onStep(changes)
    closed = store.close()
  })
  await expect(cancelled).rejects.toMatchObject({ code: 'storage-closed' })
  await closed

  await store.reopen()
  expect(steps).toEqual([250])
  expect(number('CANCELLED')).toBe(250)
  expect(counts()).toEqual([{ count: 250 }])
  expect(await store.messages.head('pump')).toMatchObject({ message: { id: 251 } })
})

test('replayAll: 600 parked messages, at most 350 → two commits, the rest stays parked', async () => {
  await park()
  const { replayed, left, skipped } = await replayAll(350)

  expect(steps).toEqual([250, 100])
  expect([replayed.length, left, skipped]).toEqual([350, 250, 0])
  expect(number('UNKNOWN')).toBe(250)
  expect(counts()).toEqual([{ count: 350 }])
})
