/**
 * Reads messages that a search finds. The server searches for a quarter of a second per request, so the search
 * continues by itself until it has found enough, or for some seconds.
 */
import { continueSearch, type MessageConditions, type SearchOptions } from './continued-search.ts'
import { parseKeepingData, splitJson } from './json.ts'
import type { FoundMessages, Message } from './message-list.ts'
import { call } from './session.ts'

/** Searches until `limit` messages are found, all are searched, or some seconds are over. */
export function searchMessages(
  query: MessageConditions,
  limit: number,
  options: Omit<SearchOptions<Message>, 'readPage'> = {},
): Promise<FoundMessages> {
  return continueSearch<Message>(query, limit, { ...options, readPage: readMessagePage })
}

export async function readMessagePage(
  query: MessageConditions,
  signal?: AbortSignal,
): Promise<FoundMessages> {
  let headers = new Headers()
  const text = await call(async (api) => {
    const params = { params: { query }, parseAs: 'text' as const, ...(signal && { signal }) }
    const result = await api.GET('/admin/api/messages', params)
    headers = result.response.headers
    return result
  })
  const items = splitJson(text as unknown as string).map(([, item]) => parseKeepingData(item) as Message)
  const before = /[?&]before=(\d+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  const searchedTo = headers.get('waybill-searched-to')
  return {
    items,
    next: before === undefined ? null : { ...query, before: Number(before) },
    searchedTo: searchedTo === null ? null : Number(searchedTo),
  }
}

/** Counts messages, for at most 50 ms on the server. */
export function countMessages(query: MessageConditions): Promise<{ count: number; isExact: boolean }> {
  return call((api) => api.GET('/admin/api/messages/count', { params: { query } }))
}
