/** Builds the actor and the entries of the audit trail. Knows no transport and no storage. */
import type { Actor, AuditAction, AuditEntry } from './audit.ts'

/** Origin of a call: `this.call` of an endpoint, or the client of a connection with its address. */
export interface Caller {
  readonly identity: { readonly id: string; readonly keyId?: number | undefined } | null
  /** Address of the peer; empty if it has disconnected. */
  readonly remote: string
}

export function actorOf({ identity, remote }: Caller): Actor {
  return { clientId: identity?.id || null, keyId: identity?.keyId ?? null, address: remote || null }
}

/** Returns an actor with a client id only, for endpoints of other prefixes. */
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

/** Returns the fields whose values a change replaces. */
export function changedFields(before: object, after: object): Record<string, unknown> {
  const earlier = new Map<string, unknown>(Object.entries(before))
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(earlier.get(name))
  return Object.fromEntries(Object.entries(after).filter(isChanged))
}

/** Adds the id of the stored note to the detail of an entry. */
export function withNote(entry: AuditEntry, noteId: number): AuditEntry {
  return { ...entry, detail: { ...entry.detail, noteId } }
}

/** Adds the id of the stored message to the detail of an entry. */
export function withMessage(entry: AuditEntry, messageId: number): AuditEntry {
  return { ...entry, detail: { ...entry.detail, messageId } }
}
