/** Keeps the settings of devices. */
import type { AuditEntry } from '../../audit/audit.ts'
import type { DeviceSettings } from '../../broker/device-settings.ts'
import type { PostgresParts } from './parts.ts'

export class DeviceSettingsTable {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  all(): Promise<ReadonlyMap<string, DeviceSettings>> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  change(_deviceId: string, _settings: DeviceSettings, _audit: AuditEntry | null): Promise<void> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }
}
