/** Merges pages of messages into a list, newest first. Knows no session and no screen. */
import type { components } from '../../client/index.ts'
import type { MessageConditions } from './continued-search.ts'

/** A message in a list. `data` is JSON as its producer wrote it. */
export type Message = Omit<components['schemas']['Message'], 'data'> & { readonly data: string }

/** Maximum rows of a list that follows live changes. */
const MAX_ROWS = 2_000

export interface ListState {
  /** Filters of the list. */
  readonly key: string
  /** Absent until the first page has arrived. */
  readonly rows?: readonly Message[]
  /** Conditions of the older messages; null when there are none. */
  readonly next: MessageConditions | null
  /** Time down to which a search went that has not found enough; null after a search that has. */
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
 * Merges the newest messages into the list. If they do not reach the rows, they replace them, since the messages in between
 * were not read. A row that they cover and do not contain no longer matches the filters, so it leaves the list.
 */
export function withNewest(before: ListState, found: FoundMessages): ListState {
  const { rows = [] } = before
  const from = coveredFrom(found)
  const isFirst = rows.length === 0 || (rows[0]?.id ?? 0) < from
  if (isFirst)
    return { ...before, rows: found.items, next: found.next, searchedTo: found.searchedTo, error: null }
  const kept = rows.filter(({ id }) => id < from)
  const all = [...found.items, ...kept]
  const last = all[MAX_ROWS - 1]
  if (all.length > MAX_ROWS && last)
    return { ...before, rows: all.slice(0, MAX_ROWS), next: { ...before.next, before: last.id }, error: null }
  const older = kept.length === 0 ? found : before
  return { ...before, rows: all, next: older.next, searchedTo: older.searchedTo, error: null }
}

/** Appends older messages to the list. */
export function withOlder(before: ListState, found: FoundMessages): ListState {
  const { rows = [] } = before
  const oldest = rows.at(-1)?.id ?? Number.POSITIVE_INFINITY
  const added = found.items.filter(({ id }) => id < oldest)
  return { ...before, rows: [...rows, ...added], next: found.next, searchedTo: found.searchedTo, error: null }
}

/** Shows the new status of a message in its row. The cause of the former status is gone. */
export function withStatus(before: ListState, id: number, status: string): ListState {
  if (!before.rows?.some((each) => each.id === id)) return before
  const rows = before.rows.map((each) => {
    if (each.id !== id) return each
    const { cause, ...rest } = each
    return { ...rest, deliveryStatus: status as Message['deliveryStatus'] }
  })
  return { ...before, rows }
}
