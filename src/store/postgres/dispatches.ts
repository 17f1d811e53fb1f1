/** Gives this node the leases of devices, and takes messages for their connections. */
import type { DeviceLease, LineState } from '../../broker/device-lease.ts'
import type { Transitioned } from '../../broker/store.ts'
import type { PostgresParts } from './parts.ts'

export class Dispatches {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  attach(_deviceId: string, _transport: string): Promise<DeviceLease> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  line(_deviceId: string): Promise<LineState> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  sendFailed(_messageId: number): Promise<Transitioned | null> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  setBusy(_deviceId: string, _forMs: number): Promise<void> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  busyDevices(): Promise<ReadonlyMap<string, number>> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }
}
