/** Reads messages in SQLite. A list is newest first, and reads the index with the fewest rows for the filter. */
import type { Database, Statement } from 'better-sqlite3'
import type {
  MessageExtras,
  MessageFilter,
  MessageLog,
  Neighbours,
  Page,
} from '../../../broker/contract/message-log.ts'
import type { MessageRecord } from '../../../broker/vocabulary/message.ts'
import { type Cause, RARE_STATUSES, type Status, statusOfCause } from '../../../broker/vocabulary/status.ts'
import type { Writer } from '../database/writer.ts'
import type { MessageIndex } from '../messages/message-index.ts'
import type { PollTimestamps } from '../messages/poll-timestamps.ts'
import { DeviceSegments, segmentOfId } from '../schema/device-segments.ts'
import { ALL_FIELDS, recordOfRow, type SqliteMessageRow, selected } from '../schema/message-columns.ts'
import { rareCondition } from '../schema/rare-statuses.ts'
import { SqliteMessageExtras } from './message-extras.ts'
import { MessageTimes } from './message-times.ts'

/** Time after which a call that skips many messages ends its page, because it blocks the event loop. */
const BUDGET_MS = 15
/** Rows read between two checks of the clock: 1 ms in the order of a table, 10 ms through an index. */
const SCAN_STEP = 10_000

const COLUMNS = selected(ALL_FIELDS, 'm.')

const MATCHES = `(@deviceId IS NULL OR m.device_id = @deviceId) AND (@status IS NULL OR m.status = @status)
  AND (@command IS NULL OR m.command = @command) AND (@cause IS NULL OR m.cause = @cause)
  AND (@senderId IS NULL OR m.sender_id = @senderId)`

interface Parameters {
  readonly deviceId: string | null
  readonly status: Status | null
  readonly command: string | null
  readonly cause: Cause | null
  readonly senderId: string | null
  /** Smallest id, inclusive. */
  readonly from: number
  /** Upper bound of the ids, exclusive. */
  readonly below: number
}

/** Conditions on the columns of a message. Null matches every value. */
type Conditions = Pick<Parameters, 'deviceId' | 'status' | 'command' | 'cause' | 'senderId'>

