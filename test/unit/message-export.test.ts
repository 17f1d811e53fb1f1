/** The steps of an export: limits, ends and errors. */
import { expect, test } from 'vitest'
import type { MessageSearch, SearchPage } from '../../src/broker/contract/message-search.ts'
import { MessageExports } from '../../src/broker/views/message-export.ts'
import type { MessageRecord } from '../../src/broker/vocabulary/message.ts'

const record = (id: number) => ({ id }) as MessageRecord

/** Returns exports over these pages, with the searches and their signals. An error is a page that cannot be read. */
function over(pages: readonly ([number[], number | null] | Error)[]) {
  const calls: { search: MessageSearch; signal: AbortSignal }[] = []
  const page = async (search: MessageSearch, _limit: number, signal: AbortSignal): Promise<SearchPage> => {
    const found = pages[calls.push({ search, signal }) - 1] ?? [[], null]
    if (found instanceof Error) throw found
    return { items: found[0].map(record), next: found[1], searchedToMs: null }
  }
  const listed = async (records: readonly MessageRecord[]) =>
    records.map((each) => ({ record: each, attempts: 0, resentAs: null }))
  return { calls, exports: new MessageExports({ searches: { page }, messages: { listed } }) }
}

async function idsOf(parts: AsyncIterable<readonly { record: MessageRecord }[]>): Promise<number[][]> {
  const all: number[][] = []
  for await (const part of parts) all.push(part.map(({ record: { id } }) => id))
  return all
}

test('export: short and empty pages → all messages, each step from the end of the last one', async () => {
  const { calls, exports } = over([
    [[9, 8], 8],
    [[], 5],
    [[4], 3],
    [[], null],
  ])
  expect(await idsOf(await exports.open({ text: 'zone' }))).toEqual([[9, 8], [4]])
  expect(calls.map(({ search }) => search)).toEqual([
    { text: 'zone' },
    ...[8, 5, 3].map((before) => ({ text: 'zone', before })),
  ])
})

test('export: a later step fails → an error, never a short end; then there is room again', async () => {
  const { exports } = over([[[9], 8], new Error('disk'), [[1], null], [[1], null]])
  await expect(idsOf(await exports.open({}))).rejects.toThrow('disk')
  await exports.open({})
  await exports.open({})
  await expect(exports.open({})).rejects.toMatchObject({ code: 'export-running' })
})

test('export: the first step fails → refused before the first part, and there is room', async () => {
  const { exports } = over([new Error('disk'), new Error('disk'), [[1], null]])
  await expect(exports.open({})).rejects.toThrow('disk')
  await expect(exports.open({})).rejects.toThrow('disk')
  expect(await idsOf(await exports.open({}))).toEqual([[1]])
})

test('export: the reader leaves, also before the first part → its search ends, and there is room', async () => {
  const { calls, exports } = over([[[9], 8]])
  await exports.open({})
  const parts = (await exports.open({}))[Symbol.asyncIterator]()
  expect(calls[1]?.signal.aborted).toBe(false)
  await parts.return?.()
  await parts.return?.()
  expect(calls[1]?.signal.aborted).toBe(true)
  await exports.open({})
  await expect(exports.open({})).rejects.toMatchObject({ code: 'export-running' })
})
