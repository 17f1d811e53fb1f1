/**
 * Registers the open connections of all transports: operators list and end them, and each ends with the access of its
 * client.
 */
import type { AccessCause, Grant } from '../auth/grant.ts'
import type { Held } from '../auth/held.ts'
import type { HeldAccess } from '../auth/held-access.ts'
import type { MaybePromise } from '../broker/contract/store.ts'
import { short } from '../broker/engine/rejection-lines.ts'
import type { Sightings } from '../broker/views/sightings.ts'
import type { PeriodDetail, PeriodEnd } from '../broker/vocabulary/presence.ts'
import { contains, formsOf } from '../broker/vocabulary/text-part.ts'
import type { SharedConnections } from './shared-connections.ts'

/** Kinds of sockets: plain or WebSocket, each with or without TLS. */
export const SOCKETS = ['TCP', 'TLS', 'WS', 'WSS'] as const
export type SocketKind = (typeof SOCKETS)[number]

/** Maximum devices that the description of a connection lists. */
export const MAX_DEVICES = 20

/**
 * Causes for which a will is not published. ACCESS_ENDED: the client lost its access. SESSION_CONTINUED: it came back
 * before the delay of the will passed. ADMIN: an operator discarded it. REFUSED: the client may not publish it.
 */
export type WillCause = 'ACCESS_ENDED' | 'SESSION_CONTINUED' | 'ADMIN' | 'REFUSED'

/** Connection in the form in which its transport registers it. */
export interface ConnectionHandle {
  readonly protocol: string
  describe(): ConnectionDescription
  /** Ends the connection. Its client may connect again. @param discardsWill true discards a will of the client */
  disconnect(discardsWill: boolean): void
  /** Ends the connection, because the access of its client has ended. From this call on it has no rights. */
  accessEnded(cause: AccessCause): void
  /** Applies the changed list of devices that the client may act for. */
  devicesChanged?(): void
  /** Returns whether the connection receives the commands of a device. */
  receives(deviceId: string): boolean
}

export interface ConnectionDescription {
  /** Session name from the client; empty without one. */
  readonly clientId: string
  /** Devices whose commands the connection receives; at most {@link MAX_DEVICES}. */
  readonly devices: readonly string[]
  readonly deviceCount: number
  readonly address: string
  readonly transport: SocketKind
  readonly protocol: string
  readonly version: string
  /** Start of the connection, in milliseconds since 1970. */
  readonly sinceMs: number
  /** Time of the last packet from the client, in milliseconds since 1970. */
  readonly lastPacketAtMs: number
  readonly subscriptions: number
}

export interface ListedConnection extends ConnectionDescription {
  /** Number of the connection. Later connections have larger numbers. */
  readonly id: number
  /** Device id of the client that logged in. */
  readonly deviceId: string
}

export interface ConnectionFilter {
  /** Substring of the client id, the session name or the address; empty matches every connection. */
  readonly search: string
  /** Device id of the client that logged in; undefined matches any. */
  readonly deviceId?: string | undefined
}

/** Page of the found connections, and the number of all of them. */
export interface FoundConnections {
  readonly items: readonly ListedConnection[]
  readonly total: number
}

/** Entry of one connection. The transport keeps the entry to read the client from it. */
export class RegisteredConnection {
  readonly id: number
  readonly connection: ConnectionHandle
  /**
   * Client that logged in; null before the login, and after its access has ended. It remains after the connection
   * closes, because a transport may still act for the client (an MQTT will).
   */
  client: Grant | null = null
  /** Device id of the client that logged in; null before the login. It remains after the access of the client has ended. */
  deviceId: string | null = null
  /** Access that the connection holds; null before the login. */
  held: Held | null = null
  #end: { readonly reason: PeriodEnd; readonly detail: PeriodDetail | null } | null = null

  constructor(id: number, connection: ConnectionHandle) {
    this.id = id
    this.connection = connection
  }

