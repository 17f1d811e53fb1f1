/** Determines why a message is pending, and when that reason ends. */

import type { Head, LineState } from '../contract/device-lease.ts'
import type { MessageExtras } from '../contract/message-log.ts'
import type { MessageStore } from '../contract/store.ts'
import type { DeviceSettingsCache } from '../engine/device-settings-cache.ts'
import type { Hold } from '../engine/dispatch-holds.ts'
import type { DispatchPauses } from '../engine/dispatch-pauses.ts'
import type { Clock } from '../vocabulary/clock.ts'
import type { MessageRecord } from '../vocabulary/message.ts'

/**
 * Reasons why a message is pending. LATER: its delay is not over. BEHIND: another message is dispatched, or has to be
 * finished, first. BUSY: the device asked for a pause. GAP: the pacing interval is not over. DEVICE_AWAY: no attempt
 * runs, and the device is not connected. ACKNOWLEDGEMENT: the message was dispatched, and is redelivered at that time,
 * or at the first poll after the attempt. BACK_OFF: the connection of the running attempt is gone, and the next attempt
 * starts at that time. GOING_OUT: nothing holds the message. SERVICE: a person took the device out of service.
 */
export const WAIT_REASONS = [
  'BEHIND',
  'GAP',
  'DEVICE_AWAY',
  'ACKNOWLEDGEMENT',
  'GOING_OUT',
  'BUSY',
  'LATER',
  'BACK_OFF',
  'SERVICE',
] as const

export interface Wait {
  readonly reason: (typeof WAIT_REASONS)[number]
  /** Message that is dispatched or finished first. */
  readonly messageId: number | null
  /** Time at which the wait ends, in milliseconds since 1970; null if no time ends it. */
  readonly untilMs: number | null
}

export interface WaitOptions {
  readonly messages: Pick<MessageStore, 'line'>
  /** Returns the hold on the dispatch to a device; null if the device is not connected. */
  readonly hold: (deviceId: string) => Hold | null
  readonly pauses: Pick<DispatchPauses, 'forMs' | 'busyForMs' | 'serviceOf'>
  readonly deviceSettings: Pick<DeviceSettingsCache, 'of'>
  readonly clock: Clock
}

/**
 * Returns the reason why a message is pending.
 *
 * @param head next message of the device
 */
export async function waitOf(
  { id, deviceId, createdAtMs }: MessageRecord,
  { terms }: Pick<MessageExtras, 'terms'>,
  head: Head | null,
  options: WaitOptions,
): Promise<Wait> {
  const { clock, hold } = options
  const until = (forMs: number) => ({ untilMs: clock.wallMs() + Math.ceil(forMs) })
  const dueAtMs = terms?.dueAtMs ?? null
  const isFirst = head?.message.id === id
  if (dueAtMs !== null && !isFirst) {
    // A clock that was set back must not prolong a delay.
    const delayMs = Math.min(dueAtMs - clock.wallMs(), dueAtMs - createdAtMs)
    if (delayMs > 0) return waitFor('LATER', until(delayMs))
  }
  if (head !== null && !isFirst) return waitFor('BEHIND', { messageId: head.message.id })
  const pause = pauseOf(deviceId, options)
  if (pause !== null) return pause
  const held = hold(deviceId)
  const isInFlight = held?.is === 'ACKNOWLEDGEMENT' || held?.is === 'BACK_OFF'
  if (isInFlight && held.messageId === id) return waitFor(held.is, until(held.forMs))
  const isOpen = (head?.attempt?.runningMs ?? 0) > 0
  if (isOpen && held === null) return waitFor('ACKNOWLEDGEMENT')
  const line = await ownHold(deviceId, options)
  if (line !== null) return waitFor(line.reason, { messageId: line.messageId, ...until(line.forMs) })
  if (held === null) return waitFor(head?.attempt ? 'ACKNOWLEDGEMENT' : 'DEVICE_AWAY')
  return held.is === 'PACING' ? waitFor('GAP', until(held.forMs)) : waitFor('GOING_OUT')
}

/** Returns the pause of a device that ends last; null without one. */
function pauseOf(deviceId: string, { pauses, clock }: WaitOptions): Wait | null {
  const busyMs = pauses.busyForMs(deviceId)
  const service = pauses.serviceOf(deviceId)
  if (service !== null && pauses.forMs(deviceId) > busyMs)
    return waitFor('SERVICE', { untilMs: service.untilMs })
  return busyMs > 0 ? waitFor('BUSY', { untilMs: clock.wallMs() + Math.ceil(busyMs) }) : null
}

/** Hold caused by the settings of the device, over every transport. */
export interface OwnHold {
  readonly reason: 'BEHIND' | 'GAP'
  readonly messageId: number | null
  readonly forMs: number
}

/** Returns the hold that the settings of the device place on its queue, over every transport; null without one. */
export async function ownHold(
  deviceId: string,
  { messages, deviceSettings }: Pick<WaitOptions, 'messages' | 'deviceSettings'>,
): Promise<OwnHold | null> {
  const { nextAfter, sendMessagePeriodMs } = deviceSettings.of(deviceId)
  if (nextAfter !== 'COMPLETED' && sendMessagePeriodMs === null) return null
  const line = await messages.line(deviceId)
  const unfinished = nextAfter === 'COMPLETED' ? line.unfinished.find(({ forMs }) => forMs > 0) : undefined
  if (unfinished) return { reason: 'BEHIND', messageId: unfinished.messageId, forMs: unfinished.forMs }
  const gapMs = restOf(line, sendMessagePeriodMs ?? 0)
  return gapMs > 0 ? { reason: 'GAP', messageId: null, forMs: gapMs } : null
}

function restOf({ sinceDispatchMs }: LineState, intervalMs: number): number {
  return sinceDispatchMs === null ? 0 : intervalMs - sinceDispatchMs
}

function waitFor(reason: Wait['reason'], more: Partial<Wait> = {}): Wait {
  return { reason, messageId: null, untilMs: null, ...more }
}
