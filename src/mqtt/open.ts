/** The connections that are open now, by a number each, as an operator sees them. Knows no packets and no rights. */

import { type Peer, subscriptionsOf } from './aedes-internals.ts'
import type { Connection } from './connection.ts'

/** How a connection comes in: MQTT itself or WebSocket, each with or without TLS. */
export const TRANSPORTS = ['TCP', 'TLS', 'WS', 'WSS'] as const
export type Transport = (typeof TRANSPORTS)[number]

export const VERSIONS = ['3.1', '3.1.1', '5'] as const

export interface OpenConnection {
  /** Grows. */
  readonly id: number
  /** As the client gave it; empty: it gave none. */
  readonly clientId: string
  /** The client that logged in. */
  readonly deviceId: string
  /** Whose commands it takes; at most as many as {@link MOST_DEVICES}. */
  readonly devices: readonly string[]
  /** The peer's. */
  readonly address: string
  readonly transport: Transport
  readonly version: (typeof VERSIONS)[number]
  /** In milliseconds since 1970. */
  readonly sinceMs: number
  readonly lastPacketAtMs: number
  /** How many filters. */
  readonly subscriptions: number
}

export const MOST_DEVICES = 20

/** MQTT 5 section 2.4: administrative action. */
export const NOT_ANY_MORE = 0x98

interface Entry {
  readonly id: number
  readonly peer: Peer
  readonly connection: Connection
  readonly transport: Transport
}

/** What others know of a connection. */
export interface Known {
  /** Who logged in; undefined: nobody did, or not any more. */
  readonly deviceIdOf: (peer: Peer) => string | undefined
  readonly devicesOf: (peer: Peer) => Iterable<string>
}

export class OpenConnections {
  readonly #known: Known
  /** In the order of their numbers. */
  readonly #entries = new Map<number, Entry>()
  #last = 0

  constructor(known: Known) {
    this.#known = known
  }

  get size(): number {
    return this.#entries.size
  }

  /** @returns takes it off again */
  add(peer: Peer, connection: Connection, transport: Transport): () => void {
    const id = ++this.#last
    this.#entries.set(id, { id, peer, connection, transport })
    return () => void this.#entries.delete(id)
  }

  /** Those that have logged in, oldest first. @param after begins behind this number */
  list(after: number, limit: number, deviceId?: string): OpenConnection[] {
    const found: OpenConnection[] = []
    for (const entry of this.#entries.values()) {
      if (found.length === limit) break
      const who = entry.id > after ? this.#known.deviceIdOf(entry.peer) : undefined
      if (who === undefined || (deviceId !== undefined && who !== deviceId)) continue
      found.push(this.#shown(entry, who))
    }
    return found
  }

  /** Ends a connection; its client may come again, and its will is published. @returns false when there is none */
  end(id: number): boolean {
    const peer = this.#entries.get(id)?.peer
    peer?.disconnect({ reasonCode: NOT_ANY_MORE })
    return peer !== undefined
  }

  /** Closes what is left. */
  cut(): void {
    for (const { connection } of this.#entries.values()) connection.destroy()
  }

  #shown({ id, peer, connection, transport }: Entry, deviceId: string): OpenConnection {
    const { remote: address, sinceMs, heardMs: lastPacketAtMs } = connection
    const devices = [...this.#known.devicesOf(peer)].slice(0, MOST_DEVICES)
    const version = VERSIONS[peer.version - 3] ?? '5'
    const subscriptions = Object.keys(subscriptionsOf(peer)).length
    const clientId = givenId(peer.id)
    return {
      ...{ id, clientId, deviceId, devices, address, transport, version },
      ...{ sinceMs, lastPacketAtMs, subscriptions },
    }
  }
}

/** A session belongs to one client: nobody takes over another one's by its MQTT client id. Neither part has a line break. */
export function sessionId(username: string | undefined, clientId: string): string {
  return `${username ?? ''}\n${clientId}`
}

/** The client id in a session's; empty where the client gave none, and the library made one. */
export function givenId(sessionId: string): string {
  const end = sessionId.indexOf('\n')
  return end < 0 ? '' : sessionId.slice(end + 1)
}
