/** Filters, sorts and counts the devices of the directory by facts in memory. Knows no SQL. */
import { setImmediate as turn } from 'node:timers/promises'
import type { DeviceDetailRecord, DeviceStore } from '../contract/device-store.ts'
import type { Page } from '../contract/message-log.ts'
import { compareIds, positionOf } from '../vocabulary/id-order.ts'
import { contains, formsOf } from '../vocabulary/text-part.ts'
import type { DeviceDirectory, DeviceLogins } from './device-directory.ts'
import {
  DEVICE_CONDITIONS,
  DEVICE_STATES,
  type DeviceCondition,
  type DeviceSnapshot,
  type DeviceState,
} from './device-snapshot.ts'

export const DEVICE_SORTS = [
  'id',
  'state',
  'waiting',
  'oldest',
  'problem',
  'lastMessage',
  'lastSeen',
  'description',
  'delivery',
] as const
export type DeviceSort = (typeof DEVICE_SORTS)[number]

/** Maximum devices of a list that is not ordered by id. */
export const MAX_SORTED = 1_000
/** Devices processed between two turns of the event loop. 4,000 take about 3 ms. */
const STEP = 4_000

export interface DeviceSelection {
  /** The page begins after this id; empty: at the first device. */
  readonly after: string
  readonly limit: number
  /** Substring of the id or of the description; empty matches every device. */
  readonly search: string
  /** Accepted states; empty accepts all. */
  readonly states: readonly DeviceState[]
  readonly with: readonly DeviceCondition[]
  /** Finds devices that were not seen for this time, or never; undefined finds all. */
  readonly unseenSeconds?: number | undefined
  readonly sort: DeviceSort
  readonly order: 'asc' | 'desc'
}

export interface DeviceCounts {
  readonly all: number
  readonly states: Readonly<Record<DeviceState, number>>
  readonly conditions: Readonly<Record<DeviceCondition, number>>
  /** Devices with pending messages that are AWAY or UNSEEN. */
  readonly awayPending: number
}

export interface DeviceSearchOptions {
  readonly directory: Pick<DeviceDirectory, 'ids'>
  readonly logins: Pick<DeviceLogins, 'descriptionOf'>
  readonly store: Pick<DeviceStore, 'details'>
}

/** Sort keys that only the storage knows. They order the first matches by id. */
type StoredSort = 'lastMessage' | 'delivery'
const isStoredSort = (sort: DeviceSort): sort is StoredSort => sort === 'lastMessage' || sort === 'delivery'

type Key = string | number | null

export class DeviceSearch {
  readonly #options: DeviceSearchOptions

  constructor(options: DeviceSearchOptions) {
    this.#options = options
  }

  /** Returns one page of the matching devices, with the stored facts about each. */
  async list(query: DeviceSelection, facts: DeviceSnapshot): Promise<Page<DeviceDetailRecord, string>> {
    const { sort, limit, order } = query
    if (sort === 'id') {
      const found = await this.#matches(query, facts, limit + 1)
      return this.#page(found.slice(0, limit), found.length > limit)
    }
    const everything = { ...query, after: '', order: 'asc' } as const
    const matches = await this.#matches(everything, facts, isStoredSort(sort) ? MAX_SORTED : null)
    const keyOf = isStoredSort(sort) ? await this.#storedKeys(sort, matches) : this.#keyOf(sort, facts)
    const sorted = await firstBy(matches, keyOf, order)
    const start = query.after === '' ? 0 : sorted.indexOf(query.after) + 1
    const ids = sorted.slice(start, start + limit)
    return this.#page(ids, start + limit < sorted.length)
  }

  /** Counts all devices by state and by condition. */
  async count(facts: DeviceSnapshot): Promise<DeviceCounts> {
    const ids = await this.#options.directory.ids()
    const states = { ONLINE: 0, RECENT: 0, AWAY: 0, UNSEEN: 0 }
    const conditions = { PENDING: 0, BLOCKED: 0, PARKED: 0, FAILED: 0, BUSY: 0, SILENT: 0, SERVICE: 0 }
    let awayPending = 0
    for (const [i, deviceId] of ids.entries()) {
      if (i % STEP === STEP - 1) await turn()
      const state = facts.stateOf(deviceId)
      states[state]++
      for (const condition of DEVICE_CONDITIONS) if (facts.has(deviceId, condition)) conditions[condition]++
      if ((state === 'AWAY' || state === 'UNSEEN') && facts.has(deviceId, 'PENDING')) awayPending++
    }
    return { all: ids.length, states, conditions, awayPending }
  }

