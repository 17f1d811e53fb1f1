/** Dispatches messages in the memory driver, over leases and to polls: numbers, ends and durations of attempts. */

import type {
  AttemptOutcome,
  AttemptRules,
  Claim,
  DeviceAttempt,
  EndedAttempt,
  Head,
  LineState,
  OpenAttempt,
  Taken,
} from '../../broker/contract/device-lease.ts'
import type { DeviceService, ServiceChange, ServiceOutcome } from '../../broker/contract/device-service.ts'
import type { LastAttempt, Transitioned } from '../../broker/contract/store.ts'
import {
  attemptStateOf,
  chooseForClaim,
  chooseForPoll,
  chooseForTake,
  type LatestAttempt,
  nextAttempt,
  openAttemptOf,
  type QueueFacts,
} from '../../broker/engine/dispatch-choice.ts'
import { isSameAttempt } from '../../broker/vocabulary/attempts.ts'
import {
  type DispatchedMessage,
  toDispatchedMessage,
  toPendingMessage,
} from '../../broker/vocabulary/message.ts'
import { endAt } from '../end.ts'
import type { MemoryData } from './memory-data.ts'
import {
  endAttempt,
  isDispatchable,
  latestAttempt,
  openAttempt,
  type StoredMessage,
} from './memory-message.ts'

/** Transport of an attempt by a poll. */
const POLL = 'REST'

export function attach(data: MemoryData, deviceId: string, transport: string) {
  const fence = data.line(deviceId).beginLease(transport)
  return { fence, state: lineState(data, deviceId) }
}

export function lineState(data: MemoryData, deviceId: string): LineState {
  const { dispatchedAtMs, inFlight } = data.line(deviceId)
  const sinceDispatchMs = dispatchedAtMs === null ? null : Math.max(0, data.clock.wallMs() - dispatchedAtMs)
  const unfinished = [...data.messages.values()]
    .filter(({ content }) => content.deviceId === deviceId)
    .flatMap(({ id: messageId }) => {
      const forMs = data.unfinishedForMs(messageId)
      return forMs === null ? [] : [{ messageId, forMs }]
    })
  return { sinceDispatchMs, attempt: inFlight && describeAttempt(data, inFlight), unfinished }
}

export function claim(
  data: MemoryData,
  deviceId: string,
  fence: number,
  ended: EndedAttempt | null,
  rules: AttemptRules,
): Claim {
  const line = data.line(deviceId)
  if (!line.isHeldBy(fence)) return { is: 'lost' }
  if (ended) endOpenAttempt(data, deviceId, ended)
  const chosen = chooseForClaim(factsOf(data), deviceId)
  if (chosen === null) return { is: 'empty', dueInMs: line.dueInMs(data.clock) }
  if (chosen.inFlight) return { is: 'inFlight', attempt: toOpenAttempt(data, chosen.inFlight) }
  return {
    is: 'message',
    recorded: null,
    ...dispatch(data, deviceId, chosen.messageId, line.transport, rules),
  }
}

/** Ends a lease, unless a later one exists. */
export function release(data: MemoryData, deviceId: string, fence: number): void {
  const line = data.line(deviceId)
  if (line.isHeldBy(fence)) line.endLease()
}

export function head(data: MemoryData, deviceId: string): Head | null {
  const chosen = chooseForPoll(factsOf(data), deviceId)
  if (chosen === null) return null
  const message = data.messages.get(chosen.messageId) as StoredMessage
  return {
    message: toPendingMessage(message.id, message),
    attempt: chosen.open && toOpenAttempt(data, chosen.open),
  }
}

export function take(data: MemoryData, deviceId: string, head: Head, rules: AttemptRules): Taken | null {
  const chosen = chooseForTake(factsOf(data), deviceId, head)
  if (chosen === null) return null
  if (chosen.over) end(data, data.messages.get(chosen.over.id) as StoredMessage, 'TIMEOUT')
  return dispatch(data, deviceId, head.message.id, POLL, rules)
}

/** Ends an attempt as decided by the domain. Returns false if something else ended it. */
export function endOpenAttempt(data: MemoryData, deviceId: string, ended: EndedAttempt): boolean {
  const message = data.line(deviceId).inFlight
  const attempt = message && openAttempt(message)
  if (message?.id !== ended.messageId || !attempt || !isSameAttempt(attempt, ended)) return false
  end(data, message, ended.outcome)
  return true
}

export function openAttempts(data: MemoryData): DeviceAttempt[] {
  return [...data.lines].flatMap(([deviceId, { inFlight }]) => {
    const attempt = inFlight && describeAttempt(data, inFlight)
    return attempt ? [{ deviceId, ...attempt }] : []
  })
}

/** Ends the open attempt of a message, which may then expire if its validity ended during the attempt. */
function end(data: MemoryData, message: StoredMessage, outcome: AttemptOutcome): void {
  endAttempt(message, outcome)
  const { expiresAtMs } = message
  if (expiresAtMs !== null && expiresAtMs <= data.clock.wallMs()) data.emit({ is: 'deadline', inMs: 0 })
}

