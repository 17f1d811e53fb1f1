/** Checks the promises of the product at the end of a fault run, from the records of its clients and from the database. */
import type { Status } from '../../../src/broker/vocabulary/status.ts'
import { STATUS_STEPS } from '../../_support/status-steps.ts'
import type { DeviceEvent, RunRecords, StoredAttempt, StoredMessage, StoredRun } from './records.ts'

/** The violations of each invariant, as texts that name the messages. Empty lists mean that all promises held. */
export interface Violations {
  /** An answered request or a confirmed acknowledgement is not in the database, or a status did not reach a connection that wants it. */
  lost: string[]
  /** A command was stored twice, a device received a NO message twice, or a producer received a status twice. */
  doubled: string[]
  /** A COMPLETED message was never received by its device. */
  unseen: string[]
  /** A device received messages, or a connection the statuses of a message, in another order than they were made. */
  outOfOrder: string[]
  /** A device received another message before it acknowledged the previous one. */
  twoInFlight: string[]
  /** Two dispatches to one device were closer than the pacing interval. */
  intervals: string[]
  /** A message is still pending. */
  stuck: string[]
  /** A client received an answer that no client may get. */
  unexpected: string[]
}

/** Share of the messages whose NOT_DELIVERED a later status may overtake. */
const MAX_OVERTAKEN = 0.05
/** Rounding of two times to whole milliseconds. */
const ROUNDING_MS = 1

export function violationsOf(records: RunRecords, stored: StoredRun, intervalMs: number): Violations {
  const byId = new Map(stored.messages.map((message) => [message.id, message]))
  const byDevice = groups(stored.messages, ({ deviceId }) => deviceId)
  const attempts = groups(stored.attempts, ({ messageId }) => byId.get(messageId)?.deviceId ?? '')
  const devices = [...records.devices]
  return {
    lost: [
      ...lostRequests(records, stored),
      ...devices.flatMap(([, events]) => lostReports(events, byId)),
      ...unannounced(records, stored),
      ...unannouncedStores(records, stored),
    ],
    doubled: [
      ...storedTwice(records, stored),
      ...devices.flatMap(([, events]) => seenTwice(events, byId)),
      ...announcedTwice(records),
    ],
    unseen: unseen(records, stored),
    outOfOrder: [
      ...devices.flatMap(([, events]) => seenOutOfOrder(events)),
      ...[...byDevice].flatMap(([deviceId, messages]) =>
        dispatchedOutOfOrder(messages, attempts.get(deviceId) ?? []),
      ),
      ...announcedOutOfOrder(records),
    ],
    twoInFlight: devices.flatMap(([, events]) => secondMessages(events, byId)),
    intervals: [...attempts].flatMap(([deviceId, own]) => shortIntervals(deviceId, own, intervalMs)),
    stuck: stored.messages.filter(isPending).map(({ id, deviceId }) => `${id} of ${deviceId} is pending`),
    unexpected: [...records.unexpected],
  }
}

/** Returns all violations as one list. */
export function listOf(violations: Violations): string[] {
  return Object.entries(violations).flatMap(([name, found]: [string, string[]]) =>
    found.map((text) => `${name}: ${text}`),
  )
}

const isPending = ({ status }: StoredMessage): boolean => status === 'NOT_DELIVERED'

function lostRequests({ submissions }: RunRecords, { messages }: StoredRun): string[] {
  const byTag = new Map(messages.map((message) => [message.tag, message]))
  return submissions
    .filter(({ isAnswered }) => isAnswered)
    .flatMap(({ tag, deviceId, ids }) => {
      const message = byTag.get(tag)
      if (message === undefined) return [`${tag} was answered and is not stored`]
      if (message.deviceId !== deviceId) return [`${tag} is stored for ${message.deviceId}`]
      return [...ids].filter((id) => id !== message.id).map((id) => `${tag} was answered as ${id}`)
    })
}

