/**
 * Searches messages on one connection, step by step, until the time of the call is over. A step is a range of message
 * ids whose size adapts to the duration of the steps. Blocks its thread, so it runs on a reader thread.
 */
import type { Database, Statement } from 'better-sqlite3'
import {
  COUNT_MS,
  type IdRange,
  LAST_STEP_MS,
  MAX_COUNT,
  type MessageCount,
  type MessageSearch,
  narrowed,
  PAGE_MS,
  type SearchPage,
  SUGGESTION_SCAN,
  type Suggested,
} from '../../../broker/contract/message-search.ts'
import { formsOf } from '../../../broker/vocabulary/text-part.ts'
import { lastIndexedId } from '../messages/message-index.ts'
import { DeviceSegments } from '../schema/device-segments.ts'
import type { SqliteMessageRow } from '../schema/message-columns.ts'
import { MessageTimes } from './message-times.ts'
import { conditionsOf, type SearchValues, type Source, sourcesOf } from './search-sources.ts'

/** Messages of the first step, and the bounds of later steps. */
const STEP = { first: 1_000, least: 100, most: 32_000 }
/** Times of a step in milliseconds: the next step is doubled below `least`, and halved above `most`. */
const STEP_MS = { least: 10, most: LAST_STEP_MS }
const MAX_STATEMENTS = 100

export interface RowPage extends Omit<SearchPage, 'items'> {
  readonly items: readonly SqliteMessageRow[]
}

/** Processes one step. Returns the id at which the search ends early; null to continue. */
type Visit = (source: Source, values: SearchValues & IdRange) => number | null

export class MessageScan {
  readonly #db: Database
  readonly #columns: string
  readonly #times: MessageTimes
  readonly #segments: DeviceSegments
  readonly #statements = new Map<string, Statement>()

  /**
   * @param db connection for reads
   * @param columns columns of a row, as SQL. The thread does not load the table of fields, which needs the schemas of all
   */
  constructor(db: Database, columns: string) {
    this.#db = db
    this.#columns = columns
    this.#times = new MessageTimes(db)
    this.#segments = new DeviceSegments(db)
  }

