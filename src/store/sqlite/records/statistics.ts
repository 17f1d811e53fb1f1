/** Stores counts per minute and per hour in SQLite. A trigger of the schema counts failures and cancellations. */
import { setImmediate } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import type { IdRange } from '../../../broker/contract/message-search.ts'
import {
  type CountedMinute,
  type FailureCounts,
  HOUR_MS,
  type MessageLife,
  MINUTE_MS,
  type RowStep,
  rowStepOf,
  type StatisticsRow,
  type StatisticsStore,
  type StepMs,
} from '../../../broker/contract/statistics-store.ts'
import { DELIVERY_BUCKETS } from '../../../broker/vocabulary/delivery-buckets.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import type { MessageIndex } from '../messages/message-index.ts'
import { DeviceSegments, segmentOfId } from '../schema/device-segments.ts'

/** Messages of a device read in one turn of the event loop. */
const STEP_MESSAGES = 500
/** Ids of messages outside the index that one turn skips. */
const STEP_IDS = 10_000

/**
 * `deliveries` are the blobs of all rows of the step, as hexadecimal digits: SQLite sums everything else, and 15
 * separate blobs cost more.
 */
type Row = Omit<StatisticsRow, 'deliveries'> & { readonly deliveries: string | null }
type TimesRow = MessageLife & { readonly id: number }

