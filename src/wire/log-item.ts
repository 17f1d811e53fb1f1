/** Converts an entry of the log of a device to the item of lists and events. */
import type { LogEntry } from '../broker/views/device-log-entry.ts'

export function toLogItem({ id, kind, atMs, isExact, nodeId, ...entry }: LogEntry) {
  const { transport, address, reason, by, detail } = entry
  return { id, kind, date: atMs, isExact, node: nodeId, transport, address, reason, by, detail }
}
