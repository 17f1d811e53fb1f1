/** The SQLite store: the storage contract, and the columns that the contract does not return. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { AckStatus } from '../../src/broker/vocabulary/status.ts'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { openSqlite } from '../_support/opened-stores.ts'
import { TemporaryStore } from '../_support/store.ts'
import { storeContract } from '../contract/store.ts'
import { limits, RULES, take } from '../contract/store-under-test.ts'

storeContract('SQLite', () => openSqlite(RULES.durationsMs))

interface Row {
  readonly status: string
  readonly created_at_ms: number
  readonly changed_at_ms: number
  readonly delivered_at_ms: number | null
}

describe('stored message', () => {
  let store: TemporaryStore
  let clock: HeldClock
  beforeEach(() => {
    clock = new HeldClock(1000)
    store = new TemporaryStore({ clock })
  })

  const put = async (parts: Parameters<typeof message>[0] = {}) =>
    (await store.messages.enqueue(message(parts), limits(100))).id
  const acknowledge = (messageId: number, status: AckStatus, atMs: number) => {
    clock.setWall(atMs)
    return store.messages.acknowledge({ deviceId: 'pump', messageId, status, by: null, report: null })
  }
  const row = (id: number) =>
    store.rows<Row>(
      'SELECT status, created_at_ms, changed_at_ms, delivered_at_ms FROM messages WHERE id = ?',
      id,
    )[0]

  test('all fields are given → the row has them', async () => {
    const id = await put({
      guarantee: 'NO',
      replyTo: { producerId: '0', correlationId: -7 },
      senderId: 'admin',
      data: '{"a":1.0}',
    })

    expect(store.rows('SELECT * FROM messages')).toEqual([
      {
        id,
        device_id: 'pump',
        command: 'start',
        guarantee: 'NO',
        data: '{"a":1.0}',
        status: 'NOT_DELIVERED',
        tmp_id: -7,
        producer_id: '0',
        sender_id: 'admin',
        created_at_ms: 1000,
        changed_at_ms: 1000,
        polled_at_ms: null,
        delivered_at_ms: null,
        delivered_by: null,
        changed_by: null,
        broken_at_ms: null,
        superseded_by: null,
        delivered_error: 0,
        cause: null,
      },
    ])
  })

  test.each([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0])(
    'tmpId is %d → stored exactly',
    async (tmpId) => {
      await put({ replyTo: { producerId: null, correlationId: tmpId } })

      expect(store.rows('SELECT tmp_id, typeof(tmp_id) AS type FROM messages')).toEqual([
        { tmp_id: tmpId, type: 'integer' },
      ])
    },
  )

  test('acknowledged twice → the time of delivery is that of the first acknowledgement', async () => {
    const id = await put()
    await acknowledge(id, 'DELIVERED', 2000)
    expect(row(id)).toEqual({
      status: 'DELIVERED',
      created_at_ms: 1000,
      changed_at_ms: 2000,
      delivered_at_ms: 2000,
    })

    await acknowledge(id, 'COMPLETED', 3000)
    expect(row(id)).toMatchObject({ changed_at_ms: 3000, delivered_at_ms: 2000 })
  })

  test.each(['COMPLETED', 'COMPLETED_WITH_ERROR'] as const)(
    'the device reports only %s → delivered at that time',
    async (status) => {
      const id = await put()
      await acknowledge(id, status, 2000)

      expect(row(id)).toMatchObject({ status, delivered_at_ms: 2000 })
    },
  )

  test('NO: dispatched → delivered, also after the send failed', async () => {
    const id = await put({ guarantee: 'NO' })
    clock.setWall(2000)
    await take(store.messages, id, { guarantee: 'NO' })
    expect(row(id)).toMatchObject({ status: 'DELIVERED', delivered_at_ms: 2000, changed_at_ms: 2000 })

    clock.setWall(3000)
    await store.messages.sendFailed(id)
    expect(row(id)).toMatchObject({ status: 'UNKNOWN', delivered_at_ms: 2000, changed_at_ms: 3000 })

    await acknowledge(id, 'DELIVERED', 4000)
    expect(row(id)).toMatchObject({ status: 'DELIVERED', delivered_at_ms: 2000, changed_at_ms: 4000 })
  })

  test('cancelled → no time of delivery', async () => {
    const id = await put()
    clock.setWall(4000)
    await put({ guarantee: 'ONLY_LAST' })

    expect(row(id)).toMatchObject({ status: 'CANCELLED', delivered_at_ms: null, changed_at_ms: 4000 })
  })

  test('a repeated acknowledgement → no time changes', async () => {
    const id = await put()
    await acknowledge(id, 'COMPLETED', 2000)
    await acknowledge(id, 'COMPLETED', 3000)
    await acknowledge(id, 'DELIVERED', 4000)

    expect(row(id)).toMatchObject({ status: 'COMPLETED', changed_at_ms: 2000, delivered_at_ms: 2000 })
  })
})

describe('clients', () => {
  test('a client is added → returned as it was stored, also after a reopen', async () => {
    const store = new TemporaryStore()
    const client = {
      deviceId: 'pump 🚀',
      passwordHash: '$2b$10$x',
      role: 'DEVISE',
      description: `it's "a pump"`,
      devices: ['valve', 'site-1-*'],
      ownQueueOnly: true,
      changedAtMs: 1234,
    } as const
    expect(await store.clients.all()).toEqual([])

    const added = await store.clients.add(client)
    await store.reopen()

    expect(added).toEqual({ id: expect.any(Number), ...client })
    expect(await store.clients.all()).toEqual([added])
  })

  test('a client is replaced, its device id too → the whole record, also after a reopen', async () => {
    const store = new TemporaryStore()
    const client = {
      deviceId: 'pump',
      passwordHash: 'x',
      role: 'DEVISE',
      description: '',
      devices: [],
      ownQueueOnly: null,
      changedAtMs: 1,
    } as const
    const { id } = await store.clients.add(client)
    const changed = {
      id,
      deviceId: 'valve',
      passwordHash: 'y',
      role: 'MAN',
      description: 'z',
      devices: ['*'],
      ownQueueOnly: false,
      changedAtMs: 2,
    } as const

    await store.clients.replace(changed)
    await store.reopen()

    expect(await store.clients.all()).toEqual([changed])
  })

  test('two clients with one device id → the second is refused', async () => {
    const store = new TemporaryStore()
    const client = {
      deviceId: 'pump',
      passwordHash: 'x',
      role: 'DEVISE',
      description: '',
      devices: [],
      ownQueueOnly: null,
      changedAtMs: 1,
    } as const

    const results = await Promise.allSettled([store.clients.add(client), store.clients.add(client)])

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(await store.clients.all()).toHaveLength(1)
  })
})