export function park(
  data: MemoryData,
  deviceId: string,
  { messageId, number, outcome = 'TIMEOUT' }: LastAttempt,
): Transitioned | null {
  const message = data.messages.get(messageId)
  if (message?.content.deviceId !== deviceId) return null
  if (openAttempt(message)?.number !== number) return null
  endAttempt(message, outcome)
  return data.apply(message, 'parked')
}

/** Stores, with the open attempt of a device, why an answer was refused. Returns the id of the message. */
export function refuseAnswer(data: MemoryData, deviceId: string, reason: string): number | null {
  const { inFlight } = data.line(deviceId)
  const attempt = inFlight && openAttempt(inFlight)
  if (!attempt) return null
  attempt.refused = reason
  return inFlight.id
}

export function setBusy(data: MemoryData, deviceId: string, forMs: number): void {
  const line = data.line(deviceId)
  line.busyUntil = endAt(data.clock.wallMs() + forMs, forMs, data.clock)
  if (forMs > 0 && line.inFlight) end(data, line.inFlight, 'BUSY')
  data.emit({ is: 'busy', deviceId, forMs })
}

export function busyDevices(data: MemoryData): ReadonlyMap<string, number> {
  const rests = [...data.lines.keys()].map((deviceId) => [deviceId, data.busyForMs(deviceId)] as const)
  return new Map(rests.filter(([, restMs]) => restMs > 0))
}

export function changeService(data: MemoryData, changes: readonly ServiceChange[]): ServiceOutcome[] {
  return changes.map(({ deviceId, service, audit }) => {
    const current = data.serviceOf(deviceId)
    const isSame = service && current?.untilMs === service.untilMs && current.reason === service.reason
    if (isSame || (service === null && current === null))
      return { deviceId, service: current, isChanged: false }
    if (service === null) data.services.delete(deviceId)
    else {
      const nowMs = data.clock.wallMs()
      const sinceMs = Math.min(current?.sinceMs ?? nowMs, nowMs)
      const { untilMs } = service
      const until = untilMs === null ? null : endAt(untilMs, untilMs - sinceMs, data.clock)
      data.services.set(deviceId, { ...service, sinceMs, end: until })
      const { inFlight } = data.line(deviceId)
      if (inFlight) end(data, inFlight, 'BUSY')
    }
    data.record(audit)
    data.emit({ is: 'service', deviceId, service: data.serviceOf(deviceId) })
    return { deviceId, service: data.serviceOf(deviceId), isChanged: true }
  })
}

export function devicesOutOfService(data: MemoryData): ReadonlyMap<string, DeviceService> {
  const found = [...data.services.keys()].map((deviceId) => [deviceId, data.serviceOf(deviceId)] as const)
  return new Map(found.filter((each): each is [string, DeviceService] => each[1] !== null))
}

/** Returns the open attempt of a message; null without one. */
export function describeAttempt(data: MemoryData, message: StoredMessage): OpenAttempt | null {
  const attempt = openAttempt(message) && latestAttempt(message)
  return attempt && toOpenAttempt(data, attempt)
}

/** Returns what the rules of a dispatch ask about the queues. */
function factsOf(data: MemoryData): QueueFacts<LatestAttempt> {
  const find = (messageId: number) => data.messages.get(messageId) as StoredMessage
  return {
    open: (deviceId) => {
      const { inFlight } = data.line(deviceId)
      return inFlight && latestAttempt(inFlight)
    },
    next: (deviceId) => data.line(deviceId).dispatchable(data.clock)?.id ?? null,
    latest: (_deviceId, messageId) => latestAttempt(find(messageId)),
    isPending: (deviceId, messageId) => data.line(deviceId).has(messageId),
    isValid: (messageId) => isDispatchable(find(messageId), data.clock),
    isRunning: ({ outcome, untilMs }) => outcome === null && untilMs > data.clock.monotonicMs(),
  }
}

function toOpenAttempt({ messages, clock }: MemoryData, attempt: LatestAttempt): OpenAttempt {
  const { limits } = messages.get(attempt.id) as StoredMessage
  return openAttemptOf(attempt, limits, clock.wallMs(), clock.monotonicMs())
}

/** Begins an attempt. A NO message becomes DELIVERED. */
function dispatch(
  data: MemoryData,
  deviceId: string,
  messageId: number,
  transport: string,
  rules: AttemptRules,
): Taken {
  const { clock } = data
  const message = data.messages.get(messageId) as StoredMessage
  const { attempts, limits } = message
  const latest = latestAttempt(message)
  const next = nextAttempt(latest, rules, limits.maxAttempts, clock.wallMs(), clock.monotonicMs())
  const { number, atMs, untilMs } = next
  if (rules.paced) data.line(deviceId).dispatchedAtMs = atMs
  const repeated = next.repeats ? attempts.pop() : undefined
  attempts.push({ number, atMs, transport, outcome: null, refused: repeated?.refused ?? null, untilMs })
  const dispatched: DispatchedMessage = toDispatchedMessage(message, attemptStateOf(next, limits, atMs), atMs)
  return { message: dispatched, transition: data.apply(message, 'dispatchedOnce') }
}
