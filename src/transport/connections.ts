/** Registers the open connections of all transports: an operator sees them, and those of a changed client end. */
import type { Accounts } from '../auth/accounts.ts'
import type { LoggedIn, Logins } from './logins.ts'

/** Kinds of sockets: plain or WebSocket, each with or without TLS. */
export const SOCKETS = ['TCP', 'TLS', 'WS', 'WSS'] as const
export type SocketKind = (typeof SOCKETS)[number]

/** Period after which the tokens that clients logged in with are checked again. */
export const TOKEN_CHECK_MS = 60_000

/** Maximum devices of one connection that a transport names. */
export const MAX_DEVICES = 20

/** A connection as its transport registers it. */
export interface ConnectionHandle {
  /** Tells how the connection looks now. */
  describe(): ConnectionDescription
  /** Ends the connection. Its client may come back. */
  disconnect(): void
}

export interface ConnectionDescription {
  /** Name of the session, as the client gave it; empty: it gave none. */
  readonly clientId: string
  /** Devices whose commands the connection receives; at most {@link MAX_DEVICES}. */
  readonly devices: readonly string[]
  /** Address of the peer. */
  readonly address: string
  readonly transport: SocketKind
  /** Name of the transport that serves the connection. */
  readonly protocol: string
  /** Version of the protocol. */
  readonly version: string
  /** Milliseconds since 1970. */
  readonly sinceMs: number
  readonly lastPacketAtMs: number
  /** Number of subscriptions. */
  readonly subscriptions: number
}

export interface ListedConnection extends ConnectionDescription {
  /** Number of the connection; later ones are larger. */
  readonly id: number
  /** Device id of the client that logged in. */
  readonly deviceId: string
}

/** The entry of one connection. Its transport keeps it, for who is behind the connection. */
export class RegisteredConnection {
  readonly id: number
  readonly connection: ConnectionHandle
  /**
   * Client that logged in; null before, and after the client was changed or deleted. It stays when the connection
   * closes, since some transports act for a client afterwards (an MQTT will).
   */
  client: LoggedIn | null = null

  constructor(id: number, connection: ConnectionHandle) {
    this.id = id
    this.connection = connection
  }
}

export class ConnectionRegistry {
  readonly #logins: Pick<Logins, 'isCurrent'>
  /** Open connections by number, which is the order of opening. */
  readonly #open = new Map<number, RegisteredConnection>()
  /** Logged-in connections, by the client's device id. */
  readonly #online = new Map<string, Set<RegisteredConnection>>()
  readonly #unsubscribe: () => void
  readonly #tokenCheck: NodeJS.Timeout
  #last = 0

  constructor(accounts: Pick<Accounts, 'onChange'>, logins: Pick<Logins, 'isCurrent'>) {
    this.#logins = logins
    this.#unsubscribe = accounts.onChange((deviceId) => this.#dismiss(this.#online.get(deviceId) ?? []))
    this.#tokenCheck = setInterval(() => this.#checkTokens(), TOKEN_CHECK_MS).unref()
  }

  get size(): number {
    return this.#open.size
  }

  add(connection: ConnectionHandle): RegisteredConnection {
    const entry = new RegisteredConnection(++this.#last, connection)
    this.#open.set(entry.id, entry)
    return entry
  }

  /** Notes who logged in; the connection may have closed meanwhile. */
  identify(entry: RegisteredConnection, client: LoggedIn): void {
    entry.client = client
    if (!this.#open.has(entry.id)) return
    const entries = this.#online.get(client.id) ?? new Set()
    this.#online.set(client.id, entries.add(entry))
  }

  /** Takes off a connection that has closed. */
  remove(entry: RegisteredConnection): void {
    this.#open.delete(entry.id)
    this.#goOffline(entry)
  }

  /** Lists connections that have logged in, oldest first. @param after the list begins behind this number */
  list(after: number, limit: number, deviceId?: string): ListedConnection[] {
    const found: ListedConnection[] = []
    for (const { id, client, connection } of this.#open.values()) {
      if (found.length === limit) break
      if (id <= after || client === null || (deviceId !== undefined && client.id !== deviceId)) continue
      found.push({ id, deviceId: client.id, ...connection.describe() })
    }
    return found
  }

  /** Ends a connection; its client may come back. Returns false when no connection has that number. */
  end(id: number): boolean {
    const entry = this.#open.get(id)
    entry?.connection.disconnect()
    return entry !== undefined
  }

  /** Stops looking after the connections; their transports close them. */
  close(): void {
    this.#unsubscribe()
    clearInterval(this.#tokenCheck)
  }

  #checkTokens(): void {
    const all = [...this.#online.values()].flatMap((entries) => [...entries])
    this.#dismiss(all.filter(({ client }) => client !== null && !this.#logins.isCurrent(client)))
  }

  /** Ends connections whose client was changed or deleted. They have no rights from now on. */
  #dismiss(entries: Iterable<RegisteredConnection>): void {
    for (const entry of [...entries]) {
      this.#goOffline(entry)
      entry.client = null
      entry.connection.disconnect()
    }
  }

  #goOffline(entry: RegisteredConnection): void {
    const id = entry.client?.id
    const entries = id === undefined ? undefined : this.#online.get(id)
    entries?.delete(entry)
    if (id !== undefined && entries?.size === 0) this.#online.delete(id)
  }
}
