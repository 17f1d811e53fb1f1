/** Keeps the tables of presence in SQLite within a maximum of rows. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'

/** Rows that one transaction removes, so that a purge does not block the event loop for long. */
const PURGE_STEP = 1_000
/** Tables with a maximum of rows, and which rows go first. An open period stays. */
const TABLES = [
  { table: 'periods', key: 'run_id, number', time: 'began_ms', where: 'ended_ms IS NOT NULL' },
  { table: 'device_events', key: 'run_id, number', time: 'at_ms', where: 'true' },
  { table: 'sightings', key: 'device_id', time: 'last_ms', where: 'transport IS NULL' },
] as const

interface DeviceRows {
  readonly deviceId: string
  readonly rows: number
}

interface Bounded {
  readonly count: Statement<[], number>
  /** Finds the device of the row that follows the rows of one device, and a number of further ones. */
  readonly deviceBehind: Statement<[deviceId: string, rows: number], string>
  readonly countOf: Statement<[deviceId: string], number>
  readonly removeOf: WriteStatement
  readonly remove: WriteStatement
}

/** Removes rows in steps, each in a transaction. @param rows maximum rows @returns number of rows */
export async function removeInSteps(
  writer: Writer,
  remove: (most: number) => number,
  rows = Number.POSITIVE_INFINITY,
): Promise<number> {
  let removed = 0
  for (let isMore = rows > 0; isMore; ) {
    const most = Math.min(rows - removed, PURGE_STEP)
    const step = await writer.write(() => remove(most))
    removed += step
    isMore = step === most && removed < rows
  }
  return removed
}

export class PresenceBounds {
  readonly #writer: Writer
  readonly #tables: readonly Bounded[]

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer) {
    this.#writer = writer
    this.#tables = TABLES.map(({ table, key, time, where }) => {
      const remove = (condition: string): WriteStatement =>
        writer.prepare(
          `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} ORDER BY ${time} LIMIT ?)`,
        )
      return {
        count: db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck(),
        deviceBehind: db
          .prepare<[string, number], string>(
            `SELECT device_id FROM ${table} WHERE device_id > ? ORDER BY device_id LIMIT 1 OFFSET ?`,
          )
          .pluck(),
        countOf: db
          .prepare<[deviceId: string], number>(`SELECT count(*) FROM ${table} WHERE device_id = ?`)
          .pluck(),
        removeOf: remove(`device_id = ? AND ${where}`),
        remove: remove(where),
      }
    })
  }

  /**
   * Removes the oldest rows of each device with more than `maxOfDevice` in a table, then the oldest of a table with more than
   * `maxRows`.
   *
   * @returns number of rows
   */
  async enforce(maxRows: number, maxOfDevice: number): Promise<number> {
    let removed = 0
    for (const table of this.#tables) {
      const count = await this.#writer.readSynced(() => table.count.get() ?? 0)
      const crowded = count > maxOfDevice ? await this.#devicesWithMore(table, maxOfDevice) : []
      let left = count
      for (const { deviceId, rows } of crowded) {
        const remove = (most: number): number => table.removeOf.run(deviceId, most).changes
        left -= await removeInSteps(this.#writer, remove, rows - maxOfDevice)
      }
      left -= await removeInSteps(this.#writer, (most) => table.remove.run(most).changes, left - maxRows)
      removed += count - left
    }
    return removed
  }

  /** Returns the devices with more than a number of rows. */
  async #devicesWithMore(table: Bounded, least: number): Promise<readonly DeviceRows[]> {
    const found: DeviceRows[] = []
    for (let deviceId: string | undefined = ''; ; ) {
      // A device with more rows than that has the row behind them, whichever of them is its first.
      const before: string = deviceId
      deviceId = await this.#writer.readSynced(() => table.deviceBehind.get(before, least))
      if (deviceId === undefined) return found
      const of = deviceId
      const rows = await this.#writer.readSynced(() => table.countOf.get(of) ?? 0)
      if (rows > least) found.push({ deviceId, rows })
      await turn()
    }
  }
}
