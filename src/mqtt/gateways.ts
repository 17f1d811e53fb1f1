/**
 * Makes devices present through gateways. A gateway is a connection that subscribes to the commands of all devices, and
 * whose client has a list of devices. A listed device becomes present when it has a pending message, so the cost of a
 * gateway depends on those devices only. Knows no packets and no access control.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DeviceList } from '../auth/device-list.ts'
import { levelOf } from '../broker/vocabulary/errors.ts'
import type { Duties } from '../process/duties.ts'
import type { Log } from '../process/log.ts'
import type { PendingDevices } from '../transport/transport.ts'
import type { Peer } from './aedes-internals.ts'
import { DeviceIndex } from './device-index.ts'
import { formatTopic } from './topics.ts'

/** The only filter that makes a connection a gateway. */
export const GATEWAY_FILTER = 'consumer/request/+'

export const GATEWAY_LIMITS = {
  /** Maximum devices of a new gateway that become present in one turn of the event loop. */
  startsPerTurn: 100,
  /** Maximum devices with pending messages that one turn compares with the list of a new gateway. */
  visitsPerTurn: 5_000,
} as const

/** Devices that a gateway may have: its own id, and its list. */
export interface GatewayDevices {
  readonly ownId: string
  readonly list: DeviceList
}

export interface GatewaysOptions {
  readonly pending: PendingDevices
  /** Reports that a device became present through a gateway, or is no longer present. */
  readonly serve: (peer: Peer, deviceId: string, isPresent: boolean) => void
  readonly duties: Pick<Duties, 'perform'>
  readonly log: Pick<Log, 'error' | 'debug'>
}

interface OpenGateway {
  readonly peer: Peer
  readonly covered: GatewayDevices
  readonly present: Set<string>
}

export class Gateways {
  readonly #options: GatewaysOptions
  readonly #open = new Map<Peer, OpenGateway>()
  readonly #index = new DeviceIndex<OpenGateway>()
  readonly #unsubscribe: () => void

  constructor(options: GatewaysOptions) {
    this.#options = options
    this.#unsubscribe = options.pending.onAdded((deviceId) => this.#added(deviceId))
  }

  /**
   * Makes a connection a gateway, or replaces the list of a gateway. Devices that left the list become absent at once.
   */
  open(peer: Peer, covered: GatewayDevices): void {
    const before = this.#open.get(peer)
    if (before?.covered.list === covered.list) return
    if (before) this.#index.remove(before, before.covered)
    const gateway = { peer, covered, present: new Set<string>() }
    this.#open.set(peer, gateway)
    this.#index.add(gateway, covered)
    for (const deviceId of before?.present ?? []) {
      if (coversDevice(covered, deviceId)) gateway.present.add(deviceId)
      else this.#options.serve(peer, deviceId, false)
    }
    const { duties, log } = this.#options
    // The SUBACK promises that the gateway receives the commands of its devices, so repeat the read until it succeeds.
    void duties.perform(
      () => this.#start(gateway),
      (error) =>
        log[levelOf(error, 'error')](
          { err: error },
          'could not read which devices of a gateway have pending messages; the read is repeated',
        ),
    )
  }

  /** Ends a gateway, if the connection is one. All of its devices become absent. */
  end(peer: Peer): void {
    const gateway = this.#open.get(peer)
    if (!gateway) return
    this.#open.delete(peer)
    this.#index.remove(gateway, gateway.covered)
    for (const deviceId of gateway.present) this.#options.serve(peer, deviceId, false)
  }

  /** Ends the presence of a device through every gateway, until the device gets another message. */
  release(deviceId: string): void {
    for (const { peer, present } of this.#index.covering(deviceId)) {
      if (present.delete(deviceId)) this.#options.serve(peer, deviceId, false)
    }
  }

  /** Returns the devices that a gateway may have; null if the connection is no gateway. */
  coveredBy(peer: Peer): GatewayDevices | null {
    return this.#open.get(peer)?.covered ?? null
  }

  close(): void {
    this.#unsubscribe()
  }

  #added(deviceId: string): void {
    if (this.#open.size === 0) return
    for (const gateway of this.#index.covering(deviceId)) this.#admit(gateway, deviceId)
  }

  async #start(gateway: OpenGateway): Promise<void> {
    const { startsPerTurn, visitsPerTurn } = GATEWAY_LIMITS
    const isOver = (): boolean => this.#open.get(gateway.peer) !== gateway
    if (isOver()) return
    let starts = 0
    let visits = 0
    for (const deviceId of await this.#options.pending.list()) {
      if (isOver()) return
      if (coversDevice(gateway.covered, deviceId) && this.#admit(gateway, deviceId)) starts++
      if (starts < startsPerTurn && ++visits < visitsPerTurn) continue
      await nextTurn()
      starts = 0
      visits = 0
    }
  }

  /** Makes a device present. Returns false if it already was, or if its id is not valid in a topic. */
  #admit({ peer, present }: OpenGateway, deviceId: string): boolean {
    if (present.has(deviceId) || formatTopic('consumer/request', deviceId) === null) return false
    present.add(deviceId)
    this.#options.serve(peer, deviceId, true)
    return true
  }
}

export function coversDevice({ ownId, list }: GatewayDevices, deviceId: string): boolean {
  return deviceId === ownId || list.covers(deviceId)
}