/** Returns the acknowledgements that the server confirmed and that have no effect. */
function lostReports(events: readonly DeviceEvent[], byId: ReadonlyMap<number, StoredMessage>): string[] {
  return events
    .filter(({ is }) => is === 'confirmed')
    .flatMap(({ id }) => {
      const status = byId.get(id)?.status
      return status === 'COMPLETED' || status === 'CANCELLED' ? [] : [`${id} was confirmed and is ${status}`]
    })
}

function storedTwice({ submissions }: RunRecords, { messages }: StoredRun): string[] {
  const tags = [...groups(messages, ({ tag }) => tag)].filter(([, own]) => own.length > 1)
  return [
    ...tags.map(([tag, own]) => `${tag} is stored as ${own.map(({ id }) => id).join(' and ')}`),
    ...submissions.filter(({ ids }) => ids.size > 1).map(({ tag, ids }) => `${tag} has the ids ${[...ids]}`),
  ]
}

/**
 * Returns the NO messages that a device received more than once. A node sends a message once to each connection of the
 * device, so two connections to one node may both have it.
 */
function seenTwice(events: readonly DeviceEvent[], byId: ReadonlyMap<number, StoredMessage>): string[] {
  const seen = new Map<number, DeviceEvent[]>()
  return events.flatMap((event) => {
    const { is, id } = event
    if (is !== 'seen' || byId.get(id)?.guarantee !== 'NO') return []
    const earlier = seen.get(id) ?? []
    seen.set(id, [...earlier, event])
    const isAllowed = earlier.every(
      ({ connection, process }) => connection !== event.connection && process === event.process,
    )
    return isAllowed ? [] : [`${id} with guarantee NO was received twice`]
  })
}

/** Returns the final statuses that a connection did not receive although it lasted. */
export function unannounced(records: RunRecords, { messages }: StoredRun): string[] {
  return unreached(records, messages)
}

/**
 * Returns the messages whose NOT_DELIVERED did not reach a connection that lasted. A node leaves it out when a later status
 * has overtaken it, which happens to few messages.
 */
function unannouncedStores(records: RunRecords, { messages }: StoredRun): string[] {
  const missing = unreached(
    records,
    messages.map((message) => ({ ...message, status: 'NOT_DELIVERED' })),
  )
  return missing.length <= MAX_OVERTAKEN * records.listeners.size * messages.length ? [] : missing
}

/** Returns the statuses that did not reach a connection that lasted, and that wants them. */
function unreached(
  { submissions, announcements, listeners }: RunRecords,
  messages: readonly StoredMessage[],
): string[] {
  const announced = new Set(
    announcements.map(({ id, status, connection }) => `${id} ${status} ${connection}`),
  )
  const producers = new Map(submissions.map(({ tag, replyTo }) => [tag, replyTo]))
  return [...listeners].flatMap(([connection, producer]) =>
    messages.flatMap(({ id, tag, status }) => {
      const isWanted = producer === null || producers.get(tag) === producer
      if (!isWanted || announced.has(`${id} ${status} ${connection}`)) return []
      return [`${status} of ${id} did not reach ${connection}`]
    }),
  )
}

/** Returns the statuses that a connection received after a later status of the same message. */
function announcedOutOfOrder({ announcements }: RunRecords): string[] {
  const newest = new Map<string, Status>()
  return announcements.flatMap(({ id, status, connection }) => {
    const key = `${id} ${connection}`
    const before = newest.get(key) ?? status
    if (STATUS_STEPS[before] <= STATUS_STEPS[status]) newest.set(key, status)
    return STATUS_STEPS[before] > STATUS_STEPS[status]
      ? [`${status} of ${id} came after ${before} to ${connection}`]
      : []
  })
}

/** Returns the statuses that a connection received twice. */
function announcedTwice({ announcements }: RunRecords): string[] {
  const same = groups(announcements, ({ id, status, connection }) => `${status} of ${id} by ${connection}`)
  return [...same].filter(([, all]) => all.length > 1).map(([text]) => `${text} was received twice`)
}