export class SqliteMessageLog implements MessageLog {
  readonly #writer: Writer
  readonly #index: MessageIndex
  readonly #segments: DeviceSegments
  readonly #extras: SqliteMessageExtras
  readonly #all: Source
  readonly #pending: Source
  readonly #rare: Source
  readonly #withdrawn: Source
  readonly #byDevice: Source
  readonly #byId: Statement<[id: number], SqliteMessageRow>
  readonly #times: MessageTimes

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer, index: MessageIndex, polls: PollTimestamps) {
    this.#writer = writer
    this.#index = index
    this.#segments = new DeviceSegments(db)
    this.#extras = new SqliteMessageExtras(db, polls)
    this.#all = new Source(db, 'messages m NOT INDEXED', ['true'], 'm.id')
    this.#pending = new Source(
      db,
      'waiting w CROSS JOIN messages m ON m.id = w.message_id',
      ['true'],
      'w.message_id',
    )
    const rare = (status: string): string => `m.status = ${status} AND ${rareCondition('m.status')}`
    this.#rare = new Source(db, 'messages m INDEXED BY messages_rare', [rare('@status')], 'm.id')
    this.#withdrawn = new Source(
      db,
      'messages m INDEXED BY messages_rare',
      [rare(`'CANCELLED'`), rare(`'UNKNOWN'`)],
      'm.id',
    )
    this.#byDevice = new Source(
      db,
      'device_messages d CROSS JOIN messages m ON m.id = d.message_id',
      [`d.segment = ${segmentOfId('@from')} AND d.device_id = @deviceId`],
      'd.message_id',
    )
    this.#byId = db.prepare(`SELECT ${COLUMNS} FROM messages m WHERE id = ?`)
    this.#times = new MessageTimes(db)
  }

  async list(filter: MessageFilter, limit: number): Promise<Page<MessageRecord, number>> {
    return this.#writer.readSynced(() => this.#list(filter, limit))
  }

  async get(messageId: number): Promise<MessageRecord | null> {
    const row = await this.#writer.readSynced(() => this.#byId.get(messageId))
    return row ? recordOfRow(row) : null
  }

  async extras(messageId: number): Promise<MessageExtras> {
    return this.#writer.readSynced(() => this.#extras.of(messageId))
  }

  async getAll(
    messageIds: readonly number[],
  ): Promise<readonly (MessageRecord & { readonly extras: MessageExtras })[]> {
    return this.#writer.readSynced(() =>
      messageIds.flatMap((id) => {
        const row = this.#byId.get(id)
        return row ? [{ ...recordOfRow(row), extras: this.#extras.of(id) }] : []
      }),
    )
  }

  async attemptCounts(messageIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.#writer.readSynced(() => {
      const found = messageIds.map((id) => [id, this.#extras.attemptCount(id)] as const)
      return new Map(found.filter(([, count]) => count > 0))
    })
  }

  async neighbours(messageId: number): Promise<Neighbours> {
    return this.#writer.readSynced(() => this.#times.neighbours(messageId))
  }

  async resends(messageIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.#writer.readSynced(() => {
      const found = messageIds.map((id) => [id, this.#extras.resentAs(id)] as const)
      return new Map(found.filter((each): each is [number, number] => each[1] !== null))
    })
  }

  #list(filter: MessageFilter, limit: number): Page<MessageRecord, number> {
    const { fromMs, toMs, before } = filter
    const conditions = conditionsOf(filter)
    const end = this.#times.end()
    const from = fromMs === undefined ? 1 : this.#times.firstSince(fromMs, end)
    const upTo = toMs === undefined ? end : this.#times.firstSince(toMs, end)
    const below = Math.min(before ?? end, upTo)
    const until = performance.now() + BUDGET_MS
    const rows: SqliteMessageRow[] = []
    for (const { source, ...range } of this.#sources(conditions, from, below)) {
      for (let floor: number | null = range.below; floor !== null; ) {
        const parameters: Parameters = { ...conditions, ...range, below: floor }
        floor = source.floor(parameters, SCAN_STEP)
        rows.push(...source.rows({ ...parameters, from: floor ?? range.from }, limit - rows.length))
        const isFull = rows.length === limit
        const next = isFull ? (rows.at(-1) as SqliteMessageRow).id : (floor ?? range.from)
        if (next > from && (isFull || performance.now() > until))
          return { items: rows.map(recordOfRow), next }
      }
    }
    return { items: rows.map(recordOfRow), next: null }
  }

  /** Yields the sources with the messages from `from` to below `below`, and the range of each, newest first. */
  *#sources(
    { deviceId, status, cause }: Conditions,
    from: number,
    below: number,
  ): Generator<{ source: Source; from: number; below: number }> {
    if (deviceId !== null || status === 'NOT_DELIVERED') {
      const { end } = this.#index
      if (below > end) yield { source: this.#all, from: Math.max(from, end), below }
      const indexed = { from, below: Math.min(below, end) }
      if (deviceId !== null) {
        for (const range of this.#segments.of(indexed)) yield { source: this.#byDevice, ...range }
      } else if (from < end) yield { source: this.#pending, ...indexed }
    } else if (status !== null && RARE_STATUSES.includes(status)) {
      yield { source: this.#rare, from, below }
    } else yield { source: status === null && cause === 'EXPIRED' ? this.#withdrawn : this.#all, from, below }
  }
}

/** Returns the conditions of a filter. A cause with a single status implies the status, which may have an index. */
function conditionsOf(filter: MessageFilter): Conditions {
  const { deviceId = null, status = null, command = null, cause = null, senderId = null } = filter
  return { deviceId, command, cause, senderId, status: status ?? (cause && statusOfCause(cause)) }
}

/** Reads messages in the order of their ids from one table or index. */
class Source {
  readonly #page: Statement<[Parameters & { limit: number }], SqliteMessageRow>
  readonly #floor: Statement<[Parameters & { count: number }], number>

  /**
   * @param wheres conditions of the parts, each of which is in the order of the ids; no two parts share a message
   * @param id column with the message id, by which the table or index is ordered
   */
  constructor(db: Database, from: string, wheres: readonly string[], id: string) {
    const parts = (columns: string, tables: string, more: string): string =>
      wheres
        .map(
          (where) =>
            `SELECT ${columns} FROM ${tables} WHERE ${where} AND ${id} >= @from AND ${id} < @below ${more}`,
        )
        .join(' UNION ALL ')
    // SQLite merges the parts of a UNION ALL if they are ordered by a result column.
    const order = wheres.length === 1 ? id : 'id'
    this.#page = db.prepare(`${parts(COLUMNS, from, `AND ${MATCHES}`)} ORDER BY ${order} DESC LIMIT @limit`)
    const withoutJoin = from.replace(/ CROSS JOIN .*/, '')
    this.#floor = db
      .prepare<[Parameters & { count: number }], number>(
        `${parts(`${id} AS id`, withoutJoin, '')} ORDER BY ${order} DESC LIMIT 1 OFFSET @count - 1`,
      )
      .pluck()
  }

  /** Returns the id down to which the range has `count` messages; null if it has fewer. */
  floor(parameters: Parameters, count: number): number | null {
    return this.#floor.get({ ...parameters, count }) ?? null
  }

  /** Returns the matching messages of a range, newest first. */
  rows(parameters: Parameters, limit: number): SqliteMessageRow[] {
    return this.#page.all({ ...parameters, limit })
  }
}
