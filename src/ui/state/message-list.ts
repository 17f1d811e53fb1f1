/** Merges pages of messages into a list, newest first. Knows no session and no screen. */
import type { components } from '../../client/index.ts'
import type { MessageConditions } from './continued-search.ts'

/** Message in a list. `data` is JSON as its producer wrote it. */
export type Message = Omit<components['schemas']['Message'], 'data'> & { readonly data: string }

/** Maximum rows of a list that follows live changes. */
const MAX_ROWS = 2_000

export interface ListState {
  readonly key: string
  /** Absent until the first page has arrived. */
  readonly rows?: readonly Message[]
  /** Number of rows when the user last requested older ones; absent before. */
  readonly asked?: number
  /** Conditions of the older messages; null without any. */
  readonly next: MessageConditions | null
  /** Time down to which an incomplete search went; null after a complete search. */
  readonly searchedTo: number | null
  readonly error: Error | null
}

export interface FoundMessages {
  readonly items: readonly Message[]
  readonly next: MessageConditions | null
  readonly searchedTo: number | null
}

/** Returns the smallest id that a page covers. */
export function coveredFrom({ next }: FoundMessages): number {
  return next === null ? 0 : (next.before ?? 0)
}

/**
 * Merges the newest messages into the list. If they do not reach the existing rows, they replace them, because the
 * messages in between were not read. An existing row in their range that they do not contain no longer matches the
 * filters, so it is removed.
 */
export function withNewest(before: ListState, found: FoundMessages): ListState {
  const { rows = [] } = before
  const from = coveredFrom(found)
  const isFirst = rows.length === 0 || (rows[0]?.id ?? 0) < from
  if (isFirst)
    return { ...before, rows: found.items, next: found.next, searchedTo: found.searchedTo, error: null }
  const kept = rows.filter(({ id }) => id < from)
  const known = new Map(rows.map((each) => [each.id, each]))
  const newest = found.items.map((each) => sameOr(known.get(each.id), each))
  const all = [...newest, ...kept]
  const last = all[MAX_ROWS - 1]
  if (all.length > MAX_ROWS && last)
    return { ...before, rows: all.slice(0, MAX_ROWS), next: { ...before.next, before: last.id }, error: null }
  const older = kept.length === 0 ? found : before
  return { ...before, rows: all, next: older.next, searchedTo: older.searchedTo, error: null }
}

/**
 * Returns the previous message if the new one has the same fields: a row with the same object is not rendered again.
 */
function sameOr(before: Message | undefined, after: Message): Message {
  const names = Object.keys(after) as (keyof Message)[]
  const isSame =
    before &&
    names.length === Object.keys(before).length &&
    names.every((name) => before[name] === after[name])
  return isSame ? before : after
}

export function withOlder(before: ListState, found: FoundMessages): ListState {
  const { rows = [] } = before
  const oldest = rows.at(-1)?.id ?? Number.POSITIVE_INFINITY
  const added = found.items.filter(({ id }) => id < oldest)
  const all = [...rows, ...added]
  const { next, searchedTo } = found
  return { ...before, rows: all, asked: all.length, next, searchedTo, error: null }
}

/** Shows the new statuses of messages in their rows, by id. Drops the causes of the previous statuses. */
export function withStatuses(before: ListState, statuses: ReadonlyMap<number, string>): ListState {
  if (!before.rows?.some(({ id }) => statuses.has(id))) return before
  const rows = before.rows.map((each) => {
    const status = statuses.get(each.id)
    if (status === undefined) return each
    const { cause, ...rest } = each
    return { ...rest, deliveryStatus: status as Message['deliveryStatus'] }
  })
  return { ...before, rows }
}
