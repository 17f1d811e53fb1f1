/** Keeps the tables of presence in SQLite within a maximum of rows. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'

/** Rows that one transaction removes, so that a purge does not block the event loop for long. */
const PURGE_STEP = 1_000
/** Rows that one turn of the event loop counts. */
const COUNT_STEP = 20_000

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
  readonly countByDevice: Statement<[after: string], DeviceRows>
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
        countByDevice: db.prepare<[after: string], DeviceRows>(
          `SELECT device_id AS deviceId, count(*) AS rows
           FROM (SELECT device_id FROM ${table} WHERE device_id > ? ORDER BY device_id LIMIT ${COUNT_STEP})
           GROUP BY device_id ORDER BY device_id`,
        ),
        countOf: db
          .prepare<[deviceId: string], number>(`SELECT count(*) FROM ${table} WHERE device_id = ?`)
          .pluck(),
        removeOf: remove(`device_id = ? AND ${where}`),
        remove: remove(where),
      }
    })
  }

  /**
   * Removes the oldest rows of each table with more than `maxRows`: first those of the devices with more than `maxOfDevice`,
   * so that a device that connects again and again costs no other device its history.
   *
   * @returns number of rows
   */
  async enforce(maxRows: number, maxOfDevice: number): Promise<number> {
    let removed = 0
    for (const table of this.#tables) {
      const count = await this.#writer.readSynced(() => table.count.get() ?? 0)
      if (count <= maxRows) continue
      let excess = count - maxRows
      for (const { deviceId, rows } of await this.#devicesWithMore(table, maxOfDevice)) {
        const most = Math.min(rows - maxOfDevice, excess)
        excess -= await removeInSteps(
          this.#writer,
          (step) => table.removeOf.run(deviceId, step).changes,
          most,
        )
      }
      excess -= await removeInSteps(this.#writer, (step) => table.remove.run(step).changes, excess)
      removed += count - maxRows - excess
    }
    return removed
  }

  /** Returns the devices with more than a number of rows, those with the most first. */
  async #devicesWithMore(table: Bounded, least: number): Promise<readonly DeviceRows[]> {
    const found: DeviceRows[] = []
    let after: string | null = ''
    while (after !== null) {
      const counts = this.#writer.read(() => countedAfter(table, after as string))
      found.push(...counts.filter(({ rows }) => rows > least))
      after = counts.at(-1)?.deviceId ?? null
      await turn()
    }
    return found.sort((a, b) => b.rows - a.rows)
  }
}

/** Counts the rows of some of the devices after one, in the order of their ids. */
function countedAfter(table: Bounded, deviceId: string): readonly DeviceRows[] {
  const counts = table.countByDevice.all(deviceId)
  // The step may end within the rows of its last device.
  const last = counts.pop()
  return last === undefined ? [] : [...counts, { ...last, rows: table.countOf.get(last.deviceId) ?? 0 }]
}
