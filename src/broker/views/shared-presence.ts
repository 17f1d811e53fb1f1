/** Exchanges with the other nodes which devices are connected, and when each was seen. Knows no transport. */
import type { Log } from '../../process/log.ts'
import type { Cluster } from '../contract/cluster.ts'
import type { PresenceDirectory, SeenDevice } from '../contract/presence-directory.ts'
import { levelOf } from '../vocabulary/errors.ts'
import type { Presence, PresenceChange } from './presence.ts'

/** Period of the exchange of times, and of the search for nodes that have ended, in milliseconds. */
export const EXCHANGE_MS = 5_000
/** Minimum time between two writes of the time of one device, in milliseconds. */
const SEEN_STEP_MS = 60_000

export interface SharedPresenceOptions {
  readonly cluster: Cluster
  readonly directory: PresenceDirectory
  readonly presence: Presence
  readonly log: Pick<Log, 'debug' | 'warn'>
}

export class SharedPresence {
  readonly #options: SharedPresenceOptions
  readonly #unsubscribes: (() => void)[] = []
  #stored = new Map<string, number>()
  #cursor: number | null = null
  /** Latest changes that the storage refused, by device. */
  readonly #refused = new Map<string, PresenceChange>()
  /**
   * Number of this node at its last read of the presence of all devices; null requests a new read. News may be missed
   * before the node has a new number, even after its lease has lapsed.
   */
  #readAs: number | null = null
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | null = null

  constructor(options: SharedPresenceOptions) {
    this.#options = options
  }

  /** Reads the presence of all devices, and follows it. */
  async start(): Promise<void> {
    const { cluster, presence } = this.#options
    this.#unsubscribes.push(
      cluster.onNews((news, from) => {
        if (news.is === 'presence') presence.remoteChanged(from, news)
      }),
      presence.onOwnChange((change) => this.#put(change)),
    )
    await this.#exchange()
    this.#timer = setInterval(() => {
      this.#running ??= this.#exchange()
        .catch((error: unknown) => this.#failed(error))
        .finally(() => {
          this.#running = null
        })
    }, EXCHANGE_MS).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (const unsubscribe of this.#unsubscribes.splice(0)) unsubscribe()
    await this.#running
  }

  async #exchange(): Promise<void> {
    const { cluster, directory, presence } = this.#options
    for (const change of [...this.#refused.values()]) this.#put(change)
    if (this.#readAs !== cluster.nodeId) {
      this.#readAs = cluster.nodeId
      presence.setRemote(await directory.connected())
    }
    const { due, stored } = this.#seenTimes()
    if (due.length > 0) await directory.seen(due)
    this.#stored = stored
    const { devices, cursor } = await directory.seenSince(this.#cursor)
    this.#cursor = cursor
    for (const { deviceId, atMs } of devices) presence.seenElsewhere(deviceId, atMs)
    presence.keepNodes(new Set(await directory.livingNodes()))
  }

  /** Stores a change. A refused change is retried until the next change of the device. */
  #put(change: PresenceChange): void {
    this.#refused.delete(change.deviceId)
    this.#options.directory.put(change).catch((error: unknown) => {
      if (!this.#refused.has(change.deviceId)) this.#refused.set(change.deviceId, change)
      this.#options.log[levelOf(error, 'warn')](
        { err: error },
        'the presence of a device was not stored; it is tried again',
      )
    })
  }

  /**
   * Returns the times to store now, at most one per device in {@link SEEN_STEP_MS}, and all times stored afterwards.
   */
  #seenTimes(): { readonly due: readonly SeenDevice[]; readonly stored: Map<string, number> } {
    const due: SeenDevice[] = []
    const stored = new Map<string, number>()
    for (const [deviceId, atMs] of this.#options.presence.sightings.ownTimes()) {
      const storedMs = this.#stored.get(deviceId)
      const isDue = storedMs === undefined || atMs - storedMs >= SEEN_STEP_MS
      if (isDue) due.push({ deviceId, atMs })
      stored.set(deviceId, isDue ? atMs : storedMs)
    }
    return { due, stored }
  }

  #failed(error: unknown): void {
    this.#readAs = null
    this.#options.log[levelOf(error, 'warn')](
      { err: error },
      'the presence of devices was not exchanged with the other nodes; it is tried again',
    )
  }
}
