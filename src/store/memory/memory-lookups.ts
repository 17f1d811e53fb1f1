/** Reads and purges messages, keys and settings of the memory driver. */
import type { AuditEntry } from '../../audit/audit.ts'
import type { MessageExtras } from '../../broker/contract/message-log.ts'
import type { DeviceSettings } from '../../broker/vocabulary/device-settings.ts'
import { LINKS, type MessageLinks, NO_LINKS } from '../../broker/vocabulary/link-table.ts'
import type { MessageParties, MessageRecord } from '../../broker/vocabulary/message.ts'
import type { MemoryData } from './memory-data.ts'
import { extrasOf, recordOf } from './memory-message.ts'

export function parties(data: MemoryData, messageId: number): MessageParties | null {
  const message = data.messages.get(messageId)
  if (!message) return null
  const { deviceId, senderId, replyTo } = message.content
  return { deviceId, senderId, producerId: replyTo?.producerId ?? null }
}

export function record(data: MemoryData, messageId: number): MessageRecord | null {
  const message = data.messages.get(messageId)
  return message ? recordOf(message) : null
}

/** @throws {Error} no message has the id */
export function extras(data: MemoryData, messageId: number): MessageExtras {
  const message = data.messages.get(messageId)
  if (!message) throw new Error(`There is no message ${messageId}.`)
  const submission = data.submissions.find((each) => each.messageId === messageId)
  const { key = null, repeats = 0 } = submission ?? {}
  return { ...extrasOf(message), idempotencyKey: key, repeats, ...linksOf(data, messageId) }
}

function linksOf(data: MemoryData, id: number): MessageLinks {
  const links = data.links.flatMap(
    ({ name, messageId, newMessageId }): (readonly [keyof MessageLinks, number])[] => {
      if (newMessageId === id) return [[name, messageId]]
      return messageId === id ? [[LINKS[name].reverse, newMessageId]] : []
    },
  )
  return { ...NO_LINKS, ...Object.fromEntries(links) }
}

export function changeDeviceSettings(
  data: MemoryData,
  deviceId: string,
  settings: DeviceSettings,
  audit: AuditEntry | null,
): void {
  data.record(audit)
  if (Object.values(settings).every((value) => value === null)) data.deviceSettings.delete(deviceId)
  else data.deviceSettings.set(deviceId, settings)
  data.emit({ is: 'settings', deviceId, settings })
}

export function purge(data: MemoryData, changedBeforeMs: number): number {
  const expired = [...data.messages.values()].filter(
    ({ status, changedAtMs }) => status !== 'NOT_DELIVERED' && changedAtMs < changedBeforeMs,
  )
  for (const { id: messageId, content, finish } of expired) {
    data.messages.delete(messageId)
    if (finish !== null) data.emit({ is: 'unfinished', deviceId: content.deviceId, messageId, forMs: null })
  }
  data.submissions = data.submissions.filter(({ messageId }) => data.messages.has(messageId))
  data.links = data.links.filter(({ messageId }) => data.messages.has(messageId))
  return expired.length
}

export function purgeSubmissions(data: MemoryData, usedBeforeMs: number): number {
  const before = data.submissions.length
  data.submissions = data.submissions.filter(({ atMs }) => atMs >= usedBeforeMs)
  return before - data.submissions.length
}

export function newestMs(data: MemoryData): number | null {
  return [...data.messages.values()].at(-1)?.createdAtMs ?? null
}

export function pendingDevices(data: MemoryData): string[] {
  const pending = [...data.messages.values()].filter(({ status }) => status === 'NOT_DELIVERED')
  return [...new Set(pending.map(({ content }) => content.deviceId))]
}
