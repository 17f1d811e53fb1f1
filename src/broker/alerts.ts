/** Finds the conditions that need a human, most urgent first. Knows neither HTTP nor SQL. */
import type { CountedRejection } from './rejection-log.ts'
import type { DiskSpace, StoreStats } from './store-stats.ts'

export const ALERT_KINDS = [
  'STORAGE_FAILED',
  'DISK_NEARLY_FULL',
  'QUEUE_NEARLY_FULL',
  'NOT_ACKNOWLEDGED',
  'WAITING_LONG',
  'FAILED',
  'LOGIN_REFUSED',
] as const

/** One condition that needs a human. Parts that do not apply to its kind are null. */
export interface Alert {
  readonly kind: (typeof ALERT_KINDS)[number]
  /** Begin of the condition, in milliseconds since 1970. */
  readonly sinceMs: number | null
  readonly deviceId: string | null
  readonly messageId: number | null
  readonly address: string | null
  /** The amount that caused the alert: bytes, messages, attempts or logins. */
  readonly value: number | null
  /** The amount that `value` is compared with on the page: the limit of the queue, or the size of the disk. */
  readonly limit: number | null
}

/** A message in flight to a connected device that did not acknowledge earlier attempts in time. */
export interface UnansweredMessage {
  readonly deviceId: string
  readonly messageId: number
  /** Number of attempts without an acknowledgement. */
  readonly times: number
  /** Time of the first of these attempts. */
  readonly sinceMs: number
}

/** The conditions for an alert. Durations are in milliseconds. */
export const ALERT_LIMITS = {
  /** Maximum alerts of one kind. */
  perKind: 5,
  /** Share of the limit of a queue from which it counts as nearly full. */
  queueShare: 0.8,
  /** The disk counts as nearly full below either of these. */
  minFreeShare: 0.05,
  minFreeBytes: 104_857_600,
  /** Time after which a pending message causes an alert. */
  pendingMs: 3_600_000,
  /** Time for which the failure of a message stays an alert. */
  failedMs: 86_400_000,
  /** Attempts without an acknowledgement, from which a message causes an alert. */
  unanswered: 3,
  /** Refused logins of one name from one address, from which they cause an alert. */
  logins: 5,
  /** Time after the latest refused login in which the alert stays. */
  loginsMs: 3_600_000,
} as const

/** The facts from which alerts follow. */
export interface AlertSources {
  readonly store: Pick<StoreStats, 'oldest' | 'nearlyFull' | 'newest' | 'failedAtMs'>
  readonly space: DiskSpace
  readonly queueLimit: number
  readonly unanswered: readonly UnansweredMessage[]
  readonly rejections: readonly CountedRejection[]
  readonly nowMs: number
}

/** Returns the present alerts, most urgent first. */
export async function findAlerts(sources: AlertSources): Promise<Alert[]> {
  const { store, queueLimit, unanswered } = sources
  // The reads come before the look at `failedAtMs`, since a read may discover the failure of the storage.
  const fromMessages = [...(await pendingLong(sources)), ...(await failures(sources))]
  const full = await store.nearlyFull(ALERT_LIMITS.perKind)
  return [
    ...(store.failedAtMs === null ? [] : [alert('STORAGE_FAILED', { sinceMs: store.failedAtMs })]),
    ...ofDisk(sources.space),
    ...full.map(({ deviceId, pending }) =>
      alert('QUEUE_NEARLY_FULL', { deviceId, value: pending, limit: queueLimit }),
    ),
    ...[...unanswered]
      .sort((a, b) => a.sinceMs - b.sinceMs)
      .slice(0, ALERT_LIMITS.perKind)
      .map(({ times, ...each }) => alert('NOT_ACKNOWLEDGED', { ...each, value: times })),
    ...fromMessages,
    ...ofLogins(sources),
  ]
}

function alert(kind: Alert['kind'], parts: Partial<Alert>): Alert {
  const nothing = { sinceMs: null, deviceId: null, messageId: null, address: null, value: null, limit: null }
  return { kind, ...nothing, ...parts }
}

function ofDisk({ free, disk }: DiskSpace): Alert[] {
  const enough = free >= ALERT_LIMITS.minFreeBytes && free >= disk * ALERT_LIMITS.minFreeShare
  return enough ? [] : [alert('DISK_NEARLY_FULL', { value: free, limit: disk })]
}

async function pendingLong({ store, nowMs }: AlertSources): Promise<Alert[]> {
  const oldest = await store.oldest(ALERT_LIMITS.perKind)
  return oldest
    .filter(({ atMs }) => atMs < nowMs - ALERT_LIMITS.pendingMs)
    .map(({ atMs, ...each }) => alert('WAITING_LONG', { ...each, sinceMs: atMs }))
}

async function failures({ store, nowMs }: AlertSources): Promise<Alert[]> {
  const sinceMs = nowMs - ALERT_LIMITS.failedMs
  const found = [
    ...(await store.newest('COMPLETED_WITH_ERROR', sinceMs, ALERT_LIMITS.perKind)),
    ...(await store.newest('UNKNOWN', sinceMs, ALERT_LIMITS.perKind)),
  ]
  return found
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, ALERT_LIMITS.perKind)
    .map(({ atMs, ...each }) => alert('FAILED', { ...each, sinceMs: atMs }))
}

function ofLogins({ rejections, nowMs }: AlertSources): Alert[] {
  return rejections
    .filter(
      ({ reason, count, atMs }) =>
        (reason === 'WRONG_CREDENTIALS' || reason === 'TOO_MANY_FAILURES') &&
        count >= ALERT_LIMITS.logins &&
        atMs >= nowMs - ALERT_LIMITS.loginsMs,
    )
    .slice(0, ALERT_LIMITS.perKind)
    .map(({ deviceId, address, count, atMs }) =>
      alert('LOGIN_REFUSED', { deviceId, address, value: count, sinceMs: atMs }),
    )
}
