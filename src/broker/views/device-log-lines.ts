/** Converts the lines of the audit trail about a device to entries of its log. Pure. */
import type { AuditAction, AuditLine } from '../../audit/audit.ts'
import { AFTER_RUNS, entryId, type LogEntry, PLAIN_ENTRY } from './device-log-entry.ts'

/** Actions whose object is always the id of a device. */
const DEVICE_ACTIONS: ReadonlySet<AuditAction> = new Set([
  'client.create',
  'client.change',
  'client.remove',
  'client.password',
  'device.settings',
  'device.service',
  'device.note',
])

/**
 * Returns the entries of lines whose object has the id of a device, in any order.
 *
 * @param lines with the line of the latest change of the service before the time of the log: its date may end within it
 */
export function entriesOfLines(lines: readonly AuditLine[], nowMs: number): LogEntry[] {
  const own = lines.filter(isAboutDevice)
  return [...own.map(entryOfLine), ...serviceEnds(own, nowMs)]
}

/** Returns false for a line about a message, a template or an incident with the number that is the id of the device. */
function isAboutDevice({ action, detail }: AuditLine): boolean {
  // The line about all messages of a device has a count. The line about one message has none.
  const isOfQueue = action === 'message.cancel' || action === 'message.replay'
  return DEVICE_ACTIONS.has(action) || (isOfQueue && 'count' in detail)
}

function entryOfLine({ id, atMs, by, action, detail }: AuditLine): LogEntry {
  const base = {
    ...PLAIN_ENTRY,
    id: entryId(atMs, AFTER_RUNS, id),
    atMs,
    address: by.address,
    by: by.clientId,
  }
  if (action === 'device.service') {
    if (detail.end === true) return { ...base, kind: 'IN_SERVICE', detail: {} }
    const { reason, ...rest } = detail
    return { ...base, kind: 'OUT_OF_SERVICE', reason: String(reason), detail: rest }
  }
  if (action === 'device.note' && detail.removed !== true) return { ...base, kind: 'NOTE', detail }
  return { ...base, kind: 'CHANGED', reason: action, detail }
}

/** Returns the ends of times out of service that came by their date, which no line has. */
function serviceEnds(lines: readonly AuditLine[], nowMs: number): LogEntry[] {
  const changes = lines.filter(({ action }) => action === 'device.service').sort((a, b) => a.id - b.id)
  return changes.flatMap(({ id, detail: { untilDate } }, i) => {
    const next = changes[i + 1]
    if (typeof untilDate !== 'number' || untilDate > nowMs || (next && next.atMs < untilDate)) return []
    const entryOfEnd = { ...PLAIN_ENTRY, id: entryId(untilDate, AFTER_RUNS, id, 1), atMs: untilDate }
    return [{ ...entryOfEnd, kind: 'IN_SERVICE', reason: 'DATE', detail: {} } as const]
  })
}
