/** A search of the admin page that goes on over the pages of the server. */
import { expect, test } from 'vitest'
import {
  continueSearch,
  type MessageConditions,
  SEARCH_MS,
  type SearchedMessages,
} from '../../src/ui/state/continued-search.ts'

/** Returns a page as the server would send one: `found` messages, then `next` and `searchedTo`. */
function pageOf(found: readonly number[], before: number | null, searchedTo: number | null = null) {
  const items = found.map((id) => ({ id })) as unknown as SearchedMessages['items']
  return { items, next: before === null ? null : { before }, searchedTo }
}

/** Returns a search over these pages, with the queries that it sent. */
function over(pages: readonly SearchedMessages[], tookMs = 300) {
  const queries: MessageConditions[] = []
  let nowMs = 0
  const readPage = async (query: MessageConditions): Promise<SearchedMessages> => {
    queries.push(query)
    nowMs += tookMs
    return pages[queries.length - 1] as SearchedMessages
  }
  return { queries, options: { readPage, nowMs: () => nowMs } }
}

const idsOf = ({ items }: SearchedMessages): number[] => items.map(({ id }) => id)

test('search: short pages → goes on until enough is found, and asks for the rest only', async () => {
  const { queries, options } = over([pageOf([9], 8, 80), pageOf([], 5, 50), pageOf([4, 3], 3)])
  const progress: (number | null)[] = []
  const found = await continueSearch({ text: 'zone' }, 3, {
    ...options,
    onProgress: ({ searchedTo }) => progress.push(searchedTo),
  })
  expect(idsOf(found)).toEqual([9, 4, 3])
  expect(found).toMatchObject({ next: { before: 3 }, searchedTo: null })
  expect(queries).toEqual([
    { text: 'zone', limit: 3, details: true },
    { before: 8, limit: 2, details: true },
    { before: 5, limit: 2, details: true },
  ])
  expect(progress).toEqual([80, 50])
})

test('search: the last page → ends without older messages', async () => {
  const { options } = over([pageOf([9], 8, 80), pageOf([], null)])
  const found = await continueSearch({}, 3, options)
  expect([idsOf(found), found.next, found.searchedTo]).toEqual([[9], null, null])
})

test('search: nothing found in time → stops, and says how far it went', async () => {
  const pages = Array.from({ length: 10 }, (_, i) => pageOf([], 90 - i, 900 - i))
  const { queries, options } = over(pages, SEARCH_MS / 4)
  const found = await continueSearch({}, 3, options)
  expect(queries).toHaveLength(4)
  expect([idsOf(found), found.next, found.searchedTo]).toEqual([[], { before: 87 }, 897])
})

test('search: aborted → ends with what was found', async () => {
  const { queries, options } = over([pageOf([9], 8, 80), pageOf([7], 6, 60)])
  const found = await continueSearch({}, 3, { ...options, signal: AbortSignal.abort() })
  expect(idsOf(found)).toEqual([9])
  expect(queries).toHaveLength(1)
})
