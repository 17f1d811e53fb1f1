/** Converts the filters in the address of the list of messages to conditions of the API. */
import type { MessageConditions } from './continued-search.ts'
import type { Query } from './query.ts'
import { rangeOf } from './range.ts'

export const MIN_TEXT = 3

/** Filters with the same name in the address and the API. */
const SAME = ['deviseId', 'command', 'status', 'cause', 'outcome', 'senderDeviseId'] as const

/** Returns the conditions of an address. A time range of failures applies to their last change. */
export function messageConditions(query: Query, nowMs: number): MessageConditions {
  const { fromMs, toMs } = rangeOf(query, nowMs)
  const isFailed = query.outcome === 'FAILED'
  const search = query.search ?? ''
  const isInData = query.in === 'data'
  const texts = SAME.flatMap((name) => (query[name] ? [[name, query[name]]] : []))
  return {
    ...Object.fromEntries(texts),
    ...(query.resent === 'false' && { resent: false }),
    ...(!isInData && search !== '' && { search }),
    ...(isInData && search.length >= MIN_TEXT && { text: search }),
    ...(fromMs !== null && (isFailed ? { changedFrom: fromMs } : { from: fromMs })),
    ...(toMs !== null && (isFailed ? { changedTo: toMs } : { to: toMs })),
    ...timeOf('changedFrom', query),
    ...timeOf('changedTo', query),
  }
}

/** Returns the time of the last change in an address, as in the links of the charts. */
function timeOf(name: 'changedFrom' | 'changedTo', query: Query): MessageConditions {
  const text = query[name] ?? ''
  return /^\d{1,15}$/.test(text) ? { [name]: Number(text) } : {}
}

/** Returns whether new messages can match, so that the list follows live changes. */
export function canFollow({ to, changedTo }: MessageConditions): boolean {
  return to === undefined && changedTo === undefined
}

export const PRESETS = {
  failed: { outcome: 'FAILED', range: '24h' },
  parked: { cause: 'NOT_ACKNOWLEDGED' },
  pending: { status: 'NOT_DELIVERED' },
  lastHour: { range: '1h' },
  yesterday: { range: 'yesterday' },
} as const satisfies Readonly<Record<string, Query>>