  /** Says why the connection ends. The first reason remains; without one the connection broke. */
  endsFor(reason: PeriodEnd, detail: PeriodDetail | null = null): void {
    this.#end ??= { reason, detail }
  }

  get endReason(): PeriodEnd {
    return this.#end?.reason ?? 'CLOSED'
  }

  get endDetail(): PeriodDetail | null {
    return this.#end?.detail ?? null
  }
}

export interface ConnectionRegistryOptions {
  readonly held: Pick<HeldAccess, 'hold'>
  /** Records the presence of the clients that log in. */
  readonly sightings: Pick<Sightings, 'connected' | 'receives' | 'disconnected' | 'events'>
  /** Connections of the other nodes; null with a single node. */
  readonly shared: SharedConnections | null
}

export class ConnectionRegistry {
  readonly #held: ConnectionRegistryOptions['held']
  readonly #sightings: ConnectionRegistryOptions['sightings']
  /** Open connections by number, in the order of opening. */
  readonly #open = new Map<number, RegisteredConnection>()
  readonly #counts = new Map<string, number>()
  readonly #shared: SharedConnections | null
  #last = 0

  constructor({ held, sightings, shared }: ConnectionRegistryOptions) {
    this.#held = held
    this.#sightings = sightings
    this.#shared = shared
    shared?.start(
      (id) => this.#listed(this.#open.get(id)),
      (id, by, discardsWill) => this.#endOwn(id, by, discardsWill),
    )
  }

  get size(): number {
    return this.#open.size
  }

  /** Returns the number of connections of all nodes. Connections of other nodes count from their login on. */
  count(): MaybePromise<number> {
    const own = this.#open.size
    return this.#shared ? this.#shared.count().then((others) => own + others) : own
  }

  /** Returns the number of open connections of this node by transport name. */
  byTransport(): ReadonlyMap<string, number> {
    return this.#counts
  }

