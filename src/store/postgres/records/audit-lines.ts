/** Converts audit lines for the functions of the database. See add_audit_line(). */
import type { AuditEntry } from '../../../audit/audit.ts'
import { decodeText, encodeText } from '../database/text.ts'

/** Entry in the form of `add_audit_line`. */
export type AuditCall = Readonly<Record<string, unknown>>

export interface AddedLine {
  readonly id: number
  readonly atMs: number
}

/** Returns an entry as the argument of a function of the database; null without one. */
export function auditCall(entry: AuditEntry | null): AuditCall | null {
  if (entry === null) return null
  const { by, action, object, detail } = entry
  return {
    client_id: encodeText(by.clientId),
    key_id: by.keyId,
    address: by.address,
    action,
    object: encodeText(object),
    detail: storedDetail(detail),
  }
}

/** Returns a detail whose texts PostgreSQL can store. */
export function storedDetail(detail: AuditEntry['detail']): AuditEntry['detail'] {
  return JSON.parse(JSON.stringify(detail), (_, value) =>
    typeof value === 'string' ? encodeText(value) : value,
  )
}

/** Returns the original texts of a detail converted by {@link storedDetail}. */
export function detailOf(stored: AuditEntry['detail']): AuditEntry['detail'] {
  return JSON.parse(JSON.stringify(stored), (_, value) =>
    typeof value === 'string' ? decodeText(value) : value,
  )
}
