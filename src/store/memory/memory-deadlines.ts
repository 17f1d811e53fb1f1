/**
 * Processes deadlines in the memory driver: the validity of pending messages, and the finish time of DELIVERED
 * messages.
 */
import type { Expiry, Transitioned } from '../../broker/contract/store.ts'
import type { MemoryData } from './memory-data.ts'
import { describeAttempt } from './memory-dispatch.ts'
import { endAttempt, type StoredMessage } from './memory-message.ts'

export function expire(data: MemoryData, limit: number): Expiry {
  const due = deadlines(data).filter(({ inMs }) => inMs <= 0)
  const settled = due.slice(0, limit).flatMap(({ message }) => {
    const transition = carryOut(data, message)
    return transition ? { ...transition, attempts: message.attempts.length } : []
  })
  const rest = deadlines(data).map(({ inMs }) => Math.max(0, inMs))
  return { settled, nextInMs: rest.length > 0 ? Math.min(...rest) : null }
}

/** Returns the messages with a deadline, the earliest deadline first. */
function deadlines(data: MemoryData): { readonly message: StoredMessage; readonly inMs: number }[] {
  return [...data.messages.values()]
    .flatMap((message) => {
      const inMs = deadlineOf(data, message)
      return inMs === null ? [] : [{ message, inMs }]
    })
    .sort((a, b) => a.inMs - b.inMs)
}

/** Returns the time until the deadline of a message; null without one. A running attempt defers an expiry. */
function deadlineOf(data: MemoryData, message: StoredMessage): number | null {
  const { status, expiresAtMs, finish } = message
  const nowMs = data.clock.wallMs()
  if (status === 'DELIVERED' && finish !== null) return finish.wallMs - nowMs
  if (status !== 'NOT_DELIVERED' || expiresAtMs === null) return null
  return Math.max(expiresAtMs - nowMs, describeAttempt(data, message)?.runningMs ?? Number.NEGATIVE_INFINITY)
}

function carryOut(data: MemoryData, message: StoredMessage): Transitioned | null {
  if (message.status === 'DELIVERED') return data.apply(message, 'notFinished')
  endAttempt(message, 'TIMEOUT')
  return data.apply(message, 'expired') ?? data.apply(message, 'expiredInFlight')
}