  /** Registers a connection before its login. */
  add(connection: ConnectionHandle): RegisteredConnection {
    const entry = new RegisteredConnection((this.#shared?.base ?? 0) + ++this.#last, connection)
    this.#open.set(entry.id, entry)
    this.#count(entry, 1)
    return entry
  }

  /**
   * Records the client that logged in. Meanwhile the connection may have closed, and the access of the client ended.
   */
  identify(entry: RegisteredConnection, client: Grant): void {
    entry.client = client
    entry.deviceId = client.id
    if (!this.#open.has(entry.id)) return
    entry.held = this.#held.hold(client, {
      kind: 'connection',
      end: (cause) => this.#accessEnded(entry, cause),
      rightsChanged: () => entry.connection.devicesChanged?.(),
    })
    const { address, clientId: session, protocol: transport, version } = entry.connection.describe()
    this.#sightings.connected(entry.id, { deviceId: client.id, transport, address, session, version })
    this.#shared?.changed(entry.id)
  }

  /** Reports that the description of a connection has changed. */
  changed(entry: RegisteredConnection): void {
    if (!entry.client) return
    if (entry.connection.receives(entry.client.id)) this.#sightings.receives(entry.id)
    this.#shared?.changed(entry.id)
  }

  /** Reports what became of the will of a connection. @param cause why it was discarded; null: it was published */
  willEnded({ deviceId, connection }: RegisteredConnection, topic: string, cause: WillCause | null): void {
    if (deviceId === null) return
    const { protocol: transport } = connection
    const detail = {
      reason: cause === null ? 'PUBLISHED' : 'DISCARDED',
      transport,
      topic: short(topic),
      cause,
    }
    this.#sightings.events.add(deviceId, 'WILL', detail)
  }

  remove(entry: RegisteredConnection): void {
    if (this.#open.delete(entry.id)) this.#count(entry, -1)
    this.#sightings.disconnected(entry.id, entry.endReason, entry.endDetail)
    entry.held?.release()
    if (entry.client) this.#shared?.changed(entry.id)
  }

  /**
   * Lists logged-in connections of all nodes, in the order of their numbers: the oldest of each node first.
   *
   * @param after the list begins after this number
   */
  list(after: number, limit: number, deviceId?: string): MaybePromise<ListedConnection[]> {
    const own = this.#listOwn(after, limit, deviceId)
    return this.#shared ? this.#shared.list(own, after, limit, deviceId) : own
  }

  /** Lists connections like `list`, and counts all matches. */
  search(after: number, limit: number, filter: ConnectionFilter): MaybePromise<FoundConnections> {
    const own = this.#searchOwn(after, limit, filter)
    return this.#shared ? this.#shared.search(own, after, limit, filter) : own
  }

  /**
   * Returns the device id of the client of an open connection, null before its login; undefined for an unknown
   * connection.
   */
  clientOf(id: number): MaybePromise<string | null | undefined> {
    const entry = this.#open.get(id)
    if (entry) return entry.client?.id ?? null
    return this.#shared?.get(id).then((found) => found?.deviceId)
  }

  /**
   * Ends a connection. Its client may connect again. Resolves when the node of the connection is certain to end it.
   *
   * @param by client that ends the connection; null when access checks are off
   * @param discardsWill true discards a will of the client
   */
  async end(id: number, by: string | null, discardsWill: boolean): Promise<void> {
    if (!this.#endOwn(id, by, discardsWill)) await this.#shared?.end(id, by, discardsWill)
  }

  /** Ends a connection of this node for an operator. Returns false for an unknown connection. */
  #endOwn(id: number, by: string | null, discardsWill: boolean): boolean {
    const entry = this.#open.get(id)
    if (!entry) return false
    entry.endsFor('ADMIN', { by })
    entry.connection.disconnect(discardsWill)
    return true
  }

  #listOwn(after: number, limit: number, deviceId: string | undefined): ListedConnection[] {
    const found: ListedConnection[] = []
    for (const entry of this.#open.values()) {
      if (found.length === limit) break
      if (entry.id <= after || (deviceId !== undefined && entry.client?.id !== deviceId)) continue
      const listed = this.#listed(entry)
      if (listed) found.push(listed)
    }
    return found
  }

  #searchOwn(after: number, limit: number, { search, deviceId }: ConnectionFilter): FoundConnections {
    const forms = formsOf(search)
    const items: ListedConnection[] = []
    let total = 0
    for (const entry of this.#open.values()) {
      if (entry.client === null || (deviceId !== undefined && entry.client.id !== deviceId)) continue
      const mayBeListed = entry.id > after && items.length < limit
      // A description is expensive, so create it only where it is needed.
      const listed = mayBeListed || search !== '' ? this.#listed(entry) : null
      if (listed !== null && !isFound(listed, forms)) continue
      total++
      if (mayBeListed && listed !== null) items.push(listed)
    }
    return { items, total }
  }

  #listed(entry: RegisteredConnection | undefined): ListedConnection | null {
    if (!entry?.client) return null
    return { id: entry.id, deviceId: entry.client.id, ...entry.connection.describe() }
  }

  #count({ connection: { protocol } }: RegisteredConnection, by: 1 | -1): void {
    this.#counts.set(protocol, (this.#counts.get(protocol) ?? 0) + by)
  }

  /** Stops the exchange with other nodes. The transports close the connections. */
  close(): void {
    this.#shared?.close()
  }

  #accessEnded(entry: RegisteredConnection, cause: AccessCause): void {
    entry.client = null
    entry.endsFor('ACCESS_ENDED', { cause })
    this.#shared?.changed(entry.id)
    entry.connection.accessEnded(cause)
  }
}

/** Returns whether a search finds a connection. @param forms forms of the substring, from `formsOf` */
export function isFound(
  { deviceId, clientId, address }: ListedConnection,
  forms: readonly string[],
): boolean {
  return [deviceId, clientId, address].some((text) => contains(text, forms))
}
