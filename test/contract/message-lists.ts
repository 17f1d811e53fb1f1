/** Lists of messages, compared with a plain filter over all messages. The test of a driver stores and settles the messages. */
import { expect } from 'vitest'
import type { MessageFilter, MessageLog, Page } from '../../src/broker/contract/message-log.ts'
import { MAX_COUNT, type MessageSearch } from '../../src/broker/contract/message-search.ts'
import type { MessageStore } from '../../src/broker/contract/store.ts'
import type { MessageRecord } from '../../src/broker/vocabulary/message.ts'
import {
  FAILED_STATUSES,
  STATUSES,
  type Status,
  WITHDRAWN_CAUSES,
} from '../../src/broker/vocabulary/status.ts'
import { contains, formsOf } from '../../src/broker/vocabulary/text-part.ts'
import type { Storage } from '../../src/store/storage.ts'
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
      data: i % 40 === 11 ? '{"Zone":"Насос 2"}' : `{"speed":${i % 9}}`,
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

/** Searches of every kind. {@link FILTERS} are searches too. */
const SEARCHES: MessageSearch[] = [
  { ids: [2_301, 17, 99_999, 1_200] },
  { ids: [17, 18, 19], deviceIds: ['lamp', 'pump'], before: 19 },
  ...FILTERS.map(({ deviceId, ...filter }) => ({
    ...filter,
    ...(deviceId !== undefined && { deviceIds: [deviceId] }),
  })),
  { deviceIds: ['pump', 'lamp'] },
  { deviceIds: ['pump', 'lamp', 'unused'], status: 'COMPLETED', before: 2_000 },
  { search: 'UMP' },
  { search: 'Rar' },
  { search: 'sto', deviceIds: ['valve', 'pump'] },
  { search: '%' },
  { text: 'насос' },
  { text: 'НАСОС' },
  { text: 'zone":"Н' },
  { text: '"SPEED":7', status: 'DELIVERED' },
  { text: 'speed":7', search: 'valve', senderId: 'shop' },
  { outcome: 'FAILED' },
  { outcome: 'FAILED', status: 'UNKNOWN' },
  { outcome: 'FAILED', deviceIds: ['pump', 'lamp'], text: 'speed' },
  { outcome: 'FAILED', changedFromMs: 9_002_000 },
  { outcome: 'FAILED', changedToMs: 9_002_000, before: 1_700 },
  { outcome: 'FAILED', changedFromMs: 9_001_000, changedToMs: 9_005_000, deviceIds: ['lamp', 'valve'] },
  { outcome: 'FAILED', changedFromMs: 9_001_000, changedToMs: 9_005_000, resent: false },
  { outcome: 'FAILED', changedFromMs: 9_005_000, fromMs: 400_000, toMs: 1_500_000 },
  { changedFromMs: 9_003_000, changedToMs: 9_004_000 },
  { changedToMs: 2_300_000 },
  { resent: false },
  { resent: true, outcome: 'FAILED' },
  { resent: false, status: 'CANCELLED' },
]

/** Statement that re-sends every eleventh message. */
export const RESENDS = `INSERT INTO resends (message_id, new_message_id)
  SELECT id, 1000000 + id FROM messages WHERE id % 11 = 4`
/** Statement that spreads the last changes over seven seconds. */
export const CHANGES = `UPDATE messages SET changed_at_ms = 9000000 + id % 7 * 1000 WHERE id % 3 <> 1 AND id < 2200`

function isFound(each: MessageRecord, search: MessageSearch): boolean {
  const {
    ids,
    deviceIds,
    search: part,
    text,
    outcome,
    changedFromMs,
    changedToMs,
    resent,
    ...filter
  } = search
  const has = (found: string, wanted: string | undefined): boolean =>
    wanted === undefined || contains(found, formsOf(wanted))
  return (
    passes(each, filter) &&
    (ids?.includes(each.id) ?? true) &&
    (deviceIds?.includes(each.deviceId) ?? true) &&
    (has(each.deviceId, part) || has(each.command, part)) &&
    has(each.data, text) &&
    (outcome === undefined || FAILED_STATUSES.includes(each.status)) &&
    each.changedAtMs >= (changedFromMs ?? 0) &&
    each.changedAtMs < (changedToMs ?? Number.POSITIVE_INFINITY) &&
    (resent === undefined || resent === (each.id % 11 === 4))
  )
}

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

async function pages(
  list: (before: number | undefined, limit: number) => Promise<Page<MessageRecord, number>>,
  first: number | undefined,
  limit: number,
): Promise<number[]> {
  const found: number[] = []
  let before = first
  for (;;) {
    const { items, next } = await list(before, limit)
    expect(items.length).toBeLessThanOrEqual(limit)
    found.push(...items.map(({ id }) => id))
    if (next === null) return found
    before = next
  }
}

/** Expects that every filter lists the messages that a plain filter accepts. @param apart distance of the ids */
export async function expectLists(log: MessageLog, apart = 1): Promise<void> {
  const all = await allRecords(log, apart)
  for (const filter of FILTERS) {
    const expected = all.filter((each) => passes(each, filter)).map(({ id }) => id)
    const list = (before: number | undefined, limit: number) => log.list({ ...filter, before }, limit)
    for (const limit of [1e6, 97])
      expect(await pages(list, filter.before, limit), JSON.stringify(filter)).toEqual(expected)
  }
}

/** Expects that every search finds and counts the messages that a plain search accepts. @param apart distance of the ids */
export async function expectSearches(
  { messageLog, searches }: Pick<Storage, 'messageLog' | 'searches'>,
  apart = 1,
): Promise<void> {
  const all = await allRecords(messageLog, apart)
  const { signal } = new AbortController()
  for (const search of SEARCHES) {
    const expected = all.filter((each) => isFound(each, search)).map(({ id }) => id)
    const page = (before: number | undefined, limit: number) =>
      searches.page({ ...search, before }, limit, signal)
    for (const limit of [1e6, 97])
      expect(await pages(page, search.before, limit), JSON.stringify(search)).toEqual(expected)
    const counted = await searches.count(search, signal)
    expect(counted.count, JSON.stringify(search)).toBeLessThanOrEqual(Math.min(expected.length, MAX_COUNT))
    if (counted.isExact) expect(counted, JSON.stringify(search)).toEqual(exactly(expected.length))
  }
}

function exactly(count: number) {
  return { count, isExact: true, searchedToMs: null }
}

async function allRecords(log: MessageLog, apart: number): Promise<MessageRecord[]> {
  const all: MessageRecord[] = []
  for (let id = ENQUEUED; id > 0; id--) {
    const record = await log.get(id * apart)
    if (record) all.push(record)
  }
  return all
}
