/** Reads the stored facts about devices. */
import type { DeviceRecord, DeviceStore } from '../../broker/devices.ts'
import type { Page } from '../../broker/message-log.ts'
import type { PostgresParts } from './parts.ts'

export class PostgresDevices implements DeviceStore {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  list(_after: string, _limit: number, _search: string): Promise<Page<DeviceRecord, string>> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  get(_deviceId: string): Promise<DeviceRecord> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }
}
