/** Which devices are there, by what transport, and when each was last seen. In memory: a restart forgets it. */

export interface PresenceChange {
  readonly deviceId: string
  readonly connected: boolean
  readonly transport: string
  readonly atMs: number
}

export interface Seen {
  /** When it last polled, acknowledged, connected or left; now, while it is connected. Milliseconds since 1970. */
  readonly atMs: number | null
  /** What it is connected by; null: it is not. A device that polls never is. */
  readonly transport: string | null
}

/** Devices whose last sign is remembered; beyond it the one that was silent for the longest time is forgotten. */
const MOST_SEEN = 100_000

export class Presence {
  readonly #now: () => number
  /** In the order of the times. */
  readonly #seen = new Map<string, number>()
  /** The transports of the open connections of each device, the newest last. */
  readonly #connected = new Map<string, string[]>()
  readonly #listeners = new Set<(change: PresenceChange) => void>()

  /** @param now milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** A device gave a sign of life. */
  seen(deviceId: string): void {
    this.#seen.delete(deviceId)
    this.#seen.set(deviceId, this.#now())
    if (this.#seen.size <= MOST_SEEN) return
    const [oldest] = this.#seen.keys()
    this.#seen.delete(oldest as string)
  }

  /** One more connection of a device. @param transport `MQTT` */
  connected(deviceId: string, transport: string): void {
    const open = this.#connected.get(deviceId)
    this.#connected.set(deviceId, [...(open ?? []), transport])
    this.seen(deviceId)
    if (!open) this.#tell(deviceId, true, transport)
  }

  /** One connection less, by the same transport. */
  disconnected(deviceId: string, transport: string): void {
    const open = [...(this.#connected.get(deviceId) ?? [])]
    const at = open.lastIndexOf(transport)
    if (at < 0) return
    open.splice(at, 1)
    this.seen(deviceId)
    if (open.length > 0) {
      this.#connected.set(deviceId, open)
      return
    }
    this.#connected.delete(deviceId)
    this.#tell(deviceId, false, transport)
  }

  of(deviceId: string): Seen {
    const transport = this.#connected.get(deviceId)?.at(-1) ?? null
    return { atMs: transport === null ? (this.#seen.get(deviceId) ?? null) : this.#now(), transport }
  }

  /** @returns how many are connected, and how many are that or were seen since then */
  count(sinceMs: number): { online: number; seen: number } {
    const online = this.#connected.size
    let seen = online
    for (const [deviceId, atMs] of this.#seen) if (atMs >= sinceMs && !this.#connected.has(deviceId)) seen++
    return { online, seen }
  }

  /** @param listener told when a device's first connection opened, and its last one closed. @returns ends it */
  onChange(listener: (change: PresenceChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(deviceId: string, connected: boolean, transport: string): void {
    const change = { deviceId, connected, transport, atMs: this.#now() }
    for (const listener of this.#listeners) listener(change)
  }
}
