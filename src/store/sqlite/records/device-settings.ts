/** Stores the settings of devices in SQLite. The columns derive from the table of settings. */
import type { Database, Statement } from 'better-sqlite3'
import type { AuditEntry } from '../../../audit/audit.ts'
import { DEVICE_SETTING_LIST, type DeviceSettings } from '../../../broker/vocabulary/device-settings.ts'
import type { StoredValue } from '../../../broker/vocabulary/message.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import type { SqliteAudit } from './audit.ts'

const COLUMNS = DEVICE_SETTING_LIST.map(([, { column }]) => column)
const SELECTED = DEVICE_SETTING_LIST.map(([name, { column }]) => `${column} AS ${name}`)

/** Boolean settings, which SQLite stores as 1 or 0. */
const FLAGS = new Set<string>(
  DEVICE_SETTING_LIST.flatMap(([name, { schema }]) => (schema.type === 'boolean' ? [name] : [])),
)

type Row = Readonly<Record<string, StoredValue>> & { readonly deviceId: string }

export class SqliteDeviceSettings {
  readonly #writer: Writer
  readonly #audit: SqliteAudit
  readonly #all: Statement<[], Row>
  readonly #replace: WriteStatement
  readonly #remove: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer, audit: SqliteAudit) {
    this.#writer = writer
    this.#audit = audit
    this.#all = db.prepare(`SELECT device_id AS deviceId, ${SELECTED.join(', ')} FROM device_settings`)
    this.#replace = writer.prepare(
      `INSERT OR REPLACE INTO device_settings (device_id, ${COLUMNS.join(', ')})
       VALUES (?${', ?'.repeat(COLUMNS.length)})`,
    )
    this.#remove = writer.prepare('DELETE FROM device_settings WHERE device_id = ?')
  }

  /** Returns the settings of each device that has its own. */
  all(): Map<string, DeviceSettings> {
    const rows = this.#writer.read(() => this.#all.all())
    return new Map(rows.map(({ deviceId, ...row }) => [deviceId, toSettings(row)]))
  }

  /** Replaces the settings of a device, and deletes its row if none is its own. */
  async replace(deviceId: string, settings: DeviceSettings, audit: AuditEntry | null): Promise<void> {
    const values = DEVICE_SETTING_LIST.map(([name]) => toStored(settings[name]))
    const isGeneral = values.every((value) => value === null)
    const line = audit && this.#audit.line(audit)
    await this.#writer.write(() => {
      if (isGeneral) this.#remove.run(deviceId)
      else this.#replace.run(deviceId, ...values)
      line?.()
    })
  }
}

function toSettings(row: Readonly<Record<string, StoredValue>>): DeviceSettings {
  const values = Object.entries(row).map(([name, value]) => [
    name,
    value !== null && FLAGS.has(name) ? value === 1 : value,
  ])
  return Object.fromEntries(values) as DeviceSettings
}

function toStored(value: StoredValue | boolean): StoredValue {
  return typeof value === 'boolean' ? Number(value) : value
}