function unseen({ devices }: RunRecords, { messages }: StoredRun): string[] {
  const seen = new Map(
    [...devices].map(([deviceId, events]) => [deviceId, new Set(events.map(({ id }) => id))]),
  )
  return messages
    .filter(({ status, deviceId, id }) => status === 'COMPLETED' && !seen.get(deviceId)?.has(id))
    .map(({ id, deviceId }) => `${id} of ${deviceId}`)
}

/** Returns the messages that a device received for the first time after a newer one. */
function seenOutOfOrder(events: readonly DeviceEvent[]): string[] {
  const seen = new Set<number>()
  let newest = 0
  return events.flatMap(({ is, id }) => {
    if (is !== 'seen' || seen.has(id)) return []
    seen.add(id)
    const found = id < newest ? [`${id} was first received after ${newest}`] : []
    newest = Math.max(newest, id)
    return found
  })
}

/** Returns the messages that were dispatched while an older one was in the queue, by the times of the database. */
function dispatchedOutOfOrder(
  messages: readonly StoredMessage[],
  attempts: readonly StoredAttempt[],
): string[] {
  const firstMs = new Map<number, number>()
  for (const { messageId, atMs } of attempts)
    firstMs.set(messageId, Math.min(atMs, firstMs.get(messageId) ?? atMs))
  let last: StoredMessage | null = null
  const found: string[] = []
  for (const message of messages.toSorted((a, b) => a.id - b.id)) {
    const atMs = firstMs.get(message.id)
    if (last !== null && atMs !== undefined && leftMs(last) > atMs + ROUNDING_MS)
      found.push(`${message.id} was dispatched ${leftMs(last) - atMs} ms before ${last.id} left the queue`)
    if (last === null || leftMs(message) > leftMs(last)) last = message
  }
  return found
}

const leftMs = ({ leftAtMs }: StoredMessage): number => leftAtMs ?? Number.POSITIVE_INFINITY

/**
 * Returns the messages that a device received before it acknowledged an earlier one. The earlier one may have left its
 * queue otherwise, and may be repeated by a connection that is slower than the acknowledgement.
 */
function secondMessages(events: readonly DeviceEvent[], byId: ReadonlyMap<number, StoredMessage>): string[] {
  const open = new Set<number>()
  const acknowledged = new Set<number>()
  const found: string[] = []
  for (const { is, id } of events) {
    if (is === 'acknowledged') acknowledged.add(id)
    if (is === 'acknowledged') open.delete(id)
    if (is !== 'seen') continue
    for (const other of open) {
      if (other === id) continue
      found.push(`${id} was received while ${other} was in flight`)
      open.delete(other)
    }
    if (!acknowledged.has(id) && needsAcknowledgement(byId.get(id))) open.add(id)
  }
  return found
}

/** Returns false for a message that may leave its queue without its device. */
function needsAcknowledgement(message: StoredMessage | undefined): boolean {
  if (message === undefined || message.guarantee === 'NO') return false
  return message.status !== 'CANCELLED' && message.status !== 'UNKNOWN'
}

function shortIntervals(deviceId: string, attempts: readonly StoredAttempt[], intervalMs: number): string[] {
  // The interval of all devices does not delay a poll.
  const inOrder = attempts.filter(({ transport }) => transport !== 'REST').toSorted((a, b) => a.atMs - b.atMs)
  return inOrder.flatMap(({ messageId, atMs }, at) => {
    const previous = inOrder[at - 1]
    if (previous === undefined || atMs - previous.atMs >= intervalMs - ROUNDING_MS) return []
    return [
      `${messageId} of ${deviceId} was dispatched ${atMs - previous.atMs} ms after ${previous.messageId}`,
    ]
  })
}

function groups<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const item of list) {
    const group = found.get(keyOf(item))
    if (group) group.push(item)
    else found.set(keyOf(item), [item])
  }
  return found
}
