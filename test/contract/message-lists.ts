/** Lists of messages, compared with a plain filter over all messages. The test of a driver stores and settles the messages. */
import { expect } from 'vitest'
import type { MessageRecord } from '../../src/broker/message.ts'
import type { MessageFilter, MessageLog } from '../../src/broker/message-log.ts'
import { STATUSES, type Status, WITHDRAWN_CAUSES } from '../../src/broker/status.ts'
import type { MessageStore } from '../../src/broker/store.ts'
import type { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'

export const DEVICES = ['pump', 'valve', 'lamp', 'unused']
const COMMANDS = ['start', 'stop', 'rare', 'never']
const LIMITS = { messages: 1_000_000, bytes: 0 }

/** Number of the messages that {@link enqueueAll} stores. */
export const ENQUEUED = 2_400

/** Stores one message each second. */
export async function enqueueAll(messages: Pick<MessageStore, 'enqueue'>, clock: HeldClock): Promise<void> {
  const made: Promise<unknown>[] = []
  for (let i = 0; i < ENQUEUED; i++) {
    const command = i % 500 === 7 ? 'rare' : (COMMANDS[i % 2] as string)
    const guarantee = i % 100 === 3 ? 'NO' : 'RECEIPT_CONFIRMATION'
    const parts = {
      deviceId: DEVICES[(i * 7) % 3] as string,
      command,
      guarantee,
      senderId: i % 5 === 0 ? 'shop' : null,
    } as const
    clock.setWall(i * 1000)
    made.push(messages.enqueue(message(parts), LIMITS))
  }
  await Promise.all(made)
}

/** The statuses that a message with a cause may have. */
export const STATUSES_BY_CAUSE: Record<(typeof WITHDRAWN_CAUSES)[number], [Status, Status?]> = {
  SUPERSEDED: ['CANCELLED'],
  CANCELLED: ['CANCELLED'],
  EXPIRED: ['CANCELLED', 'UNKNOWN'],
  NOT_ACKNOWLEDGED: ['UNKNOWN'],
  NOT_FINISHED: ['UNKNOWN'],
  CONNECTION_BROKE: ['UNKNOWN'],
}

/** Filters of every kind, for the messages of {@link enqueueAll}. */
const FILTERS: MessageFilter[] = [
  {},
  ...STATUSES.map((status) => ({ status })),
  ...COMMANDS.map((command) => ({ command })),
  ...DEVICES.map((deviceId) => ({ deviceId })),
  ...DEVICES.flatMap((deviceId) => STATUSES.map((status) => ({ deviceId, status }))),
  { deviceId: 'lamp', command: 'rare' },
  { status: 'NOT_DELIVERED', command: 'rare' },
  { senderId: 'shop' },
  { senderId: 'never' },
  { senderId: 'shop', deviceId: 'valve', status: 'COMPLETED' },
  { senderId: 'shop', cause: 'EXPIRED' },
  { fromMs: 700_500 },
  { toMs: 700_500 },
  { fromMs: 500_000, toMs: 1_900_000, deviceId: 'pump', status: 'COMPLETED', command: 'stop' },
  { fromMs: 2_399_000 },
  { fromMs: 2_399_001 },
  { toMs: 0 },
  { before: 1 },
  { before: 1_500, deviceId: 'valve' },
  { before: 9_999_999, status: 'CANCELLED' },
  ...WITHDRAWN_CAUSES.map((cause) => ({ cause })),
  { cause: 'EXPIRED', status: 'UNKNOWN' },
  { cause: 'EXPIRED', status: 'COMPLETED' },
  { cause: 'EXPIRED', before: 1_200, fromMs: 300_000, command: 'stop' },
  { cause: 'NOT_ACKNOWLEDGED', deviceId: 'valve' },
  { cause: 'REPLAYED' },
]

function passes(
  each: MessageRecord,
  { deviceId, status, cause, command, senderId, fromMs, toMs, before }: MessageFilter,
): boolean {
  return (
    each.deviceId === (deviceId ?? each.deviceId) &&
    each.status === (status ?? each.status) &&
    each.cause === (cause ?? each.cause) &&
    each.command === (command ?? each.command) &&
    each.senderId === (senderId ?? each.senderId) &&
    each.createdAtMs >= (fromMs ?? 0) &&
    each.createdAtMs < (toMs ?? Number.POSITIVE_INFINITY) &&
    each.id < (before ?? Number.POSITIVE_INFINITY)
  )
}

async function pages(log: MessageLog, filter: MessageFilter, limit: number): Promise<number[]> {
  const found: number[] = []
  let { before } = filter
  for (;;) {
    const { items, next } = await log.list({ ...filter, before }, limit)
    expect(items.length).toBeLessThanOrEqual(limit)
    found.push(...items.map(({ id }) => id))
    if (next === null) return found
    before = next
  }
}

/** Expects that every filter lists the messages that a plain filter accepts. */
export async function expectLists(log: MessageLog): Promise<void> {
  const all: MessageRecord[] = []
  for (let id = ENQUEUED; id > 0; id--) {
    const record = await log.get(id)
    if (record) all.push(record)
  }
  for (const filter of FILTERS) {
    const expected = all.filter((each) => passes(each, filter)).map(({ id }) => id)
    for (const limit of [1e6, 97])
      expect(await pages(log, filter, limit), JSON.stringify(filter)).toEqual(expected)
  }
}
