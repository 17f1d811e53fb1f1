/** Groups the conditions that need a human: one alert per device, or address, and kind. Knows neither HTTP nor SQL. */

import { type FailedMessages, failureKind } from '../contract/store-stats.ts'
import type { AlertFacts } from './alert-facts.ts'
import { ALERT_KINDS, ALERT_LIMITS, type Alert, isLowOnDisk, REFUSED_LOGIN_REASONS } from './alerts.ts'
import type { CountedRejection } from './rejection-log.ts'

/** Alert for one device or address. Members that do not apply to its kind are null. */
export interface AlertGroup extends Alert {
  /** Id of the alert while it lasts: its kind, a colon, and the device or the address. */
  readonly key: string
  /** Command of the message `messageId`; also null if the facts do not have it. */
  readonly command: string | null
  /** Number of messages or logins of the alert. */
  readonly count: number | null
  /** Time of the latest message or login. */
  readonly lastMs: number | null
}

const PER_KIND = 1_000
/** Maximum devices whose oldest message, or nearly full queue, is looked up. */
const MAX_QUEUES = 100

/** Returns the current alerts, most urgent first, and within a kind the latest first. */
export async function findAlertGroups(facts: AlertFacts): Promise<AlertGroup[]> {
  const found = [...(await ofStore(facts)), ...findDeviceAlerts(facts), ...findServerAlerts(facts)]
  const byKind = new Map<Alert['kind'], AlertGroup[]>(ALERT_KINDS.map((kind) => [kind, []]))
  for (const group of found) {
    const groups = byKind.get(group.kind)
    if (groups && groups.length < PER_KIND) groups.push(group)
  }
  return [...byKind.values()].flatMap((groups) => groups.sort(byLatest))
}

function byLatest(one: AlertGroup, other: AlertGroup): number {
  return (other.lastMs ?? other.sinceMs ?? 0) - (one.lastMs ?? one.sinceMs ?? 0)
}

/** Returns an alert. There may be 10,000, and a spread takes several times as long as a literal. */
function group(
  kind: Alert['kind'],
  {
    sinceMs = null,
    lastMs = null,
    deviceId = null,
    messageId = null,
    command = null,
    address = null,
    count = null,
    value = null,
    limit = null,
    unit = null,
  }: Partial<Omit<AlertGroup, 'key' | 'kind'>> = {},
): AlertGroup {
  const subject = address ?? deviceId
  const key = subject === null ? kind : `${kind}:${subject}`
  return { kind, key, sinceMs, lastMs, deviceId, messageId, command, address, count, value, limit, unit }
}

/** Returns the alerts of the server itself. */
export function findServerAlerts({
  store,
  space,
  clockBehindMs,
  openQueueClients,
}: AlertFacts): AlertGroup[] {
  const { free, disk } = space
  return [
    ...(store.failedAtMs === null ? [] : [group('STORAGE_FAILED', { sinceMs: store.failedAtMs })]),
    ...(isLowOnDisk(space) ? [group('DISK_NEARLY_FULL', { value: free, limit: disk })] : []),
    ...(clockBehindMs === null ? [] : [group('CLOCK_BEHIND', { value: Math.ceil(clockBehindMs) })]),
    ...(openQueueClients === null ? [] : [group('QUEUES_OPEN', { value: openQueueClients })]),
  ]
}

async function ofStore({ store, nowMs }: AlertFacts): Promise<AlertGroup[]> {
  const failures = await store.failures(nowMs - ALERT_LIMITS.failedMs)
  const oldest = await store.oldest(MAX_QUEUES)
  const full = await store.nearlyFull(MAX_QUEUES)
  return [
    ...full.map(({ of, ...each }) => group('QUEUE_NEARLY_FULL', { ...each, unit: of })),
    ...byDevice(failures).map(({ cause, latest, ...each }) => {
      const { messageId, command, atMs: lastMs } = latest
      return group(failureKind(cause), { ...each, messageId, command, lastMs })
    }),
    ...oldest
      .filter(({ atMs }) => atMs < nowMs - ALERT_LIMITS.pendingMs)
      .map(({ deviceId, messageId, atMs }) => group('WAITING_LONG', { deviceId, messageId, sinceMs: atMs })),
  ]
}

/** Joins the failures of all commands of a device with the same cause. The latest failure of them stays the latest. */
function byDevice(failures: readonly FailedMessages[]): FailedMessages[] {
  const joined = new Map<string, FailedMessages>()
  for (const each of failures) {
    const key = `${each.cause} ${each.deviceId}`
    const earlier = joined.get(key)
    if (earlier === undefined) joined.set(key, each)
    else {
      const sinceMs = Math.min(earlier.sinceMs, each.sinceMs)
      joined.set(key, { ...earlier, count: earlier.count + each.count, sinceMs })
    }
  }
  return [...joined.values()]
}

/** Returns the alerts that follow from the devices and the logins, without their messages in the store. */
export function findDeviceAlerts({
  unanswered,
  deaf,
  refusedAnswers,
  silent,
  rejections,
  nowMs,
}: AlertFacts): AlertGroup[] {
  return [
    ...deaf.map(({ deviceId, sinceMs }) => group('DEVICE_DEAF', { deviceId, sinceMs })),
    ...refusedAnswers.map(({ count, ...each }) => group('ANSWERS_REFUSED', { ...each, count, value: count })),
    ...unanswered.map(({ times, ...each }) => group('NOT_ACKNOWLEDGED', { ...each, count: 1, value: times })),
    ...silent.map(({ deviceId, sinceMs, expectedSeconds }) => {
      const value = Math.floor((nowMs - sinceMs) / 1000)
      return group('DEVICE_SILENT', { deviceId, sinceMs, value, limit: expectedSeconds })
    }),
    ...ofLogins(rejections, nowMs),
  ]
}

/** Returns one alert per address from which logins with some name were refused too often. */
function ofLogins(rejections: readonly CountedRejection[], nowMs: number): AlertGroup[] {
  const groups = new Map<string, AlertGroup>()
  for (const { reason, count, address, deviceId, firstAtMs, atMs } of rejections) {
    if (!REFUSED_LOGIN_REASONS.includes(reason) || count < ALERT_LIMITS.logins) continue
    if (atMs < nowMs - ALERT_LIMITS.loginsMs) continue
    const earlier = groups.get(address)
    const sum = (earlier?.count ?? 0) + count
    const sinceMs = Math.min(firstAtMs, earlier?.sinceMs ?? firstAtMs)
    const lastMs = Math.max(atMs, earlier?.lastMs ?? atMs)
    const name = earlier && earlier.deviceId !== deviceId ? null : deviceId
    groups.set(
      address,
      group('LOGIN_REFUSED', { address, deviceId: name, count: sum, value: sum, sinceMs, lastMs }),
    )
  }
  return [...groups.values()]
}
