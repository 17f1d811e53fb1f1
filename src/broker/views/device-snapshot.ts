/** Evaluates the state and the problems of each device from one snapshot of all sources. Knows no lists. */

import type { DeviceQueues } from '../contract/device-store.ts'
import type { ProblemCounts } from './device-problems.ts'
import type { DevicePresence } from './presence.ts'

/** Time within which a device that is not connected counts as recently seen, in milliseconds. */
export const RECENT_MS = 300_000

/** ONLINE: connected. RECENT: seen within five minutes. AWAY: seen before. UNSEEN: never seen. */
export const DEVICE_STATES = ['ONLINE', 'RECENT', 'AWAY', 'UNSEEN'] as const
export type DeviceState = (typeof DEVICE_STATES)[number]

/**
 * Conditions for searches. PENDING: the queue is not empty. BLOCKED: the second attempt with a message, or a later one,
 * is not acknowledged. PARKED: messages can be replayed. FAILED: messages failed within a day. BUSY: the device asked
 * for a pause. SILENT: the device was not seen for longer than its setting `expectedSeconds` allows. SERVICE: a person
 * took the device out of service.
 */
export const DEVICE_CONDITIONS = [
  'PENDING',
  'BLOCKED',
  'PARKED',
  'FAILED',
  'BUSY',
  'SILENT',
  'SERVICE',
] as const
export type DeviceCondition = (typeof DEVICE_CONDITIONS)[number]

/** Order in which a list sorts by problem, the worst first. */
const PROBLEMS: readonly DeviceCondition[] = ['BLOCKED', 'PARKED', 'FAILED', 'SILENT', 'BUSY']

export interface FactSources {
  readonly presence: { of(deviceId: string): DevicePresence }
  readonly queues: DeviceQueues
  readonly blocked: ReadonlySet<string>
  readonly problems: ReadonlyMap<string, ProblemCounts>
  readonly busy: ReadonlySet<string>
  readonly outOfService: ReadonlySet<string>
  readonly silent: ReadonlySet<string>
  readonly nowMs: number
}

export class DeviceSnapshot {
  readonly sources: FactSources

  constructor(sources: FactSources) {
    this.sources = sources
  }

  stateOf(deviceId: string): DeviceState {
    return stateOf(this.sources.presence.of(deviceId), this.sources.nowMs)
  }

  has(deviceId: string, condition: DeviceCondition): boolean {
    const { queues, blocked, problems, busy, silent, outOfService } = this.sources
    switch (condition) {
      case 'PENDING':
        return queues.sizeOf(deviceId) > 0
      case 'BLOCKED':
        return blocked.has(deviceId)
      case 'PARKED':
        return (problems.get(deviceId)?.parked ?? 0) > 0
      case 'FAILED':
        return (problems.get(deviceId)?.failed ?? 0) > 0
      case 'BUSY':
        return busy.has(deviceId)
      case 'SILENT':
        return silent.has(deviceId)
      case 'SERVICE':
        return outOfService.has(deviceId)
    }
  }

  /** Returns the rank of the worst problem of a device; the number of all problems if it has none. */
  problemRank(deviceId: string): number {
    const rank = PROBLEMS.findIndex((condition) => this.has(deviceId, condition))
    return rank < 0 ? PROBLEMS.length : rank
  }

  lastSeenMs(deviceId: string): number | null {
    return this.sources.presence.of(deviceId).atMs
  }
}

export function stateOf({ atMs, transport }: DevicePresence, nowMs: number): DeviceState {
  if (transport !== null) return 'ONLINE'
  if (atMs === null) return 'UNSEEN'
  return nowMs - atMs < RECENT_MS ? 'RECENT' : 'AWAY'
}
