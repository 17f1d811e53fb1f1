/** Defines grants: the access that one credential proved. Types only. */
import type { Client } from './queue-access.ts'

/** Reasons why the access of a client ends or changes. */
export type AccessCause =
  | 'client-removed'
  /** The client's device id or role changed. */
  | 'client-changed'
  | 'password-changed'
  /** The devices that the client may act for changed. Its grants stay valid. */
  | 'rights-changed'
  | 'key-removed'
  /** A token or an API key expired. */
  | 'expired'

export interface AccessCounters {
  /** Grows with each change that ends every access of the client. */
  generation: number
  /** Grows also with a new password, which API keys survive. */
  loginGeneration: number
}

/** Serializable form of a grant, by which another node can tell whether the grant is still valid. */
export interface GrantMark {
  readonly clientId: number
  readonly role: string
  /** Id of the API key; null for another credential. */
  readonly keyId: number | null
  /** Time of the last client change that ended its tokens, in milliseconds since 1970. */
  readonly changedAtMs: number
}

/**
 * Access that one credential proved, at the time of its proof. Every request, wait, stream and connection of a client
 * has a grant. `AccessControl.isCurrent` tells whether it is still valid.
 */
export interface Grant extends Client {
  readonly unrestricted: boolean
  /** Number of the client; null while access checks are off and no client has logged in. */
  readonly clientId: number | null
  /** Time at which the token or the API key expires, in milliseconds since 1970; null for never. */
  readonly endsAtMs: number | null
  readonly counters: AccessCounters
  /** Value of the counter that ends this grant, at the time of the proof. */
  readonly generation: number
}
