/** Makes the actor and the entries of the audit trail. Knows no transport and no storage. */
import type { Actor, AuditAction, AuditEntry } from './audit.ts'

/** The origin of a call: `this.call` of an endpoint, or the client of a connection with its address. */
export interface Caller {
  readonly identity: { readonly id: string; readonly keyId?: number | undefined } | null
  /** Address of the peer; empty when it has disconnected. */
  readonly remote: string
}

/** Returns the client behind a call. */
export function actorOf({ identity, remote }: Caller): Actor {
  return { clientId: identity?.id || null, keyId: identity?.keyId ?? null, address: remote || null }
}

/** Returns an actor of which only the client is known: an endpoint of another prefix acts for it. */
export function actorNamed(clientId: string | null): Actor {
  return { clientId, keyId: null, address: null }
}

/** Returns the entry for a change. @param detail changed fields; never a password, a key or the `data` of a message */
export function entryOf(
  by: Actor,
  action: AuditAction,
  object: string | number | null,
  detail: Readonly<Record<string, unknown>> = {},
): AuditEntry {
  return { by, action, object: object === null ? null : String(object), detail }
}

/** Returns the fields of a record that a change gives another value. */
export function changedFields(before: object, after: object): Record<string, unknown> {
  const earlier = new Map<string, unknown>(Object.entries(before))
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(earlier.get(name))
  return Object.fromEntries(Object.entries(after).filter(isChanged))
}

/** Returns an entry whose detail names the message that the change stored. */
export function withMessage(entry: AuditEntry, messageId: number): AuditEntry {
  return { ...entry, detail: { ...entry.detail, messageId } }
}
