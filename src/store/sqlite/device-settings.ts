/** Stores the settings of devices in SQLite. The columns follow from the table of the settings. */
import type { Database, Statement } from 'better-sqlite3'
import { DEVICE_SETTING_LIST, type DeviceSettings } from '../../broker/device-settings.ts'
import type { WriteStatement } from './transactions.ts'
import type { Writer } from './writer.ts'

const COLUMNS = DEVICE_SETTING_LIST.map(([, { column }]) => column)
const SELECTED = DEVICE_SETTING_LIST.map(([name, { column }]) => `${column} AS ${name}`)

/** Reads and writes the table `device_settings`. */
export class SqliteDeviceSettings {
  readonly #writer: Writer
  readonly #all: Statement<[], DeviceSettings & { deviceId: string }>
  readonly #replace: WriteStatement
  readonly #remove: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer) {
    this.#writer = writer
    this.#all = db.prepare(`SELECT device_id AS deviceId, ${SELECTED.join(', ')} FROM device_settings`)
    this.#replace = writer.prepare(
      `INSERT OR REPLACE INTO device_settings (device_id, ${COLUMNS.join(', ')})
       VALUES (?${', ?'.repeat(COLUMNS.length)})`,
    )
    this.#remove = writer.prepare('DELETE FROM device_settings WHERE device_id = ?')
  }

  /** Returns the settings of each device that has a value of its own. */
  all(): Map<string, DeviceSettings> {
    const rows = this.#writer.read(() => this.#all.all())
    return new Map(rows.map(({ deviceId, ...settings }) => [deviceId, settings]))
  }

  /** Replaces the settings of a device, and deletes its row when no value of its own is left. */
  async replace(deviceId: string, settings: DeviceSettings): Promise<void> {
    const values = DEVICE_SETTING_LIST.map(([name]) => settings[name])
    const isGeneral = values.every((value) => value === null)
    await this.#writer.write([isGeneral ? [this.#remove, deviceId] : [this.#replace, deviceId, ...values]])
  }
}
