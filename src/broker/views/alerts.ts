/** Finds the conditions that need a human, most urgent first. Knows neither HTTP nor SQL. */

import type { DiskSpace, MessageRef, StoreStats, UnknownMessages } from '../contract/store-stats.ts'
import type { DeviceRefusals } from '../engine/refused-answers.ts'
import type { UnansweredMessage } from '../engine/unanswered-messages.ts'
import { type Cause, FAILED_STATUSES } from '../vocabulary/status.ts'
import type { CountedRejection, RejectionReason } from './rejection-log.ts'
import type { SilentDevice } from './silent-devices.ts'

/** Kinds, most urgent first. */
export const ALERT_KINDS = [
  'STORAGE_FAILED',
  'DISK_NEARLY_FULL',
  'CLOCK_BEHIND',
  'QUEUE_NEARLY_FULL',
  'PARKED',
  'DEVICE_DEAF',
  'ANSWERS_REFUSED',
  'NOT_ACKNOWLEDGED',
  'NOT_FINISHED',
  'DEVICE_SILENT',
  'WAITING_LONG',
  'FAILED',
  'LOGIN_REFUSED',
  'QUEUES_OPEN',
] as const

/** Condition that needs a human. Members that do not apply to its kind are null. */
export interface Alert {
  readonly kind: (typeof ALERT_KINDS)[number]
  /** Start of the condition, in milliseconds since 1970. */
  readonly sinceMs: number | null
  readonly deviceId: string | null
  readonly messageId: number | null
  readonly address: string | null
  /**
   * Amount that caused the alert: bytes, messages, attempts, answers, logins, clients, milliseconds (CLOCK_BEHIND) or
   * seconds.
   */
  readonly value: number | null
  /** Amount with which the page compares `value`: the limit of the queue, the size of the disk, the expected time. */
  readonly limit: number | null
  /** Unit of `value` and `limit` if the kind does not determine it: QUEUE_NEARLY_FULL. */
  readonly unit: 'messages' | 'bytes' | null
}

/** Thresholds of the alerts. Durations are in milliseconds. */
export const ALERT_LIMITS = {
  perKind: 5,
  /** Fill level from which a queue counts as nearly full. */
  queueShare: 0.8,
  /** The disk counts as nearly full below either value. */
  minFreeShare: 0.05,
  minFreeBytes: 104_857_600,
  /** Age of a pending message that causes an alert. */
  pendingMs: 3_600_000,
  /** Time for which a failed, parked or unfinished message stays an alert. */
  failedMs: 86_400_000,
  /** Attempts without an acknowledgement after which a message causes an alert. */
  unanswered: 3,
  /** Consecutive refused answers of a device that cause an alert, for `failedMs` after the latest one. */
  refusedAnswers: 3,
  /** Refused logins of one name from one address that cause an alert. */
  logins: 5,
  /** Time for which the alert stays after the latest refused login. */
  loginsMs: 3_600_000,
} as const

/** Rejections caused by a wrong name or password. */
export const REFUSED_LOGIN_REASONS: readonly RejectionReason[] = ['WRONG_CREDENTIALS', 'TOO_MANY_FAILURES']

export interface AlertSources {
  readonly store: Pick<StoreStats, 'oldest' | 'nearlyFull' | 'newest' | 'unknown' | 'failedAtMs'>
  readonly space: DiskSpace
  /** Time by which the clock is behind the newest message, while this stops the deadlines; else null. */
  readonly clockBehindMs: number | null
  readonly unanswered: readonly UnansweredMessage[]
  readonly deaf: readonly { readonly deviceId: string; readonly sinceMs: number }[]
  readonly refusedAnswers: readonly DeviceRefusals[]
  readonly silent: readonly SilentDevice[]
  readonly rejections: readonly CountedRejection[]
  /** Number of devices that may use each other's queues; null for none. */
  readonly openQueueClients: number | null
  readonly nowMs: number
}

/** Causes of UNKNOWN messages with their own alert, beside FAILED. */
const OWN_ALERTS = { NOT_ACKNOWLEDGED: 'PARKED', NOT_FINISHED: 'NOT_FINISHED' } as const satisfies Partial<
  Record<Cause, Alert['kind']>
>

