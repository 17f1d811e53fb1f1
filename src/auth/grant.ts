/** Defines the access that one credential proved. Types only. */
import type { Client } from './queue-access.ts'

/** Reasons why the access of a client ends or changes. */
export type AccessCause =
  | 'client-removed'
  /** The client got another device id or role. */
  | 'client-changed'
  | 'password-changed'
  /** The devices that the client may act for changed. Its grants stay current. */
  | 'rights-changed'
  | 'key-removed'
  /** A token or an API key has expired. */
  | 'expired'

/** Numbers of the changes of one client. */
export interface AccessCounters {
  /** Grows with each change that ends every access of the client. */
  generation: number
  /** Grows with a new password too, which API keys survive. */
  loginGeneration: number
}

/** A grant as text can keep it, so that a node that did not make it can tell whether it still holds. */
export interface GrantMark {
  readonly clientId: number
  readonly role: string
  /** Id of the API key; null for another credential. */
  readonly keyId: number | null
  /** Time of the last change of the client that ended its tokens, in milliseconds since 1970. */
  readonly changedAtMs: number
}

/**
 * The access that one credential proved, at the moment of its proof. Every request, wait, stream and connection of a client has
 * one. `AccessControl.isCurrent` tells whether it still holds.
 */
export interface Grant extends Client {
  readonly unrestricted: boolean
  /** Number of the client; null while access checks are off and no client has logged in. */
  readonly clientId: number | null
  /** Time at which the token or the API key expires, in milliseconds since 1970; null: never. */
  readonly endsAtMs: number | null
  /** Present counters of the client. */
  readonly counters: AccessCounters
  /** The counter that ends this grant, as it was at the proof. */
  readonly generation: number
}
