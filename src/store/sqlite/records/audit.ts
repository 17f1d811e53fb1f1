/** Stores the audit trail in SQLite. The statement of a line belongs in the batch of the change. */
import type { Database, Statement } from 'better-sqlite3'
import {
  type AuditEntry,
  type AuditFilter,
  type AuditLine,
  type AuditStore,
  EVERY_LINE,
} from '../../../audit/audit.ts'
import type { Clock } from '../../../broker/vocabulary/clock.ts'
import type { Cause } from '../../../broker/vocabulary/status.ts'
import { lastId } from '../database/sequences.ts'
import type { Value, WriteOp, WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'

const STEP_LINES = 250

/** Row, with the detail as JSON. */
/** Makes the last statement of a batch, from the ids of the messages in the batch. */
export type CountedLine = (ids: readonly number[]) => WriteOp

interface Row extends Omit<AuditLine, 'by' | 'detail'> {
  readonly clientId: string | null
  readonly keyId: number | null
  readonly address: string | null
  readonly detail: string
}

const SELECT =
  'SELECT id, at_ms AS atMs, client AS clientId, key_id AS keyId, address, action, object, detail FROM audit'
const INSERT = 'INSERT INTO audit (id, at_ms, client, key_id, address, action, object, detail)'

export class SqliteAudit implements AuditStore {
  readonly #writer: Writer
  readonly #clock: Pick<Clock, 'wallMs'>
  readonly #insert: WriteStatement
  readonly #insertIfChanged: WriteStatement
  readonly #insertWithCount: WriteStatement
  readonly #complete: WriteStatement
  readonly #list: Statement<[AuditFilter & { limit: number }], Row>
  readonly #newer: Statement<[id: number], Row>
  readonly #purge: WriteStatement
  readonly #listeners = new Set<(line: AuditLine) => void>()
  #lastId: number
  /** Id of the newest line reported to the listeners. */
  #reportedId: number

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer, clock: Pick<Clock, 'wallMs'>) {
    this.#writer = writer
    this.#clock = clock
    this.#insert = writer.prepare(`${INSERT} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
    this.#insertIfChanged = writer.prepare(`${INSERT} SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE changes() > 0`)
    this.#insertWithCount = writer.prepare(
      `${INSERT} SELECT ?, ?, ?, ?, ?, ?, ?, json_set(?, '$.count', n)
       FROM (SELECT count(*) AS n FROM messages WHERE id IN (SELECT value FROM json_each(?)) AND cause = ?) WHERE n > 0
       ON CONFLICT (id) DO UPDATE
         SET detail = json_set(detail, '$.count', detail ->> '$.count' + (excluded.detail ->> '$.count'))`,
    )
    this.#complete = writer.prepare('UPDATE audit SET detail = ? WHERE id = ?')
    this.#newer = db.prepare(`${SELECT} WHERE id > ? ORDER BY id`)
    this.#list = db.prepare(
      `${SELECT}
       WHERE (@before IS NULL OR id < @before) AND (@clientId IS NULL OR client = @clientId)
         AND (@object IS NULL OR object = @object)
         AND (@action IS NULL OR action = @action) AND (@fromMs IS NULL OR at_ms >= @fromMs)
         AND (@toMs IS NULL OR at_ms < @toMs)
       ORDER BY id DESC LIMIT @limit`,
    )
    this.#purge = writer.prepare(
      `DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at_ms < ? ORDER BY at_ms LIMIT ${STEP_LINES})`,
    )
    this.#lastId = lastId(db, 'audit')
    this.#reportedId = this.#lastId
  }

  insertion(entry: AuditEntry): WriteOp {
    return [this.#insert, ...this.#valuesOf(entry)]
  }

  /** Returns the statement that adds a line if the previous statement of the batch changed a row. */
  insertionIfChanged(entry: AuditEntry): WriteOp {
    return [this.#insertIfChanged, ...this.#valuesOf(entry)]
  }

  /**
   * Begins a line with the number of the messages that several batches change.
   *
   * @param cause cause of the changes
   * @returns a function for the last statement of each batch. The first batch that changes a message adds the line, and
   * each later batch adds to the number
   */
  countedLine(entry: AuditEntry, cause: Cause): CountedLine {
    const values = this.#valuesOf(entry)
    return (ids) => [this.#insertWithCount, ...values, JSON.stringify(ids), cause]
  }

  async add(entry: AuditEntry): Promise<number> {
    const op = this.insertion(entry)
    const id = this.#lastId
    await this.#writer.write([op])
    return id
  }

  async complete(id: number, detail: AuditEntry['detail']): Promise<void> {
    await this.#writer.write([[this.#complete, JSON.stringify(detail), id]])
  }

  async list(filter: AuditFilter, limit: number): Promise<AuditLine[]> {
    return this.#writer.read(() => this.#list.all({ ...filter, limit })).map(toLine)
  }

  onAdded(listener: (line: AuditLine) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reports the lines of a commit. The writer calls this after each commit. It reads only while a line may be new. */
  committed(): void {
    if (this.#reportedId === this.#lastId) return
    for (const line of this.#newer.all(this.#reportedId).map(toLine)) {
      this.#reportedId = line.id
      for (const listener of this.#listeners) listener(line)
    }
  }

  async newestMs(): Promise<number | null> {
    const [newest] = await this.list(EVERY_LINE, 1)
    return newest?.atMs ?? null
  }

  async purge(beforeMs: number): Promise<number> {
    let removed = 0
    for (;;) {
      const [changes = 0] = await this.#writer.write([[this.#purge, beforeMs]])
      removed += changes
      if (changes < STEP_LINES) return removed
    }
  }

  #valuesOf({ by, action, object, detail }: AuditEntry): Value[] {
    const { clientId, keyId, address } = by
    const atMs = this.#clock.wallMs()
    return [++this.#lastId, atMs, clientId, keyId, address, action, object, JSON.stringify(detail)]
  }
}

function toLine({ clientId, keyId, address, detail, ...line }: Row): AuditLine {
  return { ...line, by: { clientId, keyId, address }, detail: JSON.parse(detail) }
}
