/** Lists of messages from the store, compared with a plain filter over all messages, also where an index serves them. */
import { describe, expect, test } from 'vitest'
import type { MessageRecord } from '../../src/broker/message.ts'
import type { MessageFilter } from '../../src/broker/message-log.ts'
import { type AckStatus, STATUSES } from '../../src/broker/status.ts'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'

const DEVICES = ['pump', 'valve', 'lamp', 'unused']
const COMMANDS = ['start', 'stop', 'rare', 'never']

/** Stores 2,400 messages, one each second, and settles most of them. */
async function fill(store: TemporaryStore, clock: HeldClock): Promise<void> {
  const made: Promise<unknown>[] = []
  for (let i = 0; i < 2_400; i++) {
    const command = i % 500 === 7 ? 'rare' : (COMMANDS[i % 2] as string)
    const guarantee = i % 100 === 3 ? 'NO' : 'RECEIPT_CONFIRMATION'
    const parts = {
      deviceId: DEVICES[(i * 7) % 3] as string,
      command,
      guarantee,
    } as const
    clock.setWall(i * 1000)
    made.push(store.messages.enqueue(message(parts), 1e6))
  }
  await Promise.all(made)
  clock.setWall(9e6)
  const changed: Promise<unknown>[] = []
  const acknowledge = (messageId: number, deviceId: string, status: AckStatus): void => {
    changed.push(store.messages.acknowledge({ messageId, deviceId, status, by: null }))
  }
  for (let id = 1; id <= 2_200; id++) {
    const deviceId = DEVICES[((id - 1) * 7) % 3] as string
    if (id % 300 === 4) {
      const sent = Promise.resolve(store.messages.take(deviceId, { ...message(), id, guarantee: 'NO' }))
      changed.push(sent, store.messages.sendFailed(id))
    } else if (id % 250 === 1) changed.push(store.messages.cancel(id, null))
    else if (id % 350 === 2) acknowledge(id, deviceId, 'COMPLETED_WITH_ERROR')
    else acknowledge(id, deviceId, id % 2 ? 'DELIVERED' : 'COMPLETED')
  }
  await Promise.all(changed)
}

const FILTERS: MessageFilter[] = [
  {},
  ...STATUSES.map((status) => ({ status })),
  ...COMMANDS.map((command) => ({ command })),
  ...DEVICES.map((deviceId) => ({ deviceId })),
  ...DEVICES.flatMap((deviceId) => STATUSES.map((status) => ({ deviceId, status }))),
  { deviceId: 'lamp', command: 'rare' },
  { status: 'NOT_DELIVERED', command: 'rare' },
  { fromMs: 700_500 },
  { toMs: 700_500 },
  { fromMs: 500_000, toMs: 1_900_000, deviceId: 'pump', status: 'COMPLETED', command: 'stop' },
  { fromMs: 2_399_000 },
  { fromMs: 2_399_001 },
  { toMs: 0 },
  { before: 1 },
  { before: 1_500, deviceId: 'valve' },
  { before: 9_999_999, status: 'CANCELLED' },
]

function passes(
  each: MessageRecord,
  { deviceId, status, command, fromMs, toMs, before }: MessageFilter,
): boolean {
  return (
    each.deviceId === (deviceId ?? each.deviceId) &&
    each.status === (status ?? each.status) &&
    each.command === (command ?? each.command) &&
    each.createdAtMs >= (fromMs ?? 0) &&
    each.createdAtMs < (toMs ?? Number.POSITIVE_INFINITY) &&
    each.id < (before ?? Number.POSITIVE_INFINITY)
  )
}

async function pages(store: TemporaryStore, filter: MessageFilter, limit: number): Promise<number[]> {
  const found: number[] = []
  let { before } = filter
  for (;;) {
    const { items, next } = await store.messageLog.list({ ...filter, before }, limit)
    expect(items.length).toBeLessThanOrEqual(limit)
    found.push(...items.map(({ id }) => id))
    if (next === null) return found
    before = next
  }
}

async function expectAll(store: TemporaryStore): Promise<void> {
  const all: MessageRecord[] = []
  for (let id = 2_400; id > 0; id--) {
    const record = await store.messageLog.get(id)
    if (record) all.push(record)
  }
  for (const filter of FILTERS) {
    const expected = all.filter((each) => passes(each, filter)).map(({ id }) => id)
    for (const limit of [1e6, 97])
      expect(await pages(store, filter, limit), JSON.stringify(filter)).toEqual(expected)
  }
}

describe('list of messages', () => {
  test('any filter, not indexed yet, indexed, reopened, purged → the same as a plain filter', async () => {
    const clock = new HeldClock()
    const store = new TemporaryStore({ clock })
    await fill(store, clock)
    await expectAll(store)
    await store.indexed(1_500)
    await expectAll(store)
    await store.reopen()
    await expectAll(store)

    expect(await store.messages.purge(9e6 + 1)).toBeGreaterThan(2_000)
    await expectAll(store)
    const left = 'SELECT count(*) AS n FROM device_messages WHERE message_id NOT IN (SELECT id FROM messages)'
    expect(store.rows(left)).toEqual([{ n: 0 }])
  })
})
