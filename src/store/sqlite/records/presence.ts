/** Stores runs, sightings and periods of presence in SQLite. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import {
  type DeviceConnects,
  type DeviceEvent,
  type DevicePeriod,
  MAX_DEVICE_ROWS,
  MAX_PRESENCE_ROWS,
  type Period,
  type PresenceBatch,
  type PresenceStore,
  type RecordedEvent,
  type RecordedPeriod,
  type RecordedSighting,
  type Run,
  type RunProgress,
  type Sighting,
} from '../../../broker/contract/presence-store.ts'
import type { Clock } from '../../../broker/vocabulary/clock.ts'
import { toSighting } from '../../sighting.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import { Connects } from './connects.ts'
import { DeviceRows } from './device-rows.ts'
import { PresenceBounds, removeInSteps } from './presence-bounds.ts'

/** Devices whose periods one turn of the event loop reads. */
const STEP_DEVICES = 20

const SIGHTINGS = `SELECT s.device_id, s.first_ms, s.last_ms, s.transport, s.poll_seconds,
    CASE WHEN r.ended_ms IS NOT NULL THEN r.alive_ms END
  FROM sightings s LEFT JOIN runs r ON r.id = s.run_id`

/** Values of a sighting as a list. An object with names costs the driver half of the read. */
type Row = readonly [
  deviceId: string,
  firstMs: number,
  lastMs: number,
  transport: string | null,
  pollSeconds: number | null,
  lostMs: number | null,
]

