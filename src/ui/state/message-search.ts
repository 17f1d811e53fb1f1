/**
 * Reads messages that a search finds. The server searches for a quarter of a second a request, so the search goes on by itself
 * until it has found enough, or for some seconds.
 */
import {
  continueSearch,
  type MessageConditions,
  type SearchedMessages,
  type SearchOptions,
} from './continued-search.ts'
import { call } from './session.ts'

/** Searches until `limit` messages are found, all are searched, or some seconds are over. */
export function searchMessages(
  query: MessageConditions,
  limit: number,
  options: Omit<SearchOptions, 'readPage'> = {},
): Promise<SearchedMessages> {
  return continueSearch(query, limit, { ...options, readPage: readMessagePage })
}

/** Reads one page of a search. */
async function readMessagePage(
  query: MessageConditions,
  signal: AbortSignal | undefined,
): Promise<SearchedMessages> {
  let headers = new Headers()
  const items = await call(async (api) => {
    const result = await api.GET('/admin/api/messages', { params: { query }, ...(signal && { signal }) })
    headers = result.response.headers
    return result
  })
  const before = /[?&]before=(\d+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  const searchedTo = headers.get('waybill-searched-to')
  return {
    items,
    next: before === undefined ? null : { ...query, before: Number(before) },
    searchedTo: searchedTo === null ? null : Number(searchedTo),
  }
}
