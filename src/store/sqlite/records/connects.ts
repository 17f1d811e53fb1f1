/** Counts the connections of devices in SQLite, and finds the addresses of the latest ones. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import { type DeviceConnects, MAX_CONNECTIONS } from '../../../broker/contract/presence-store.ts'
import { REST } from '../../../broker/vocabulary/presence.ts'

/** Periods, or devices, that one turn of the event loop reads. */
const STEP = 1_000

interface Row {
  readonly deviceId: string
  readonly transport: string
  readonly beganMs: number
  readonly runId: number
  readonly number: number
  readonly address: string | null
  readonly reason: DeviceConnects['reason']
}

/** Performs a read of the database. */
type Read = <T>(read: () => T) => Promise<T>

/** Count of a device during the read. */
type Count = { -readonly [Name in keyof DeviceConnects]: DeviceConnects[Name] }

export class Connects {
  readonly #rows: Statement<[{ since: number; ms: number; run: number; number: number }], Row>
  readonly #uncounted: Statement<[deviceId: string, sinceMs: number], number>
  readonly #address: Statement<[deviceId: string], string>
  readonly #read: Read

  /** @param db connection for reads */
  constructor(db: Database, read: Read) {
    this.#read = read
    this.#rows = db.prepare(
      `SELECT device_id AS deviceId, transport, began_ms AS beganMs, run_id AS runId, number, address, reason
       FROM periods INDEXED BY periods_by_age
       WHERE began_ms >= @since AND (began_ms, run_id, number) < (@ms, @run, @number)
       ORDER BY began_ms DESC, run_id DESC, number DESC LIMIT ${STEP}`,
    )
    this.#uncounted = db
      .prepare<[deviceId: string, sinceMs: number], number>(
        `SELECT coalesce(sum(detail ->> 'connects'), 0) FROM device_events
         WHERE device_id = ? AND kind = 'FLAPPING' AND last_ms >= ?`,
      )
      .pluck()
    this.#address = db
      .prepare<[deviceId: string], string>(
        `SELECT address FROM periods WHERE device_id = ? AND address IS NOT NULL ORDER BY began_ms DESC LIMIT 1`,
      )
      .pluck()
  }

  /** Returns the devices with at least `least` connections since a time. */
  async since(sinceMs: number, least: number): Promise<DeviceConnects[]> {
    const counts = new Map<string, Count>()
    const most = Number.MAX_SAFE_INTEGER
    let before = { ms: most, run: most, number: most }
    for (let scanned = 0; scanned < MAX_CONNECTIONS; scanned += STEP) {
      const from = before
      const rows = await this.#read(() => this.#rows.all({ since: sinceMs, ...from }))
      for (const row of rows) if (row.transport !== REST) addTo(counts, row)
      const last = rows[STEP - 1]
      if (last === undefined) break
      before = { ms: last.beganMs, run: last.runId, number: last.number }
      await turn()
    }
    const found = [...counts.values()].filter(({ connects }) => connects >= least)
    await this.#inSteps(found, (count) => {
      count.connects += this.#uncounted.get(count.deviceId, sinceMs) ?? 0
    })
    return found
  }

  /** Returns the address of the latest connection of each device. Omits devices without one. */
  async addresses(deviceIds: readonly string[]): Promise<Map<string, string>> {
    const addresses = new Map<string, string>()
    await this.#inSteps(deviceIds, (deviceId) => {
      const address = this.#address.get(deviceId)
      if (address !== undefined) addresses.set(deviceId, address)
    })
    return addresses
  }

  async #inSteps<T>(items: readonly T[], run: (item: T) => void): Promise<void> {
    for (let start = 0; start < items.length; start += STEP) {
      await this.#read(() => items.slice(start, start + STEP).forEach(run))
      await turn()
    }
  }
}

/** Counts a connection. The newest connections come first. */
function addTo(counts: Map<string, Count>, { deviceId, beganMs, address, reason }: Row): void {
  const count = counts.get(deviceId)
  if (count === undefined) counts.set(deviceId, { deviceId, connects: 1, sinceMs: beganMs, address, reason })
  else {
    count.connects++
    count.sinceMs = beganMs
    count.address ??= address
    count.reason ??= reason
  }
}
