/** Stores the settings of devices. */
import type { AuditEntry } from '../../../audit/audit.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../../../broker/vocabulary/device-settings.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { type AddedLine, type AuditCall, auditCall } from './audit-lines.ts'

interface Call {
  readonly device_id: string
  /** Null if the device has no settings of its own. */
  readonly settings: DeviceSettings | null
  readonly audit: AuditCall | null
}

interface Result {
  readonly version: number
  readonly line: AddedLine | null
}

/** Change of settings, as in the `content` of a journal row. */
export interface SettingsChange {
  /** Grows with each change of a device, in the order of the commits. */
  readonly version: number
  /** Null if the device has no settings of its own. */
  readonly settings: Partial<DeviceSettings> | null
}

export class DeviceSettingsTable {
  readonly #parts: PostgresParts
  readonly #change: (call: Call) => Promise<Result>
  /** Newest change of each device that this node has seen. */
  readonly #newest = new Map<string, SettingsChange>()

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.#change = parts.verbs.write<Call, Result>({
      name: 'change_device_settings',
      keysOf: ({ device_id }) => ({ alone: [device_id], shared: [] }),
      onLate: ({ device_id, settings }, { version }) =>
        this.report(decodeText(device_id), { version, settings }),
    })
    parts.journal.on('settings', ({ subject, content }) =>
      this.report(decodeText(subject), content as SettingsChange),
    )
  }

  async all(): Promise<ReadonlyMap<string, DeviceSettings>> {
    const rows = await this.#parts.reads.run<SettingsChange & { device_id: string }>(
      'SELECT device_id, version, settings FROM device_settings',
    )
    return new Map(
      rows.map(({ device_id, version, settings }) => {
        const deviceId = decodeText(device_id)
        return [deviceId, withGeneral(this.#keepNewest(deviceId, { version, settings }))]
      }),
    )
  }

  async change(deviceId: string, settings: DeviceSettings, audit: AuditEntry | null): Promise<void> {
    const isGeneral = Object.values(settings).every((value) => value === null)
    const stored = isGeneral ? null : settings
    const { version, line } = await this.#change({
      device_id: encodeText(deviceId),
      settings: stored,
      audit: auditCall(audit),
    })
    this.report(deviceId, { version, settings: stored })
    this.#parts.audit.added(audit, line)
  }

  /** Reports a change by some node. A late change is reported with the newest settings, not with its own. */
  report(deviceId: string, change: SettingsChange): void {
    const settings = withGeneral(this.#keepNewest(deviceId, change))
    this.#parts.events.emit({ is: 'settings', deviceId, settings })
  }

  #keepNewest(deviceId: string, change: SettingsChange): SettingsChange {
    const known = this.#newest.get(deviceId)
    if (known && known.version > change.version) return known
    this.#newest.set(deviceId, change)
    return change
  }
}

/** Returns all settings. A row of an older release lacks newer settings. */
function withGeneral({ settings }: SettingsChange): DeviceSettings {
  return { ...GENERAL_SETTINGS, ...settings }
}