export class SqlitePresence implements PresenceStore {
  readonly #writer: Writer
  readonly #clock: Clock
  readonly #lose: WriteStatement
  readonly #begin: WriteStatement
  readonly #live: WriteStatement
  readonly #stop: WriteStatement
  readonly #see: WriteStatement
  readonly #period: WriteStatement
  readonly #event: WriteStatement
  readonly #purgePeriods: WriteStatement
  readonly #purgeEvents: WriteStatement
  readonly #purgeRuns: WriteStatement
  readonly #latest: Statement<[limit: number], Row>
  readonly #sighting: Statement<[deviceId: string], Row>
  readonly #rows: DeviceRows
  readonly #runs: Statement<[{ from: number; to: number; limit: number }], Run>
  readonly #bounds: PresenceBounds
  readonly #connects: Connects

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer, clock: Clock) {
    this.#writer = writer
    this.#clock = clock
    this.#connects = new Connects(db, (read) => writer.readSynced(read))
    this.#rows = new DeviceRows(db, (read) => writer.readSynced(read))
    this.#lose = writer.prepare("UPDATE runs SET ended_ms = ?, how = 'LOST' WHERE ended_ms IS NULL")
    this.#begin = writer.prepare('INSERT INTO runs (release, started_ms, alive_ms) VALUES (?, ?, ?)')
    this.#live = writer.prepare('UPDATE runs SET alive_ms = ? WHERE id = ?')
    this.#stop = writer.prepare("UPDATE runs SET alive_ms = ?, ended_ms = ?, how = 'STOPPED' WHERE id = ?")
    this.#see = writer.prepare(
      `INSERT INTO sightings AS s (device_id, first_ms, last_ms, run_id, transport, poll_seconds) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (device_id) DO UPDATE SET last_ms = max(s.last_ms, excluded.last_ms), run_id = excluded.run_id,
         transport = excluded.transport, poll_seconds = excluded.poll_seconds`,
    )
    this.#period = writer.prepare(
      `INSERT INTO periods (run_id, number, device_id, transport, began_ms, ended_ms, receives_ms, address, session, version, reason, detail)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (run_id, number) DO UPDATE SET ended_ms = max(began_ms, excluded.ended_ms),
         receives_ms = coalesce(receives_ms, excluded.receives_ms), reason = excluded.reason, detail = excluded.detail`,
    )
    this.#event = writer.prepare(
      `INSERT INTO device_events (run_id, number, device_id, kind, at_ms, last_ms, count, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (run_id, number) DO UPDATE SET last_ms = max(at_ms, excluded.last_ms), count = excluded.count, detail = excluded.detail`,
    )
    this.#purgeEvents = writer.prepare(
      `DELETE FROM device_events WHERE (run_id, number) IN (SELECT run_id, number FROM device_events WHERE at_ms < ? LIMIT ?)`,
    )
    this.#purgePeriods = writer.prepare(
      `DELETE FROM periods WHERE (run_id, number) IN (
         SELECT p.run_id, p.number FROM periods p JOIN runs r ON r.id = p.run_id
         WHERE p.began_ms < ? AND coalesce(p.ended_ms, CASE WHEN r.ended_ms IS NOT NULL THEN r.alive_ms END, 9e15) < ? LIMIT ?)`,
    )
    this.#purgeRuns = writer.prepare(
      `DELETE FROM runs WHERE ended_ms < ? AND NOT EXISTS (SELECT 1 FROM periods p WHERE p.run_id = runs.id)
         AND NOT EXISTS (SELECT 1 FROM device_events e WHERE e.run_id = runs.id)
         AND id NOT IN (SELECT run_id FROM sightings WHERE run_id IS NOT NULL)`,
    )
    this.#latest = db.prepare<[number], Row>(`${SIGHTINGS} ORDER BY s.last_ms DESC LIMIT ?`).raw()
    this.#sighting = db.prepare<[string], Row>(`${SIGHTINGS} WHERE s.device_id = ?`).raw()
    this.#runs = db.prepare(
      `SELECT id, NULL AS nodeId, release, started_ms AS startedMs, alive_ms AS aliveMs, ended_ms AS endedMs, how
       FROM runs WHERE started_ms < @to AND coalesce(ended_ms, @from) >= @from ORDER BY id DESC LIMIT @limit`,
    )
    this.#bounds = new PresenceBounds(db, writer)
  }

  async begin(release: string): Promise<{ runId: number; nowMs: number }> {
    const nowMs = this.#clock.wallMs()
    const runId = await this.#writer.write(() => {
      this.#lose.run(nowMs)
      return Number(this.#begin.run(release, nowMs, nowMs).lastInsertRowid)
    })
    return { runId, nowMs }
  }

  async record(
    runId: number,
    { sightings, periods, events }: PresenceBatch,
    progress: RunProgress,
  ): Promise<void> {
    const nowMs = this.#clock.wallMs()
    await this.#writer.write(() => {
      for (const sighting of sightings) this.#seeAt(nowMs, runId, sighting)
      for (const period of periods) this.#putAt(nowMs, runId, period)
      for (const event of events) this.#addAt(nowMs, runId, event)
      if (progress === 'ENDED') this.#stop.run(nowMs, nowMs, runId)
      else if (progress === 'ALIVE') this.#live.run(nowMs, runId)
    })
  }

  #seeAt(
    nowMs: number,
    runId: number,
    { deviceId, firstAgeMs, ageMs, transport, pollSeconds }: RecordedSighting,
  ): void {
    const run = transport === null ? null : runId
    const [firstMs, lastMs] = [before(nowMs, firstAgeMs), before(nowMs, ageMs)]
    this.#see.run(deviceId, firstMs, lastMs, run, transport, pollSeconds)
  }

  #putAt(nowMs: number, runId: number, period: RecordedPeriod): void {
    const { number, deviceId, transport, beganAgeMs, endedAgeMs, receivesAgeMs, ...rest } = period
    const { address, session, version, reason } = rest
    const detail = rest.detail && JSON.stringify(rest.detail)
    const times = [beganAgeMs, endedAgeMs, receivesAgeMs].map((ageMs) =>
      ageMs === null ? null : before(nowMs, ageMs),
    )
    this.#period.run(runId, number, deviceId, transport, ...times, address, session, version, reason, detail)
  }

  #addAt(nowMs: number, runId: number, event: RecordedEvent): void {
    const { number, deviceId, kind, ageMs, lastAgeMs, count, detail } = event
    const times = [before(nowMs, ageMs), before(nowMs, lastAgeMs)]
    this.#event.run(runId, number, deviceId, kind, ...times, count, JSON.stringify(detail))
  }

  async latest(limit: number): Promise<readonly Sighting[]> {
    const rows = await this.#writer.readSynced(() => this.#latest.all(limit))
    return rows.map(sightingOf)
  }

  async sightings(deviceIds: readonly string[]): Promise<readonly Sighting[]> {
    const rows = await this.#writer.readSynced(() =>
      deviceIds.map((deviceId) => this.#sighting.get(deviceId)),
    )
    return rows.filter((row) => row !== undefined).map(sightingOf)
  }

  periods(deviceId: string, fromMs: number, toMs: number, limit: number): Promise<readonly Period[]> {
    return this.#rows.periods(deviceId, fromMs, toMs, limit)
  }

  async recent(deviceIds: readonly string[], each: number): Promise<readonly DevicePeriod[]> {
    const found: DevicePeriod[] = []
    for (const [i, deviceId] of deviceIds.entries()) {
      if (i % STEP_DEVICES === STEP_DEVICES - 1) await turn()
      const recent = this.#writer.read(() => this.#rows.recent(deviceId, each))
      found.push(...recent.map((period) => ({ ...period, deviceId })))
    }
    return found
  }

  events(deviceId: string, fromMs: number, toMs: number, limit: number): Promise<readonly DeviceEvent[]> {
    return this.#rows.events(deviceId, fromMs, toMs, limit)
  }

  connects(withinMs: number, least: number): Promise<readonly DeviceConnects[]> {
    return this.#connects.since(this.#clock.wallMs() - withinMs, least)
  }

  addresses(deviceIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#connects.addresses(deviceIds)
  }

  runs(fromMs: number, toMs: number, limit: number): Promise<readonly Run[]> {
    return this.#writer.readSynced(() => this.#runs.all({ from: fromMs, to: toMs, limit }))
  }

  async purge(beforeMs: number, maxRows = MAX_PRESENCE_ROWS, maxOfDevice = MAX_DEVICE_ROWS): Promise<number> {
    const writer = this.#writer
    const periods = await removeInSteps(
      writer,
      (most) => this.#purgePeriods.run(beforeMs, beforeMs, most).changes,
    )
    const events = await removeInSteps(writer, (most) => this.#purgeEvents.run(beforeMs, most).changes)
    const excess = await this.#bounds.enforce(maxRows, maxOfDevice)
    await writer.write(() => this.#purgeRuns.run(beforeMs))
    return periods + events + excess
  }
}

function before(nowMs: number, ageMs: number): number {
  return Math.round(nowMs - ageMs)
}

function sightingOf([deviceId, firstMs, lastMs, transport, pollSeconds, lostMs]: Row): Sighting {
  return toSighting({ deviceId, firstMs, lastMs, transport, pollSeconds, lostMs })
}