/** Returns the current alerts, most urgent first. */
export async function findAlerts(sources: AlertSources): Promise<Alert[]> {
  const { store, clockBehindMs, unanswered, deaf, refusedAnswers, silent, openQueueClients, nowMs } = sources
  // Read before evaluating `failedAtMs`, because a read may discover the failure of the storage.
  const fromMessages = [...(await pendingLong(sources)), ...(await failures(sources))]
  const unknown = await store.unknown(nowMs - ALERT_LIMITS.failedMs)
  const full = await store.nearlyFull(ALERT_LIMITS.perKind)
  return [
    ...(store.failedAtMs === null ? [] : [alert('STORAGE_FAILED', { sinceMs: store.failedAtMs })]),
    ...ofDisk(sources.space),
    ...(clockBehindMs === null ? [] : [alert('CLOCK_BEHIND', { value: Math.ceil(clockBehindMs) })]),
    ...full.map(({ of, ...each }) => alert('QUEUE_NEARLY_FULL', { ...each, unit: of })),
    ...ofUnknown(unknown, 'NOT_ACKNOWLEDGED'),
    ...longest(deaf).map(({ deviceId, sinceMs }) => alert('DEVICE_DEAF', { deviceId, sinceMs })),
    ...longest(refusedAnswers).map(({ count, lastMs: _, ...each }) =>
      alert('ANSWERS_REFUSED', { ...each, value: count }),
    ),
    ...longest(unanswered).map(({ times, lastMs: _, ...each }) =>
      alert('NOT_ACKNOWLEDGED', { ...each, value: times }),
    ),
    ...ofUnknown(unknown, 'NOT_FINISHED'),
    ...silent.slice(0, ALERT_LIMITS.perKind).map((device) => ofSilent(device, nowMs)),
    ...fromMessages,
    ...ofLogins(sources),
    ...(openQueueClients === null ? [] : [alert('QUEUES_OPEN', { value: openQueueClients })]),
  ]
}

function alert(kind: Alert['kind'], parts: Partial<Alert>): Alert {
  const none = { sinceMs: null, deviceId: null, messageId: null, address: null, value: null, limit: null }
  return { kind, ...none, unit: null, ...parts }
}

function longest<T extends { readonly sinceMs: number }>(conditions: readonly T[]): T[] {
  return [...conditions].sort((a, b) => a.sinceMs - b.sinceMs).slice(0, ALERT_LIMITS.perKind)
}

function ofDisk({ free, disk }: DiskSpace): Alert[] {
  return isLowOnDisk({ free, disk }) ? [alert('DISK_NEARLY_FULL', { value: free, limit: disk })] : []
}

/** Returns whether the disk is nearly full. False if the storage does not know its disk. */
export function isLowOnDisk({ free, disk }: Pick<DiskSpace, 'free' | 'disk'>): boolean {
  if (free === null || disk === null) return false
  return free < ALERT_LIMITS.minFreeBytes || free < disk * ALERT_LIMITS.minFreeShare
}

/** Returns one alert for all UNKNOWN messages of a cause, with their number and the oldest message. */
function ofUnknown(unknown: readonly UnknownMessages[], cause: keyof typeof OWN_ALERTS): Alert[] {
  return unknown
    .filter((each) => each.cause === cause)
    .map(({ count, oldest: { atMs, ...message } }) =>
      alert(OWN_ALERTS[cause], { ...message, sinceMs: atMs, value: count }),
    )
}

function ofSilent({ deviceId, sinceMs, expectedSeconds }: SilentDevice, nowMs: number): Alert {
  const value = Math.floor((nowMs - sinceMs) / 1000)
  return alert('DEVICE_SILENT', { deviceId, sinceMs, value, limit: expectedSeconds })
}

async function pendingLong({ store, nowMs }: AlertSources): Promise<Alert[]> {
  const oldest = await store.oldest(ALERT_LIMITS.perKind)
  return oldest
    .filter(({ atMs }) => atMs < nowMs - ALERT_LIMITS.pendingMs)
    .map(({ atMs, ...each }) => alert('WAITING_LONG', { ...each, sinceMs: atMs }))
}

async function failures({ store, nowMs }: AlertSources): Promise<Alert[]> {
  const sinceMs = nowMs - ALERT_LIMITS.failedMs
  const others = Object.keys(OWN_ALERTS) as Cause[]
  const found: MessageRef[] = []
  for (const status of FAILED_STATUSES) {
    found.push(...(await store.newest(status, sinceMs, ALERT_LIMITS.perKind, others)))
  }
  return found
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, ALERT_LIMITS.perKind)
    .map(({ atMs, ...each }) => alert('FAILED', { ...each, sinceMs: atMs }))
}

function ofLogins({ rejections, nowMs }: AlertSources): Alert[] {
  return rejections
    .filter(
      ({ reason, count, atMs }) =>
        REFUSED_LOGIN_REASONS.includes(reason) &&
        count >= ALERT_LIMITS.logins &&
        atMs >= nowMs - ALERT_LIMITS.loginsMs,
    )
    .slice(0, ALERT_LIMITS.perKind)
    .map(({ deviceId, address, count, atMs }) =>
      alert('LOGIN_REFUSED', { deviceId, address, value: count, sinceMs: atMs }),
    )
}