  async #page(ids: readonly string[], hasNext: boolean): Promise<Page<DeviceDetailRecord, string>> {
    const items = ids.length === 0 ? [] : await this.#options.store.details(ids)
    return { items: [...items], next: hasNext ? (ids.at(-1) ?? null) : null }
  }

  /** Returns matching ids in the order of the ids, beginning after `after`. @param limit null returns all */
  async #matches(query: DeviceSelection, facts: DeviceSnapshot, limit: number | null): Promise<string[]> {
    const ids = await this.#options.directory.ids()
    const { after, order } = query
    const step = order === 'asc' ? 1 : -1
    const found: string[] = []
    const matches = this.#matcher(query, facts)
    let looked = 0
    for (let i = firstOf(ids, after, order); i >= 0 && i < ids.length; i += step) {
      if (limit !== null && found.length === limit) break
      if (++looked % STEP === 0) await turn()
      const deviceId = ids[i] as string
      if (matches(deviceId)) found.push(deviceId)
    }
    return found
  }

  #matcher(query: DeviceSelection, facts: DeviceSnapshot): (deviceId: string) => boolean {
    const { search, states, unseenSeconds } = query
    const seenBeforeMs = unseenSeconds === undefined ? null : facts.sources.nowMs - unseenSeconds * 1_000
    const forms = formsOf(search)
    return (deviceId) => {
      for (const condition of query.with) if (!facts.has(deviceId, condition)) return false
      if (states.length > 0 && !states.includes(facts.stateOf(deviceId))) return false
      if (seenBeforeMs !== null && (facts.lastSeenMs(deviceId) ?? 0) > seenBeforeMs) return false
      if (search === '' || contains(deviceId, forms)) return true
      return contains(this.#options.logins.descriptionOf(deviceId), forms)
    }
  }

  #keyOf(sort: Exclude<DeviceSort, 'id' | StoredSort>, facts: DeviceSnapshot): (deviceId: string) => Key {
    const { queues } = facts.sources
    switch (sort) {
      case 'state':
        return (deviceId) => DEVICE_STATES.indexOf(facts.stateOf(deviceId))
      case 'waiting':
        return (deviceId) => queues.sizeOf(deviceId)
      case 'oldest':
        return (deviceId) => queues.oldestOf(deviceId)
      case 'problem':
        return (deviceId) => facts.problemRank(deviceId)
      case 'lastSeen':
        return (deviceId) => facts.lastSeenMs(deviceId)
      case 'description':
        return (deviceId) => this.#options.logins.descriptionOf(deviceId) || null
    }
  }

  async #storedKeys(sort: StoredSort, ids: readonly string[]): Promise<(deviceId: string) => Key> {
    const records = await this.#options.store.details(ids)
    const keys = new Map(
      records.map(({ deviceId, last, deliveryMs }) => [
        deviceId,
        sort === 'delivery' ? deliveryMs : (last?.id ?? null),
      ]),
    )
    return (deviceId) => keys.get(deviceId) ?? null
  }
}

/** Returns the position at which a page begins. */
function firstOf(ids: readonly string[], after: string, order: DeviceSelection['order']): number {
  if (after === '') return order === 'asc' ? 0 : ids.length - 1
  const at = positionOf(after, ids)
  if (order === 'desc') return at - 1
  return ids[at] === after ? at + 1 : at
}

/**
 * Returns the first {@link MAX_SORTED} ids in the order of their keys. Ids without a key come last in both orders;
 * equal keys keep the order of the ids. Sorts in steps, because a sort of 100,000 ids would block the event loop.
 */
async function firstBy(
  ids: readonly string[],
  keyOf: (deviceId: string) => Key,
  order: DeviceSelection['order'],
): Promise<string[]> {
  const sign = order === 'asc' ? 1 : -1
  let best: { readonly deviceId: string; readonly key: Key }[] = []
  for (let from = 0; from < ids.length; from += STEP) {
    if (from > 0) await turn()
    const step = ids.slice(from, from + STEP).map((deviceId) => ({ deviceId, key: keyOf(deviceId) }))
    best = [...best, ...step].sort((one, other) => compareKeys(one.key, other.key, sign)).slice(0, MAX_SORTED)
  }
  return best.map(({ deviceId }) => deviceId)
}

function compareKeys(one: Key, other: Key, sign: 1 | -1): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (typeof one === 'string') return sign * compareIds(one, String(other))
  return sign * (one - Number(other))
}
