/**
 * Decides whether an access that a credential proved is still valid. It is the single place of this decision: every
 * holder of access asks here. Knows no holders and no HTTP.
 */
import type { ClientList, ClientUpdate } from './client-list.ts'
import type { ClientRecord } from './clients.ts'
import type { AccessCause, AccessCounters, Grant, GrantMark } from './grant.ts'
import type { KeyList } from './key-list.ts'

export interface AccessChange {
  readonly clientId: number
  readonly cause: AccessCause
}

/** Credential behind a grant. Without members it is a password. */
export interface ProvenCredential {
  readonly keyId?: number
  /** Time at which the credential expires, in milliseconds since 1970. Default: never. */
  readonly endsAtMs?: number | null
}

export interface AccessOptions {
  readonly clients: Pick<ClientList, 'byId' | 'onUpdate'>
  /** API keys; undefined without any. */
  readonly keys?: Pick<KeyList, 'find' | 'onRemove'> | undefined
  /** True if access checks are off, so that no grant ends. */
  readonly unrestricted?: boolean
  readonly now?: () => number
}

const NO_COUNTERS: AccessCounters = { generation: 0, loginGeneration: 0 }

export class AccessControl {
  readonly #options: AccessOptions
  readonly #unrestricted: boolean
  readonly #now: () => number
  /** Counters of the clients that have had a grant. */
  readonly #counters = new Map<number, AccessCounters>()
  readonly #listeners = new Set<(change: AccessChange) => void>()

  constructor(options: AccessOptions) {
    this.#options = options
    this.#unrestricted = options.unrestricted ?? false
    this.#now = options.now ?? Date.now
    options.clients.onUpdate((update) => this.#updated(update))
    options.keys?.onRemove(({ clientId }) => this.#announce(clientId, 'key-removed'))
  }

  /** Returns the grant of a client whose credential was proved in this turn of the event loop. */
  grant(client: ClientRecord, { keyId, endsAtMs = null }: ProvenCredential = {}): Grant {
    const { id: clientId, deviceId: id, role } = client
    const counters = this.#countersOf(clientId)
    const generation = keyId === undefined ? counters.loginGeneration : counters.generation
    const grant = {
      id,
      roles: [role],
      unrestricted: this.#unrestricted,
      clientId,
      endsAtMs,
      counters,
      generation,
    }
    return keyId === undefined ? grant : { ...grant, keyId }
  }

  /** Returns the grant of a caller without a credential, which exists only while access checks are off. */
  anyone(id = ''): Grant {
    const { generation } = NO_COUNTERS
    return {
      id,
      roles: [],
      unrestricted: true,
      clientId: null,
      endsAtMs: null,
      counters: NO_COUNTERS,
      generation,
    }
  }

  /** Returns whether a grant is still valid. Called before each dispatch, so it only compares numbers. */
  isCurrent(grant: Grant): boolean {
    return grant.unrestricted || this.isProven(grant)
  }

  /**
   * Returns whether the credential of a grant still proves the same client and role, even while access checks are off.
   */
  isProven({ keyId, counters, generation, endsAtMs }: Grant): boolean {
    if (keyId === undefined) {
      if (counters.loginGeneration !== generation) return false
    } else if (counters.generation !== generation || !this.#options.keys?.find(keyId)) return false
    return endsAtMs === null || endsAtMs > this.#now()
  }

  /**
   * Returns the grant that the same credential proves now: for a key whose client has another role, a grant with the
   * new role. Null if the credential no longer proves its client.
   */
  renewed(grant: Grant): Grant | null {
    if (this.isCurrent(grant)) return grant
    const { keyId, clientId, id, endsAtMs } = grant
    if (keyId === undefined || clientId === null || !this.#options.keys?.find(keyId)) return null
    const client = this.#options.clients.byId(clientId)
    if (client?.deviceId !== id || (endsAtMs !== null && endsAtMs <= this.#now())) return null
    return this.grant(client, { keyId, endsAtMs })
  }

  /** Returns the mark of a valid grant; null for a grant without access checks. */
  markOf({ clientId, keyId }: Grant): GrantMark | null {
    const client = clientId === null ? undefined : this.#options.clients.byId(clientId)
    return client
      ? { clientId: client.id, role: client.role, keyId: keyId ?? null, changedAtMs: client.changedAtMs }
      : null
  }

  /** Returns whether the grant of a mark would still be valid, regardless of its expiry. */
  isMarkCurrent({ clientId, role, keyId, changedAtMs }: GrantMark): boolean {
    const client = this.#options.clients.byId(clientId)
    if (client?.role !== role) return false
    return keyId === null ? client.changedAtMs === changedAtMs : this.#options.keys?.find(keyId) !== undefined
  }

  /** Calls a listener after each event, on any node, that ends or changes access. @returns unsubscribes */
  onChange(listener: (change: AccessChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #countersOf(clientId: number): AccessCounters {
    const known = this.#counters.get(clientId)
    if (known) return known
    const counters = { ...NO_COUNTERS }
    this.#counters.set(clientId, counters)
    return counters
  }

  #updated({ before, after }: ClientUpdate): void {
    const cause = before && accessCauseOf(before, after)
    if (!cause) return
    const counters = this.#counters.get(before.id)
    if (counters && cause !== 'rights-changed') {
      counters.loginGeneration++
      if (cause !== 'password-changed') counters.generation++
    }
    if (after === null) this.#counters.delete(before.id)
    this.#announce(before.id, cause)
  }

  #announce(clientId: number, cause: AccessCause): void {
    for (const listener of this.#listeners) listener({ clientId, cause })
  }
}

/** Returns the effect of a client change on the client's access; null without one. */
export function accessCauseOf(before: ClientRecord, after: ClientRecord | null): AccessCause | null {
  if (after === null) return 'client-removed'
  if (after.deviceId !== before.deviceId || after.role !== before.role) return 'client-changed'
  if (after.passwordHash !== before.passwordHash) return 'password-changed'
  // Several changes that arrive as one: the client has its former id, role and password again.
  if (after.changedAtMs !== before.changedAtMs) return 'client-changed'
  return changesDevices(before, after) ? 'rights-changed' : null
}

/** Returns whether a change concerns the devices that a client may act for. */
function changesDevices(before: ClientRecord, after: ClientRecord): boolean {
  return after.ownQueueOnly !== before.ownQueueOnly || after.devices.join('\n') !== before.devices.join('\n')
}
