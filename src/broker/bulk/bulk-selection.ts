/** Finds the messages of an action on many messages, in small steps with a turn of the event loop between them. */
import { setImmediate } from 'node:timers/promises'
import type { MessageLog } from '../contract/message-log.ts'
import type { MessageSearch } from '../contract/message-search.ts'
import type { Messages } from '../views/messages.ts'
import type { MessageRecord } from '../vocabulary/message.ts'

export const MAX_MESSAGES = 10_000
const STEP = 500

/** Reads messages: the results of a search, and the stored extras of each. */
export type BulkSource = Pick<Messages, 'list'> & Pick<MessageLog, 'getAll'>

/** Messages of an action: given ids, or all messages that match a filter. */
export type Selection =
  | { readonly ids: readonly number[] }
  | {
      readonly filter: MessageSearch
      /** Excludes messages stored later than this message; null excludes none. */
      readonly upToId: number | null
    }

export interface Found {
  /** Ids of the messages, the oldest first, at most {@link MAX_MESSAGES}. */
  readonly ids: readonly number[]
  /** Number of further matching messages. */
  readonly left: number
}

/** Yields the messages that match a filter, newest first, step by step. */
export async function* matchesOf(
  source: Pick<BulkSource, 'list'>,
  filter: MessageSearch,
  upToId: number | null,
  signal: AbortSignal,
): AsyncGenerator<readonly MessageRecord[]> {
  let before = upToId === null ? filter.before : Math.min(upToId + 1, filter.before ?? upToId + 1)
  for (;;) {
    const { items, next } = await source.list({ ...filter, before }, STEP, signal)
    yield items
    if (next === null) return
    before = next
    await setImmediate()
  }
}

/** Returns the messages of a selection. @param onStep called with the number found so far; false ends the search */
export async function find(
  source: Pick<BulkSource, 'list'>,
  selection: Selection,
  onStep: (count: number) => boolean,
  signal: AbortSignal,
): Promise<Found> {
  if ('ids' in selection) {
    return { ids: [...new Set(selection.ids)].sort((a, b) => a - b), left: 0 }
  }
  let ids: number[] = []
  let count = 0
  for await (const items of matchesOf(source, selection.filter, selection.upToId, signal)) {
    ids.push(...items.map(({ id }) => id))
    count += items.length
    // The list is newest first, but a job takes the oldest messages.
    if (ids.length > 2 * MAX_MESSAGES) ids = ids.slice(-MAX_MESSAGES)
    if (!onStep(Math.min(count, MAX_MESSAGES))) break
  }
  const oldest = ids.slice(-MAX_MESSAGES).reverse()
  return { ids: oldest, left: count - oldest.length }
}
