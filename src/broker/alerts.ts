/** What needs a human: a short list, most urgent first. Knows neither HTTP nor SQL. */
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

export interface Alert {
  readonly kind: (typeof ALERT_KINDS)[number]
  /** Since when, in milliseconds since 1970. */
  readonly sinceMs: number | null
  readonly deviceId: string | null
  readonly messageId: number | null
  readonly address: string | null
  /** How much or how many, and of what. */
  readonly value: number | null
  readonly limit: number | null
}

/** A message that went out again and again to a device that is there. */
export interface UnansweredMessage {
  readonly deviceId: string
  readonly messageId: number
  readonly times: number
  /** When it went out first. */
  readonly sinceMs: number
}

export const ALERT_LIMITS = {
  /** Most items of a kind. */
  each: 5,
  /** Share of the limit of a queue from which it counts as nearly full. */
  queueShare: 0.8,
  /** Less than one of these is free. */
  freeShare: 0.05,
  freeBytes: 104_857_600,
  /** A message that waits for longer. */
  waitingMs: 3_600_000,
  /** Failures are told for this long. */
  failedMs: 86_400_000,
  /** Times that a message went out in vain. */
  unanswered: 3,
  /** Refused logins of one name from one address, of which the last is not longer ago. */
  logins: 5,
  loginsMs: 3_600_000,
} as const

export interface AlertSources {
  readonly store: Pick<StoreStats, 'oldest' | 'nearlyFull' | 'newest' | 'failedAtMs'>
  readonly space: DiskSpace
  readonly queueLimit: number
  readonly unanswered: readonly UnansweredMessage[]
  readonly rejections: readonly CountedRejection[]
  readonly nowMs: number
}

export async function findAlerts(signs: AlertSources): Promise<Alert[]> {
  const { store, queueLimit, unanswered } = signs
  // First: this may be what finds out that the storage failed.
  const read = [...(await waitingLong(signs)), ...(await failures(signs))]
  const full = await store.nearlyFull(ALERT_LIMITS.each)
  return [
    ...(store.failedAtMs === null ? [] : [item('STORAGE_FAILED', { sinceMs: store.failedAtMs })]),
    ...diskOf(signs.space),
    ...full.map(({ deviceId, pending }) =>
      item('QUEUE_NEARLY_FULL', { deviceId, value: pending, limit: queueLimit }),
    ),
    ...[...unanswered]
      .sort((a, b) => a.sinceMs - b.sinceMs)
      .slice(0, ALERT_LIMITS.each)
      .map(({ times, ...each }) => item('NOT_ACKNOWLEDGED', { ...each, value: times })),
    ...read,
    ...loginsOf(signs),
  ]
}

function item(kind: Alert['kind'], parts: Partial<Alert>): Alert {
  const nothing = { sinceMs: null, deviceId: null, messageId: null, address: null, value: null, limit: null }
  return { kind, ...nothing, ...parts }
}

function diskOf({ free, disk }: DiskSpace): Alert[] {
  const enough = free >= ALERT_LIMITS.freeBytes && free >= disk * ALERT_LIMITS.freeShare
  return enough ? [] : [item('DISK_NEARLY_FULL', { value: free, limit: disk })]
}

async function waitingLong({ store, nowMs }: AlertSources): Promise<Alert[]> {
  const oldest = await store.oldest(ALERT_LIMITS.each)
  return oldest
    .filter(({ atMs }) => atMs < nowMs - ALERT_LIMITS.waitingMs)
    .map(({ atMs, ...each }) => item('WAITING_LONG', { ...each, sinceMs: atMs }))
}

async function failures({ store, nowMs }: AlertSources): Promise<Alert[]> {
  const sinceMs = nowMs - ALERT_LIMITS.failedMs
  const found = [
    ...(await store.newest('COMPLETED_WITH_ERROR', sinceMs, ALERT_LIMITS.each)),
    ...(await store.newest('UNKNOWN', sinceMs, ALERT_LIMITS.each)),
  ]
  return found
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, ALERT_LIMITS.each)
    .map(({ atMs, ...each }) => item('FAILED', { ...each, sinceMs: atMs }))
}

function loginsOf({ rejections, nowMs }: AlertSources): Alert[] {
  return rejections
    .filter(
      ({ reason, count, atMs }) =>
        (reason === 'WRONG_CREDENTIALS' || reason === 'TOO_MANY_FAILURES') &&
        count >= ALERT_LIMITS.logins &&
        atMs >= nowMs - ALERT_LIMITS.loginsMs,
    )
    .slice(0, ALERT_LIMITS.each)
    .map(({ deviceId, address, count, atMs }) =>
      item('LOGIN_REFUSED', { deviceId, address, value: count, sinceMs: atMs }),
    )
}
