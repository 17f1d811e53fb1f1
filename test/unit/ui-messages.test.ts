/** The list of messages of the admin page: how pages are merged, and what the filters in the address stand for. */
import { describe, expect, test } from 'vitest'
import { canFollow, messageConditions, PRESETS } from '../../src/ui/state/message-filters.ts'
import {
  type ListState,
  type Message,
  withNewest,
  withOlder,
  withStatuses,
} from '../../src/ui/state/message-list.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12)

describe('list of messages', () => {
  const found = (ids: readonly number[], before: number | null = null, searchedTo: number | null = null) => ({
    items: ids.map((id) => ({ id, deliveryStatus: 'UNKNOWN', cause: 'EXPIRED' }) as Message),
    next: before === null ? null : { before },
    searchedTo,
  })
  const empty: ListState = { key: '', next: null, searchedTo: null, error: null }
  const idsOf = ({ rows = [] }: ListState): number[] => rows.map(({ id }) => id)
  const first = withNewest(empty, found([9, 8, 7], 7))

  test('new ones → at the top, older rows stay', () => {
    const after = withNewest(first, found([12, 9, 8], 8))
    expect([idsOf(after), after.next]).toEqual([[12, 9, 8, 7], { before: 7 }])
  })

  test('a row that no longer matches → leaves the list', () => {
    expect(idsOf(withNewest(first, found([9, 7], 7)))).toEqual([9, 7])
    expect(idsOf(withNewest(first, found([], 7)))).toEqual([])
  })

  test('the newest do not reach the rows → they replace them', () => {
    const after = withNewest(first, found([30, 29], 29))
    expect([idsOf(after), after.next]).toEqual([[30, 29], { before: 29 }])
  })

  test('older ones → at the end, with how far their search went', () => {
    const after = withOlder(first, found([4], 3, 300))
    expect([idsOf(after), after.next, after.searchedTo]).toEqual([[9, 8, 7, 4], { before: 3 }, 300])
    expect(withOlder(after, found([])).next).toBeNull()
  })

  test('more than 2,000 rows → the oldest leave, and can be read again', () => {
    const ids = (from: number, count: number) => Array.from({ length: count }, (_, i) => from - i)
    const full = withOlder(withNewest(empty, found(ids(2_000, 1), 2_000)), found(ids(1_999, 1_999)))
    const after = withNewest(full, found(ids(2_010, 50), 1_961))
    expect([after.rows?.length, after.rows?.at(-1)?.id, after.next]).toEqual([2_000, 11, { before: 11 }])
  })

  test('a change of status → in its row, without the former cause', () => {
    const after = withStatuses(first, new Map([[8, 'COMPLETED']]))
    expect(after.rows?.map(({ deliveryStatus, cause }) => [deliveryStatus, cause])).toEqual([
      ['UNKNOWN', 'EXPIRED'],
      ['COMPLETED', undefined],
      ['UNKNOWN', 'EXPIRED'],
    ])
    expect(withStatuses(first, new Map([[1, 'COMPLETED']]))).toBe(first)
  })
})

describe('filters in the address', () => {
  test('a search → part of an id or a command, or with three characters part of data', () => {
    expect(messageConditions({ search: 'pump' }, NOW_MS)).toEqual({ search: 'pump' })
    expect(messageConditions({ search: 'zone', in: 'data' }, NOW_MS)).toEqual({ text: 'zone' })
    expect(messageConditions({ search: 'zo', in: 'data' }, NOW_MS)).toEqual({})
  })

  test('the range of failures → that of their last change', () => {
    const fromMs = NOW_MS - 24 * 3_600_000
    expect(messageConditions(PRESETS.failed, NOW_MS)).toEqual({ outcome: 'FAILED', changedFrom: fromMs })
    expect(messageConditions({ range: '24h' }, NOW_MS)).toEqual({ from: fromMs })
  })

  test('an end of the range → nothing to follow', () => {
    expect(canFollow(messageConditions(PRESETS.yesterday, NOW_MS))).toBe(false)
    expect(canFollow(messageConditions(PRESETS.lastHour, NOW_MS))).toBe(true)
  })

  test('other members of an address → no conditions', () => {
    expect(messageConditions({ resent: 'false', sort: 'id', command: '' }, NOW_MS)).toEqual({ resent: false })
  })
})
