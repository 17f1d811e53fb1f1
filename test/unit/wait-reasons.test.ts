/** The reason why a message is pending, for each state of its device. */
import { expect, test } from 'vitest'
import type { Head, LineState, OpenAttempt } from '../../src/broker/contract/device-lease.ts'
import type { DeviceService } from '../../src/broker/contract/device-service.ts'
import type { Hold } from '../../src/broker/engine/dispatch-holds.ts'
import { waitOf } from '../../src/broker/views/wait-reasons.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import { NO_TERMS, toStoredTerms } from '../../src/broker/vocabulary/term-table.ts'
import { HeldClock } from '../_support/clock.ts'

const clock = new HeldClock()
const NOW = clock.wallMs()
const QUIET: LineState = { sinceDispatchMs: null, attempt: null, unfinished: [] }
const RUNNING: OpenAttempt = {
  ...{ messageId: 7, number: 4, counted: 4, maxAttempts: null, remainingMs: null, finishSeconds: null },
  ...{ runningMs: 500, atMs: NOW },
}
const headOf = (id: number, attempt: OpenAttempt | null = null): Head => ({
  message: { id, command: 'go', guarantee: 'RECEIPT_CONFIRMATION', data: '{}' },
  attempt,
})
const hold = (is: Hold['is'], forMs = 0, messageId: number | null = null): Hold => ({ is, forMs, messageId })

interface Device {
  readonly dueAtMs?: number
  /** Time by which the clock is behind the time at which the message was stored. */
  readonly storedInMs?: number
  readonly head?: Head | null
  readonly busyMs?: number
  readonly service?: DeviceService
  readonly hold?: Hold
  readonly settings?: Partial<DeviceSettings>
  readonly line?: Partial<LineState>
}

async function waits(device: Device): Promise<unknown> {
  const { dueAtMs = null, head = headOf(7), busyMs = 0, service = null, settings, line } = device
  const terms = { ...toStoredTerms(NO_TERMS, NOW), dueAtMs, finishAtMs: null, details: false }
  const message = { id: 7, deviceId: 'pump', createdAtMs: NOW - 10 + (device.storedInMs ?? 0) } as Parameters<
    typeof waitOf
  >[0]
  const { reason, messageId, untilMs } = await waitOf(message, { terms }, head, {
    messages: { line: () => ({ ...QUIET, ...line }) },
    hold: () => device.hold ?? null,
    pauses: {
      forMs: () => Math.max(busyMs, service?.forMs ?? (service ? Number.POSITIVE_INFINITY : 0)),
      busyForMs: () => busyMs,
      serviceOf: () => service,
    },
    deviceSettings: { of: () => ({ ...GENERAL_SETTINGS, ...settings }) },
    clock,
  })
  return [reason, messageId, untilMs === null ? null : untilMs - NOW]
}

const SERVICE: DeviceService = { sinceMs: 0, untilMs: null, reason: 'repair', by: null, forMs: null }
const until = (forMs: number) => ({ ...SERVICE, untilMs: NOW + forMs, forMs })

const PACED = { settings: { sendMessagePeriodMs: 1_000 }, line: { sinceDispatchMs: 300 } }
const COMPLETED: Pick<Device, 'settings' | 'line'> = {
  settings: { nextAfter: 'COMPLETED' },
  line: { unfinished: [{ messageId: 3, forMs: 900 }] },
}

test.each<[string, Device, unknown[]]>([
  ['delayed', { dueAtMs: NOW + 50, head: null, busyMs: 9 }, ['LATER', null, 50]],
  [
    'delayed, and the clock is behind',
    { dueAtMs: NOW + 950, storedInMs: 910, head: null },
    ['LATER', null, 50],
  ],
  ['its delay is over, and the clock is behind', { dueAtMs: NOW + 950 }, ['DEVICE_AWAY', null, null]],
  ['its delay is over', { dueAtMs: NOW }, ['DEVICE_AWAY', null, null]],
  ['another message is first', { head: headOf(6), busyMs: 9 }, ['BEHIND', 6, null]],
  ['busy, connected', { busyMs: 40, hold: hold('BUSY', 40) }, ['BUSY', null, 40]],
  ['out of service', { service: SERVICE, hold: hold('BUSY', 40) }, ['SERVICE', null, null]],
  ['out of service until a date', { service: until(40), busyMs: 30 }, ['SERVICE', null, 40]],
  ['out of service, busy for longer', { service: until(40), busyMs: 50 }, ['BUSY', null, 50]],
  ['in flight', { hold: hold('ACKNOWLEDGEMENT', 70, 7) }, ['ACKNOWLEDGEMENT', null, 70]],
  ['its connection is gone', { hold: hold('BACK_OFF', 70, 7) }, ['BACK_OFF', null, 70]],
  ['polled', { head: headOf(7, RUNNING) }, ['ACKNOWLEDGEMENT', null, null]],
  ['polled long ago', { head: headOf(7, { ...RUNNING, runningMs: 0 }) }, ['ACKNOWLEDGEMENT', null, null]],
  ['unfinished message', COMPLETED, ['BEHIND', 3, 900]],
  ['unfinished message, connected', { ...COMPLETED, hold: hold('UNFINISHED', 900) }, ['BEHIND', 3, 900]],
  ['own interval, away', PACED, ['GAP', null, 700]],
  ['own interval, polled', { ...PACED, head: headOf(7, RUNNING) }, ['ACKNOWLEDGEMENT', null, null]],
  ['general interval', { hold: hold('PACING', 200) }, ['GAP', null, 200]],
  ['the store refused a claim', { hold: hold('RETRYING', 200) }, ['GOING_OUT', null, null]],
  ['nothing', { hold: hold('IDLE') }, ['GOING_OUT', null, null]],
])('pending: %s → the reason, and its end', async (_state, device, expected) => {
  expect(await waits(device)).toEqual(expected)
})
