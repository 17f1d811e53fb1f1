/** Searches messages on separate connections, step by step, so that no other call waits for a search. */
import type { QueryResultRow } from 'pg'
import {
  COUNT_MS,
  LAST_STEP_MS,
  MAX_COUNT,
  type MessageCount,
  type MessageSearch,
  type MessageSearches,
  narrowed,
  PAGE_MS,
  SEARCHES_AT_A_TIME,
  type SearchPage,
  SUGGESTION_SCAN,
  type Suggested,
} from '../../../broker/contract/message-search.ts'
import type { MessageRecord } from '../../../broker/vocabulary/message.ts'
import { formsOf } from '../../../broker/vocabulary/text-part.ts'
import type { Connection } from '../database/connection.ts'
import { storageBusy, storageClosed } from '../database/faults.ts'
import { decodeText, encodeText } from '../database/text.ts'
import { decodeRecord, type PostgresMessageRow, RECORD_COLUMNS } from '../schema/message-row.ts'
import { countStatement, isUnfiltered, type ListStatement, listStatement } from './message-list.ts'
import { idRangeOf, storedAtOrBehind } from './message-range.ts'
import { Reads } from './reads.ts'

const MAX_WAITING = 100
/** Messages of the first step, and the bounds of later steps. */
const STEP = { first: 1_000, least: 100, most: 20_000 }
/** Times of a step in milliseconds: the next step is doubled below `least`, and halved above `most`. */
const STEP_MS = { least: 10, most: LAST_STEP_MS }

/** Row that tells how far a statement read. */
interface Progress extends QueryResultRow {
  readonly floor: number | null
  readonly scanned: number
}

interface Bounds {
  readonly budgetMs: number
  readonly signal: AbortSignal
}

export class PostgresSearches implements MessageSearches {
  readonly #connections: readonly Connection[]
  readonly #idle: Reads[]
  readonly #all: readonly Reads[]
  #waiting: { resolve: (reads: Reads) => void; reject: (error: unknown) => void }[] = []
  #isClosed = false

  /** @param connect creates a connection, which opens itself with its first statement */
  constructor(connect: () => Connection) {
    this.#connections = Array.from({ length: SEARCHES_AT_A_TIME }, connect)
    this.#all = this.#connections.map((connection) => new Reads(connection))
    this.#idle = [...this.#all]
  }

  page(search: MessageSearch, limit: number, signal: AbortSignal): Promise<SearchPage> {
    return this.run(async (reads) => {
      const items: MessageRecord[] = []
      const statement = (below: number, from: number, scan: number): ListStatement => {
        const left = limit - items.length
        return listStatement(
          search,
          { from, below, scan: isUnfiltered(search) ? left : scan, limit: left },
          RECORD_COLUMNS,
        )
      }
      const next = await scan<Progress & PostgresMessageRow>(
        reads,
        search,
        { budgetMs: PAGE_MS, signal },
        statement,
        (rows) => {
          items.push(
            ...rows.flatMap(({ floor, scanned, ...row }) =>
              row.id === null ? [] : decodeRecord(row as PostgresMessageRow),
            ),
          )
          return items.length === limit ? (items.at(-1)?.id ?? null) : null
        },
      )
      return { items, next, searchedToMs: next === null ? null : await storedAtOrBehind(reads, next) }
    })
  }

  count(search: MessageSearch, signal: AbortSignal): Promise<MessageCount> {
    return this.run(async (reads) => {
      let count = 0
      const statement = (below: number, from: number, scan: number): ListStatement =>
        countStatement(search, { from, below, scan, limit: MAX_COUNT + 1 - count })
      const bounds = { budgetMs: COUNT_MS, signal }
      const next = await scan<Progress & { count: number }>(reads, search, bounds, statement, ([row]) => {
        count += row?.count ?? 0
        return count > MAX_COUNT ? (row?.floor ?? null) : null
      })
      const searchedToMs = next === null ? null : await storedAtOrBehind(reads, next)
      return { count: Math.min(count, MAX_COUNT), isExact: next === null, searchedToMs }
    })
  }

  suggest(kind: Suggested, part: string, limit: number): Promise<readonly string[]> {
    const column = kind === 'command' ? 'command' : 'sender_id'
    return this.run(async (reads) => {
      const rows = await reads.run<{ value: string }>(
        `SELECT n.value FROM (SELECT m.id, m.${column} AS value FROM messages m ORDER BY m.id DESC LIMIT ${SUGGESTION_SCAN}) n
         WHERE n.value IS NOT NULL AND EXISTS (SELECT FROM unnest($1::text[]) f WHERE strpos(lower(n.value COLLATE "C"), f) > 0)
         GROUP BY n.value ORDER BY max(n.id) DESC LIMIT $2`,
        [formsOf(part).map((form) => encodeText(form)), limit],
      )
      return rows.map(({ value }) => decodeText(value))
    })
  }

  /** Rejects the callers whose statement waited too long to begin. The owner calls this twice a second. */
  giveUp(patienceMs?: number): void {
    for (const reads of this.#all) reads.giveUp(patienceMs)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(storageClosed())
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }

  /** Performs reads that may take long on a connection of the searches. */
  async run<T>(work: (reads: Reads) => Promise<T>): Promise<T> {
    const reads = await this.#taken()
    try {
      return await work(reads)
    } finally {
      const waiting = this.#waiting.shift()
      if (waiting) waiting.resolve(reads)
      else this.#idle.push(reads)
    }
  }

  #taken(): Promise<Reads> {
    if (this.#isClosed) return Promise.reject(storageClosed())
    const idle = this.#idle.pop()
    if (idle) return Promise.resolve(idle)
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(storageBusy())
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }
}

/**
 * Performs the steps of a search, the newest messages first. Returns the id below which the search continues; null at
 * its end.
 *
 * @param statement returns the statement of a step
 * @param visit processes the rows of a step; returns the id at which the search ends early, else null
 */
async function scan<Row extends Progress>(
  reads: Reads,
  search: MessageSearch,
  { budgetMs, signal }: Bounds,
  statement: (below: number, from: number, scan: number) => ListStatement,
  visit: (rows: readonly Row[]) => number | null,
): Promise<number | null> {
  const untilMs = performance.now() + budgetMs - LAST_STEP_MS
  let { from, below } = narrowed(search, await idRangeOf(reads, search))
  for (let count = STEP.first; ; ) {
    const startMs = performance.now()
    const { text, values } = statement(below, from, count)
    const rows = await reads.run<Row>(text, values)
    const end = visit(rows)
    if (end !== null) return end
    const [first] = rows
    if (!first || first.floor === null || first.scanned < (values[2] as number)) return null
    below = first.floor
    const endMs = performance.now()
    if (endMs > untilMs || signal.aborted) return below
    count = nextStep(count, endMs - startMs)
  }
}

function nextStep(count: number, tookMs: number): number {
  if (tookMs < STEP_MS.least) return Math.min(STEP.most, count * 2)
  return tookMs > STEP_MS.most ? Math.max(STEP.least, count / 2) : count
}