  /** @param isOver returns whether the caller has left */
  page(search: MessageSearch, limit: number, isOver: () => boolean): RowPage {
    const { sql, values } = conditionsOf(search)
    const rows: SqliteMessageRow[] = []
    const next = this.#scan(search, values, PAGE_MS, isOver, (source, range) => {
      const found = this.#prepare<SqliteMessageRow>(
        `${parts(source, this.#columns, sql)} ${newestFirst(source)} LIMIT @limit`,
      )
      rows.push(...found.all({ ...range, limit: limit - rows.length }))
      return rows.length === limit ? (rows.at(-1) as SqliteMessageRow).id : null
    })
    return { items: rows, next, searchedToMs: this.#searchedTo(next) }
  }

  /** @param isOver returns whether the caller has left */
  count(search: MessageSearch, isOver: () => boolean): MessageCount {
    const { sql, values } = conditionsOf(search)
    let count = 0
    const next = this.#scan(search, values, COUNT_MS, isOver, (source, range) => {
      const found = this.#prepare<{ n: number }>(
        `SELECT count(*) AS n FROM (${parts(source, `${source.id} AS id`, sql)} LIMIT @limit)`,
      )
      count += found.get({ ...range, limit: MAX_COUNT + 1 - count })?.n ?? 0
      return count > MAX_COUNT ? range.from : null
    })
    return { count: Math.min(count, MAX_COUNT), isExact: next === null, searchedToMs: this.#searchedTo(next) }
  }

  /** Returns distinct values of the newest messages that contain a substring, the newest first. */
  suggest(kind: Suggested, part: string, limit: number): readonly string[] {
    const column = kind === 'command' ? 'command' : 'sender_id'
    const forms = formsOf(part)
    const values = Object.fromEntries(forms.map((form, i) => [`form${i}`, form]))
    const matches = forms.map((_, i) => `instr(lower(value), @form${i}) > 0`).join(' OR ')
    const found = this.#prepare<{ value: string }>(
      `SELECT value FROM (SELECT id, ${column} AS value FROM messages ORDER BY id DESC LIMIT ${SUGGESTION_SCAN})
       WHERE value IS NOT NULL AND (${matches}) GROUP BY value ORDER BY max(id) DESC LIMIT @limit`,
    )
    return found.all({ ...values, limit }).map(({ value }) => value)
  }

  /** Visits the steps of a search, newest first. Returns the id below which the search continues; null at its end. */
  #scan(
    search: MessageSearch,
    values: SearchValues,
    budgetMs: number,
    isOver: () => boolean,
    visit: Visit,
  ): number | null {
    const untilMs = performance.now() + budgetMs - LAST_STEP_MS
    let count = STEP.first
    const range = this.#range(search)
    const sources = sourcesOf(search, range, lastIndexedId(this.#db) + 1, (each) => this.#segments.of(each))
    for (const { source, from, below } of sources) {
      for (let rest: number | null = below; rest !== null; ) {
        const startMs = performance.now()
        const floor: number | null = this.#floor(source, { ...values, from, below: rest }, count)
        const end = visit(source, { ...values, from: floor ?? from, below: rest })
        if (end !== null) return end
        rest = floor
        const endMs = performance.now()
        const next = rest ?? from
        if (next > range.from && (endMs > untilMs || isOver())) return next
        // A range with fewer messages takes less time than the step.
        if (rest !== null) count = nextStep(count, endMs - startMs)
      }
    }
    return null
  }

  #range(search: MessageSearch): IdRange {
    const { fromMs, toMs, before } = search
    const end = this.#times.end()
    const from = fromMs === undefined ? 1 : this.#times.firstSince(fromMs, end)
    const upTo = toMs === undefined ? end : this.#times.firstSince(toMs, end)
    return narrowed(search, { from, below: Math.min(before ?? end, upTo) })
  }

  /** Returns the id down to which a range has `count` messages; null if it has fewer. */
  #floor(source: Source, range: SearchValues & IdRange, count: number): number | null {
    const indexOnly = { ...source, tables: source.tables.replace(/ CROSS JOIN .*/, '') }
    const sql = `${parts(indexOnly, `${source.id} AS id`, 'true')} ${newestFirst(source)} LIMIT 1 OFFSET @count - 1`
    return this.#prepare<{ id: number }>(sql).get({ ...range, count })?.id ?? null
  }

  #searchedTo(next: number | null): number | null {
    return next === null ? null : this.#times.atOrBehind(next)
  }

  /** Compiles a statement, or returns a cached one. */
  #prepare<Row>(sql: string): Statement<[SearchValues & { limit?: number }], Row> {
    let statement = this.#statements.get(sql)
    if (!statement) {
      if (this.#statements.size === MAX_STATEMENTS) this.#statements.clear()
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement as Statement<[SearchValues & { limit?: number }], Row>
  }
}

function nextStep(count: number, tookMs: number): number {
  if (tookMs < STEP_MS.least) return Math.min(STEP.most, count * 2)
  return tookMs > STEP_MS.most ? Math.max(STEP.least, count / 2) : count
}

function parts({ tables, wheres, id }: Source, columns: string, condition: string): string {
  return wheres
    .map(
      (where) =>
        `SELECT ${columns} FROM ${tables} WHERE ${where} AND ${id} >= @from AND ${id} < @below AND ${condition}`,
    )
    .join(' UNION ALL ')
}

/** Returns the order of a statement. SQLite merges the parts of a UNION ALL if they are ordered by a result column. */
function newestFirst({ wheres, id }: Source): string {
  return `ORDER BY ${wheres.length === 1 ? id : 'id'} DESC`
}
