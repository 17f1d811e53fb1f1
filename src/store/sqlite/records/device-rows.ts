/** Reads the periods and events of a device from SQLite, in steps, so that a long log does not block the event loop. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import type { DeviceEvent, DeviceEventKind, Period } from '../../../broker/contract/presence-store.ts'
import type { PeriodEnd } from '../../../broker/vocabulary/presence.ts'

/** Rows that one turn of the event loop reads. */
const STEP = 1_000

const PERIOD = `p.run_id, p.number, p.transport, p.began_ms, p.ended_ms, p.receives_ms, p.address, p.session, p.version, p.reason, p.detail`

/** Values of a row as a list. An object with names costs the driver half of the read. */
type PeriodRow = readonly [
  runId: number,
  number: number,
  transport: string,
  beganMs: number,
  endedMs: number | null,
  receivesMs: number | null,
  address: string | null,
  session: string | null,
  version: string | null,
  reason: PeriodEnd | null,
  detail: string | null,
]
type EventRow = readonly [
  runId: number,
  number: number,
  kind: DeviceEventKind,
  atMs: number,
  lastMs: number,
  count: number,
  detail: string,
]

interface Step {
  readonly deviceId: string
  readonly from: number
  /** Place of a row; the step has older ones. */
  readonly ms: number
  readonly run: number
  readonly number: number
  readonly limit: number
}

/** Performs a read of the database. */
type Read = <T>(read: () => T) => Promise<T>

export class DeviceRows {
  readonly #read: Read
  readonly #periods: Statement<[Step], PeriodRow>
  readonly #recent: Statement<[deviceId: string, limit: number], PeriodRow>
  readonly #events: Statement<[Step], EventRow>

  /** @param db connection for reads */
  constructor(db: Database, read: Read) {
    this.#read = read
    this.#periods = db
      .prepare<[Step], PeriodRow>(
        `SELECT ${PERIOD} FROM periods p JOIN runs r ON r.id = p.run_id
         WHERE p.device_id = @deviceId AND (p.began_ms, p.run_id, p.number) < (@ms, @run, @number)
           AND coalesce(p.ended_ms, CASE WHEN r.ended_ms IS NOT NULL THEN r.alive_ms END, @from) >= @from
         ORDER BY p.began_ms DESC, p.run_id DESC, p.number DESC LIMIT @limit`,
      )
      .raw()
    this.#recent = db
      .prepare<[string, number], PeriodRow>(
        `SELECT ${PERIOD} FROM periods p
         WHERE p.device_id = ? ORDER BY p.began_ms DESC, p.run_id DESC, p.number DESC LIMIT ?`,
      )
      .raw()
    this.#events = db
      .prepare<[Step], EventRow>(
        `SELECT run_id, number, kind, at_ms, last_ms, count, detail FROM device_events
         WHERE device_id = @deviceId AND (at_ms, run_id, number) < (@ms, @run, @number) AND last_ms >= @from
         ORDER BY at_ms DESC, run_id DESC, number DESC LIMIT @limit`,
      )
      .raw()
  }

  /** Returns the periods that overlap a time, the newest first. */
  periods(deviceId: string, fromMs: number, toMs: number, limit: number): Promise<readonly Period[]> {
    return this.#inSteps(this.#periods, toPeriod, { deviceId, from: fromMs, ...placeAt(toMs), limit })
  }

  /** Returns the events that overlap a time, the newest first. */
  events(deviceId: string, fromMs: number, toMs: number, limit: number): Promise<readonly DeviceEvent[]> {
    return this.#inSteps(this.#events, toEvent, { deviceId, from: fromMs, ...placeAt(toMs), limit })
  }

  /** Returns the newest periods, the newest first, at once. */
  recent(deviceId: string, limit: number): readonly Period[] {
    return this.#recent.all(deviceId, limit).map(toPeriod)
  }

  async #inSteps<Row extends PeriodRow | EventRow, Found>(
    statement: Statement<[Step], Row>,
    toFound: (row: Row) => Found,
    whole: Step,
  ): Promise<readonly Found[]> {
    const found: Found[] = []
    for (let step = whole; ; ) {
      const limit = Math.min(STEP, whole.limit - found.length)
      const rows = await this.#read(() => statement.all({ ...step, limit }))
      for (const row of rows) found.push(toFound(row))
      const last = rows.at(-1)
      if (last === undefined || rows.length < STEP || found.length === whole.limit) return found
      step = { ...whole, run: last[0], number: last[1], ms: last[3] }
      await turn()
    }
  }
}

/** Returns the place before which all rows of earlier times are. */
const placeAt = (ms: number): Pick<Step, 'ms' | 'run' | 'number'> => ({ ms, run: 0, number: 0 })

function toPeriod(row: PeriodRow): Period {
  const [runId, number, transport, beganMs, endedMs, receivesMs, address, session, version, reason, detail] =
    row
  return {
    runId,
    number,
    transport,
    beganMs,
    endedMs,
    receivesMs,
    address,
    session,
    version,
    reason,
    detail: detail === null ? null : JSON.parse(detail),
  }
}

function toEvent([runId, number, kind, atMs, lastMs, count, detail]: EventRow): DeviceEvent {
  return { runId, number, kind, atMs, lastMs, count, detail: JSON.parse(detail) }
}
