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
import type { LastAttempt, Transitioned } from '../../broker/contract/store.ts'
import { attemptMsOf, isSameAttempt, repeatsNumber } from '../../broker/vocabulary/attempts.ts'
import {
  type DispatchedMessage,
  toDispatchedMessage,
  toPendingMessage,
} from '../../broker/vocabulary/message.ts'
import { endAt } from '../end.ts'
import type { MemoryData } from './memory-data.ts'
import type { MemoryLine } from './memory-line.ts'
import {
  attemptState,
  countedAttempts,
  endAttempt,
  isDispatchable,
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
  const attempt = line.inFlight && describeAttempt(data, line.inFlight)
  if (attempt) return { is: 'inFlight', attempt }
  const nowMs = data.clock.wallMs()
  const message = line.dispatchable(data.clock)
  if (!message) return { is: 'empty', dueInMs: line.dueInMs(data.clock) }
  const number = startAttempt(data, line, message, line.transport, rules)
  const dispatched = toDispatchedMessage(message, attemptState(message, number, nowMs), nowMs)
  return {
    is: 'message',
    message: dispatched,
    recorded: null,
    transition: data.apply(message, 'dispatchedOnce'),
  }
}

/** Ends a lease, unless a later one exists. */
export function release(data: MemoryData, deviceId: string, fence: number): void {
  const line = data.line(deviceId)
  if (line.isHeldBy(fence)) line.endLease()
}

export function head(data: MemoryData, deviceId: string): Head | null {
  const line = data.line(deviceId)
  const attempt = line.inFlight && describeAttempt(data, line.inFlight)
  const isRunning = attempt !== null && attempt.runningMs > 0
  const message = isRunning ? line.inFlight : line.dispatchable(data.clock)
  if (!message || !isDispatchable(message, data.clock)) return null
  return { message: toPendingMessage(message.id, message), attempt }
}

export function take(data: MemoryData, deviceId: string, head: Head, rules: AttemptRules): Taken | null {
  const line = data.line(deviceId)
  const message = data.messages.get(head.message.id)
  if (!message || !line.has(message.id) || !isDispatchable(message, data.clock)) return null
  const { inFlight } = line
  const attempt = inFlight && describeAttempt(data, inFlight)
  if (!isSameOpenAttempt(attempt, head.attempt) || (attempt && attempt.runningMs > 0)) return null
  if (inFlight) end(data, inFlight, 'TIMEOUT')
  return poll(data, line, message, rules)
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

/** Returns the open attempt of a message; null without one. */
export function describeAttempt(data: MemoryData, message: StoredMessage): OpenAttempt | null {
  const attempt = openAttempt(message)
  if (!attempt) return null
  const { number, atMs, untilMs } = attempt
  return {
    messageId: message.id,
    ...attemptState(message, number, data.clock.wallMs()),
    runningMs: Math.max(0, (untilMs ?? 0) - data.clock.monotonicMs()),
    atMs,
  }
}

function poll(data: MemoryData, line: MemoryLine, message: StoredMessage, rules: AttemptRules): Taken {
  const nowMs = data.clock.wallMs()
  const number = startAttempt(data, line, message, POLL, rules)
  const dispatched: DispatchedMessage = toDispatchedMessage(
    message,
    attemptState(message, number, nowMs),
    nowMs,
  )
  return { message: dispatched, transition: data.apply(message, 'dispatchedOnce') }
}

function isSameOpenAttempt(one: OpenAttempt | null, other: OpenAttempt | null): boolean {
  if (one === null || other === null) return one === other
  return one.messageId === other.messageId && isSameAttempt(one, other)
}

/** Starts an attempt and returns its number. A further attempt with a deaf device restarts the last attempt. */
function startAttempt(
  data: MemoryData,
  line: MemoryLine,
  message: StoredMessage,
  transport: string,
  { durationsMs, paced, deaf }: AttemptRules,
): number {
  const atMs = data.clock.wallMs()
  if (paced) line.dispatchedAtMs = atMs
  const { attempts, content } = message
  const latest = { counted: countedAttempts(message), outcome: attempts.at(-1)?.outcome ?? null }
  const isRepeated = repeatsNumber(latest, deaf, content.terms?.maxAttempts ?? null)
  const repeated = isRepeated ? attempts.pop() : undefined
  const number = attempts.length + 1
  const refused = repeated?.refused ?? null
  const attempt = { number, atMs, transport, outcome: null, refused, untilMs: 0 }
  attempts.push(attempt)
  attempt.untilMs = data.clock.monotonicMs() + attemptMsOf(durationsMs, countedAttempts(message))
  return number
}
