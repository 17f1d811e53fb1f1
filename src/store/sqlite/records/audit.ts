/** Stores the audit trail in SQLite. A line is written in the transaction of its change. */
import type { Database, Statement } from 'better-sqlite3'
import {
  type AuditEntry,
  type AuditFilter,
  type AuditLine,
  type AuditStore,
  EVERY_LINE,
} from '../../../audit/audit.ts'
import type { Clock } from '../../../broker/vocabulary/clock.ts'
import { lastId } from '../database/sequences.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'

const STEP_LINES = 250

/** Adds a line in the running transaction. */
export type WriteLine = () => void

/** Counts changed messages in their line, in the running transaction. */
export type CountLine = (changed: number) => void

/** Row, with the detail as JSON. */
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
    this.#insertWithCount = writer.prepare(
      `${INSERT} VALUES (?, ?, ?, ?, ?, ?, ?, json_set(?, '$.count', ?))
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

  /** Takes the next id for a line. Returns the function that adds the line. */
  line(entry: AuditEntry): WriteLine {
    const values = this.#valuesOf(entry)
    return () => void this.#insert.run(...values)
  }

  /**
   * Takes the next id for a line with the number of the messages that several transactions change. The first transaction
   * that changes a message adds the line, and each later transaction adds to the number.
   */
  countedLine(entry: AuditEntry): CountLine {
    const values = this.#valuesOf(entry)
    return (changed) => {
      if (changed > 0) this.#insertWithCount.run(...values, changed)
    }
  }

  async add(entry: AuditEntry): Promise<number> {
    const line = this.line(entry)
    const id = this.#lastId
    await this.#writer.write(line)
    return id
  }

  async complete(id: number, detail: AuditEntry['detail']): Promise<void> {
    await this.#writer.write(() => this.#complete.run(JSON.stringify(detail), id))
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
      const { changes } = await this.#writer.write(() => this.#purge.run(beforeMs))
      removed += changes
      if (changes < STEP_LINES) return removed
    }
  }

  #valuesOf({ by, action, object, detail }: AuditEntry): Values {
    const { clientId, keyId, address } = by
    const atMs = this.#clock.wallMs()
    return [++this.#lastId, atMs, clientId, keyId, address, action, object, JSON.stringify(detail)]
  }
}

type Values = [
  id: number,
  atMs: number,
  clientId: string | null,
  keyId: number | null,
  address: string | null,
  action: string,
  object: string | null,
  detail: string,
]

function toLine({ clientId, keyId, address, detail, ...line }: Row): AuditLine {
  return { ...line, by: { clientId, keyId, address }, detail: JSON.parse(detail) }
}
