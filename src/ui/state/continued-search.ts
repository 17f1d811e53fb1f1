/** Continues a search over the short pages of the server. Knows no session. */
import type { components, paths } from '../../client/index.ts'

type AnyMessage = components['schemas']['Message']
/** Conditions of a list of messages, by their names in the API. */
export type MessageConditions = NonNullable<paths['/admin/api/messages']['get']['parameters']['query']>

/** Time after which a search stops, and offers to search older messages. */
export const SEARCH_MS = 5_000

export interface SearchedMessages<M = AnyMessage> {
  /** Newest first. */
  readonly items: readonly M[]
  /** Conditions of the older messages; null if all were searched. */
  readonly next: MessageConditions | null
  /**
   * Time down to which messages were searched, in milliseconds since 1970; null if enough were found, or all were
   * searched.
   */
  readonly searchedTo: number | null
}

export interface SearchOptions<M = AnyMessage> {
  /** Aborting it ends the search with the messages found so far. */
  readonly signal?: AbortSignal
  /** Called with the messages found so far, before the search continues. */
  readonly onProgress?: (found: SearchedMessages<M>) => void
  readonly readPage: (
    query: MessageConditions,
    signal: AbortSignal | undefined,
  ) => Promise<SearchedMessages<M>>
  readonly nowMs?: () => number
}

/** Searches until `limit` messages are found, all are searched, or {@link SEARCH_MS} are over. */
export async function continueSearch<M = AnyMessage>(
  query: MessageConditions,
  limit: number,
  { signal, onProgress, readPage, nowMs = () => performance.now() }: SearchOptions<M>,
): Promise<SearchedMessages<M>> {
  const untilMs = nowMs() + SEARCH_MS
  const items: M[] = []
  for (let page: MessageConditions = query; ; ) {
    const part = await readPage({ ...page, limit: limit - items.length, details: true }, signal)
    items.push(...part.items)
    const found = { ...part, items: [...items] }
    const isOver = items.length >= limit || nowMs() >= untilMs || signal?.aborted
    if (part.next === null || isOver) return found
    onProgress?.(found)
    page = part.next
  }
}
