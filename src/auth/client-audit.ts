/** Builds the audit lines for changes of clients. Knows no storage. */
import { changedFields, entryOf } from '../audit/actor.ts'
import type { Actor, AuditEntry } from '../audit/audit.ts'
import { accessCauseOf } from './access.ts'
import type { ClientRecord } from './clients.ts'
import type { AccessCause } from './grant.ts'

/** Returns the line for a new client, with all fields except the password. */
export function creationEntry(by: Actor, client: Omit<ClientRecord, 'id'>): AuditEntry {
  const { deviceId, ...fields } = auditedFields(client)
  return entryOf(by, 'client.create', deviceId, fields)
}

/**
 * Returns the line for a change of a client, under its previous name. A change of the password alone has its own
 * action. A password that changes together with other fields is `true` in the detail.
 */
export function changeEntry(
  by: Actor,
  before: ClientRecord,
  after: ClientRecord,
  endedBy: EndedBy,
): AuditEntry {
  const { deviceId, passwordHash, id } = before
  const fields = changedFields(auditedFields(before), auditedFields(after))
  const cause = accessCauseOf(before, after)
  const ended = cause === null ? {} : endedMember(endedBy(id, cause))
  if (passwordHash === after.passwordHash)
    return entryOf(by, 'client.change', deviceId, { ...fields, ...ended })
  if (Object.keys(fields).length === 0) return entryOf(by, 'client.password', deviceId, ended)
  return entryOf(by, 'client.change', deviceId, { ...fields, password: true, ...ended })
}

/** Returns the number of holders that a change ends on this node, by kind. @param keyId the key that is removed */
export type EndedBy = (
  clientId: number,
  cause: AccessCause,
  keyId?: number,
) => Readonly<Record<string, number>>

/** Returns the detail member about the holders that a change ends; no member without any. */
export function endedMember(ended: ReturnType<EndedBy>): { readonly ended?: ReturnType<EndedBy> } {
  return Object.keys(ended).length === 0 ? {} : { ended }
}

/** Returns the fields that a line may show. New fields of a client are included automatically. */
function auditedFields<Client extends Omit<ClientRecord, 'id'> & { readonly id?: number }>(client: Client) {
  const { id, passwordHash, changedAtMs, ...fields } = client
  return fields
}