export class SqliteStatistics implements StatisticsStore {
  readonly #writer: Writer
  readonly #index: MessageIndex
  readonly #add: WriteStatement
  readonly #purge: WriteStatement
  readonly #rows: Statement<[{ step: number; row: number; from: number; to: number }], Row>
  readonly #failures: Statement<[fromMs: number], FailureCounts>
  readonly #oldest: Statement<[stepMs: number], number | null>
  readonly #newest: Statement<[], number | null>
  readonly #newOfDevice: Statement<[from: number, below: number, deviceId: string, limit: number], TimesRow>
  readonly #segments: DeviceSegments
  readonly #ofDevice: Statement<[IdRange & { deviceId: string; limit: number }], TimesRow>

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer, index: MessageIndex) {
    this.#writer = writer
    this.#index = index
    db.function('sum_deliveries', { deterministic: true }, (a: Buffer | null, b: Buffer | null) =>
      a && b ? toBlob(toBuckets(Buffer.concat([a, b]).toString('hex'))) : (a ?? b),
    )
    this.#add = writer.prepare(
      `INSERT INTO statistics AS s (step_ms, at_ms, stored, delivered, completed, unacknowledged, pending, up_ms, delivery)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (step_ms, at_ms) DO UPDATE SET stored = stored + excluded.stored,
         delivered = delivered + excluded.delivered, completed = completed + excluded.completed,
         unacknowledged = unacknowledged + excluded.unacknowledged,
         pending = max(coalesce(s.pending, 0), excluded.pending), up_ms = min(s.step_ms, up_ms + excluded.up_ms),
         delivery = sum_deliveries(s.delivery, excluded.delivery)`,
    )
    this.#purge = writer.prepare('DELETE FROM statistics WHERE step_ms = ? AND at_ms < ?')
    this.#rows = db.prepare(
      `SELECT at_ms - at_ms % @step AS atMs, sum(stored) AS stored, sum(delivered) AS delivered, sum(completed) AS completed,
         sum(failed) AS failed, sum(unknown) AS unknown, sum(cancelled) AS cancelled, sum(unacknowledged) AS unacknowledged,
         max(pending) AS pending, sum(up_ms) AS upMs, group_concat(hex(delivery), '') AS deliveries
       FROM statistics WHERE step_ms = @row AND at_ms >= @from AND at_ms < @to GROUP BY 1 ORDER BY 1`,
    )
    this.#failures = db.prepare(
      `SELECT coalesce(sum(failed), 0) AS failed, coalesce(sum(unknown), 0) AS unknown,
         coalesce(sum(unacknowledged), 0) AS unacknowledged
       FROM statistics WHERE step_ms = ${MINUTE_MS} AND at_ms >= ?`,
    )
    this.#oldest = db
      .prepare<[number], number | null>('SELECT min(at_ms) FROM statistics WHERE step_ms = ?')
      .pluck()
    const times = `m.id, m.status, m.created_at_ms AS createdAtMs, m.changed_at_ms AS changedAtMs,
      m.delivered_at_ms AS deliveredAtMs`
    this.#newest = db.prepare<[], number | null>('SELECT max(id) FROM messages').pluck()
    this.#newOfDevice = db.prepare(
      `SELECT ${times} FROM messages m NOT INDEXED WHERE id >= ? AND id < ? AND device_id = ? ORDER BY id DESC LIMIT ?`,
    )
    this.#ofDevice = db.prepare(
      `SELECT ${times} FROM device_messages d CROSS JOIN messages m ON m.id = d.message_id
       WHERE d.segment = ${segmentOfId('@from')} AND d.device_id = @deviceId AND d.message_id < @below ORDER BY d.message_id DESC LIMIT @limit`,
    )
    this.#segments = new DeviceSegments(db)
  }

  async add(minutes: readonly CountedMinute[]): Promise<void> {
    await this.#writer.write(() => {
      for (const minute of minutes) {
        this.#addTo(MINUTE_MS, minute)
        this.#addTo(HOUR_MS, minute)
      }
    })
  }

  #addTo(stepMs: RowStep, minute: CountedMinute): void {
    const { atMs, stored, delivered, completed, unacknowledged, pending, upFromMs, upToMs } = minute
    const counts = [stored, delivered, completed, unacknowledged, pending, upToMs - upFromMs]
    this.#add.run(stepMs, atMs - (atMs % stepMs), ...counts, toBlob(minute.deliveries))
  }

  async rows(stepMs: StepMs, fromMs: number, toMs: number): Promise<readonly StatisticsRow[]> {
    const parameters = { step: stepMs, row: rowStepOf(stepMs), from: fromMs, to: toMs }
    const rows = await this.#writer.readSynced(() => this.#rows.all(parameters))
    return rows.map((row) => ({ ...row, deliveries: row.deliveries ? toBuckets(row.deliveries) : null }))
  }

  failures(fromMs: number): Promise<FailureCounts> {
    return this.#writer.readSynced(() => this.#failures.get(fromMs) as FailureCounts)
  }

  oldestMs(stepMs: RowStep): Promise<number | null> {
    return this.#writer.readSynced(() => this.#oldest.get(stepMs) ?? null)
  }

  purge(stepMs: RowStep, beforeMs: number): Promise<number> {
    return this.#writer.write(() => this.#purge.run(stepMs, beforeMs).changes)
  }

  async ofDevice(deviceId: string, limit: number): Promise<readonly MessageLife[]> {
    const found: MessageLife[] = []
    const { end } = this.#index
    const newest = await this.#writer.readSynced(() => this.#newest.get() ?? 0)
    for (let below = newest + 1; below > end && found.length < limit; below -= STEP_IDS) {
      const from = Math.max(end, below - STEP_IDS)
      found.push(
        ...this.#writer.read(() => this.#newOfDevice.all(from, below, deviceId, limit - found.length)),
      )
      await setImmediate()
    }
    for (const range of this.#writer.read(() => [...this.#segments.of({ from: 1, below: end })])) {
      if (found.length === limit) break
      for (let { below } = range; found.length < limit; ) {
        const step = Math.min(STEP_MESSAGES, limit - found.length)
        const rows = this.#writer.read(() => this.#ofDevice.all({ ...range, below, deviceId, limit: step }))
        found.push(...rows)
        await setImmediate()
        if (rows.length < step) break
        below = (rows.at(-1) as TimesRow).id
      }
    }
    return found
  }
}

function toBlob(buckets: readonly number[] | null): Buffer | null {
  return buckets && Buffer.from(Uint32Array.from(buckets).buffer)
}

/** Sums up blobs in hexadecimal digits. */
function toBuckets(blobs: string): readonly number[] {
  const buckets = new Array<number>(DELIVERY_BUCKETS).fill(0)
  const bytes = Buffer.from(blobs, 'hex')
  for (let i = 0; i < bytes.length / 4; i++) {
    const bucket = i % DELIVERY_BUCKETS
    buckets[bucket] = (buckets[bucket] as number) + bytes.readUInt32LE(4 * i)
  }
  return buckets
}
