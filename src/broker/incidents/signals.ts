/** Reads the signals from which incidents are made: the conditions of the alerts, finer for failures. Decides no cause. */
import { setImmediate as turn } from 'node:timers/promises'
import type { SignalKind } from '../contract/incident-store.ts'
import type { DeviceConnects } from '../contract/presence-store.ts'
import { failureKind } from '../contract/store-stats.ts'
import type { AlertFacts } from '../views/alert-facts.ts'
import { type AlertGroup, findDeviceAlerts, findServerAlerts } from '../views/alert-groups.ts'
import { ALERT_LIMITS, REFUSED_LOGIN_REASONS } from '../views/alerts.ts'
import type { DevicePresence } from '../views/presence.ts'
import type { SignalRules } from './incident-rules.ts'

/** Condition of one device, one address or the server. Members that do not apply to its kind are null. */
export interface Signal {
  readonly key: string
  readonly kind: SignalKind
  readonly deviceId: string | null
  readonly messageId: number | null
  readonly command: string | null
  readonly reason: string | null
  readonly address: string | null
  /** Number of messages or logins. */
  readonly count: number | null
  readonly sinceMs: number | null
  /** Time since which the device is away; null while it is not away. */
  readonly awayMs: number | null
  /** Gateway of the device; null without one. */
  readonly gateway: string | null
  /** Number of pending commands behind the condition. */
  readonly waiting: number
}

export interface SignalSources {
  readonly facts: AlertFacts
  readonly rules: SignalRules
  /** Returns whether a signal is a member of an incident, so that the threshold of its end applies. */
  readonly isMember: (key: string) => boolean
  readonly presenceOf: (deviceId: string) => DevicePresence
  readonly gatewayOf: (deviceId: string) => string | null
  /** Returns the network of an address, which counts as one client. */
  readonly networkOf: (address: string) => string
  readonly waitingOf: (deviceId: string) => number
  readonly queueLimitOf: (deviceId: string) => number
  /** Devices that connected often within an hour. */
  readonly connects: readonly DeviceConnects[]
  /** Devices whose nearly full queue is a member of an incident. */
  readonly fullDevices: readonly string[]
}

/** Maximum signals of a kind, the latest ones. Further signals of the kind are not read. */
const PER_KIND = 10_000
/** Refused logins of an address that begin a signal, for all its names together. */
const LOGINS_OF_ADDRESS = 20
/** Maximum devices whose oldest message, or nearly full queue, is looked up. */
const MAX_QUEUES = 100
/** Time without a sighting after which a device without a connection is away, in milliseconds. */
const AWAY_MS = 300_000

const NONE = {
  deviceId: null,
  messageId: null,
  command: null,
  reason: null,
  address: null,
  count: null,
  sinceMs: null,
  awayMs: null,
  gateway: null,
  waiting: 0,
}

/** Returns the present signals. No two have the same key. */
export async function findSignals(sources: SignalSources): Promise<Signal[]> {
  const found = [
    ...ofAlerts(sources, findServerAlerts(sources.facts)),
    ...ofDisk(sources),
    ...(await ofQueues(sources)),
    ...ofAlerts(sources, findDeviceAlerts(sources.facts)),
    ...(await ofFailures(sources)),
    ...ofLogins(sources),
    ...ofConnects(sources),
  ]
  const byKind = new Map<SignalKind, Map<string, Signal>>()
  for (const signal of found) {
    if (!sources.rules[signal.kind].isEnabled) continue
    const signals = byKind.get(signal.kind) ?? new Map<string, Signal>()
    byKind.set(signal.kind, signals)
    if (signals.size < PER_KIND) signals.set(signal.key, signal)
  }
  return [...byKind.values()].flatMap((signals) => [...signals.values()])
}

/** Returns a signal with another address. There may be 10,000, and a spread takes several times as long as a literal. */
export function withAddress(
  { key, kind, deviceId, messageId, command, reason, count, sinceMs, awayMs, gateway, waiting }: Signal,
  address: string | null,
): Signal {
  return {
    key,
    kind,
    deviceId,
    messageId,
    command,
    reason,
    address,
    count,
    sinceMs,
    awayMs,
    gateway,
    waiting,
  }
}

/** Kinds that have thresholds of their own below. */
const OWN_THRESHOLDS: readonly SignalKind[] = ['DISK_NEARLY_FULL', 'LOGIN_REFUSED']

function ofAlerts(sources: SignalSources, groups: readonly AlertGroup[]): Signal[] {
  const { rules } = sources
  return groups
    .filter(({ kind }) => !OWN_THRESHOLDS.includes(kind))
    .filter(({ kind, key, value }) => {
      if (kind !== 'NOT_ACKNOWLEDGED' || sources.isMember(key)) return true
      return (value ?? 0) >= (rules.NOT_ACKNOWLEDGED.start ?? 0)
    })
    .map((group) => ofDevice(sources, group))
}

/** Returns a signal of a device, with its presence and the commands that wait. */
function ofDevice(
  { presenceOf, gatewayOf, waitingOf, facts }: SignalSources,
  {
    key,
    kind,
    deviceId,
    messageId,
    command,
    count,
    sinceMs,
  }: Omit<AlertGroup, 'value' | 'limit' | 'unit' | 'address' | 'lastMs'>,
): Signal {
  if (deviceId === null) return { ...NONE, key, kind, messageId, command, count, sinceMs }
  const { transport, atMs } = presenceOf(deviceId)
  const seenMs = atMs ?? (kind === 'DEVICE_SILENT' ? sinceMs : null) ?? 0
  const isAway = kind === 'DEVICE_SILENT' || (transport === null && seenMs < facts.nowMs - AWAY_MS)
  return {
    key,
    kind,
    deviceId,
    messageId,
    command,
    reason: null,
    address: null,
    count,
    sinceMs,
    awayMs: isAway ? seenMs : null,
    gateway: gatewayOf(deviceId),
    waiting: waitingOf(deviceId),
  }
}

function ofDisk({ facts, rules, isMember }: SignalSources): Signal[] {
  const { free, disk } = facts.space
  if (free === null || disk === null) return []
  const isOpen = isMember('DISK_NEARLY_FULL')
  const { start, end } = rules.DISK_NEARLY_FULL
  const share = ((isOpen ? end : start) ?? 0) / 100
  const bytes = ALERT_LIMITS.minFreeBytes * (isOpen ? 1.5 : 1)
  if (free >= bytes && free >= disk * share) return []
  return [{ ...NONE, key: 'DISK_NEARLY_FULL', kind: 'DISK_NEARLY_FULL' }]
}

async function ofQueues(sources: SignalSources): Promise<Signal[]> {
  const { facts, rules, isMember, waitingOf, queueLimitOf, fullDevices } = sources
  const { store, nowMs } = facts
  const oldest = await store.oldest(MAX_QUEUES)
  const full = await store.nearlyFull(MAX_QUEUES)
  const { start, end } = rules.QUEUE_NEARLY_FULL
  const beginning = full.filter(({ value, limit }) => value >= (limit * (start ?? 0)) / 100)
  const lasting = fullDevices.filter((deviceId) => {
    const limit = queueLimitOf(deviceId)
    return limit > 0 && waitingOf(deviceId) > (limit * (end ?? 0)) / 100
  })
  const devices = new Set([...beginning.map(({ deviceId }) => deviceId), ...lasting])
  const none = { messageId: null, command: null, count: null, sinceMs: null }
  const ageMs = (key: string): number =>
    1_000 * ((isMember(key) ? rules.WAITING_LONG.end : rules.WAITING_LONG.start) ?? 0)
  return [
    ...[...devices].map((deviceId) =>
      ofDevice(sources, {
        ...none,
        key: `QUEUE_NEARLY_FULL:${deviceId}`,
        kind: 'QUEUE_NEARLY_FULL',
        deviceId,
      }),
    ),
    ...oldest
      .map(({ deviceId, messageId, atMs }) => ({
        key: `WAITING_LONG:${deviceId}`,
        deviceId,
        messageId,
        atMs,
      }))
      .filter(({ key, atMs }) => atMs < nowMs - ageMs(key))
      .map(({ atMs, ...each }) =>
        ofDevice(sources, { ...none, ...each, kind: 'WAITING_LONG', sinceMs: atMs }),
      ),
  ]
}

/**
 * Returns one signal for each device, kind and command. A command has signals when `minMessages` of its rule have failed
 * on all devices together. A member of an incident stays a signal with fewer.
 */
async function ofFailures({ facts, rules, isMember }: SignalSources): Promise<Signal[]> {
  const failures = await facts.store.failures(facts.nowMs - ALERT_LIMITS.failedMs)
  await turn()
  const signals = failures.map(({ deviceId, cause, count, sinceMs, latest }) => {
    const { messageId, command, reason } = latest
    const kind = failureKind(cause)
    const key = `${kind}:${deviceId}:${command}`
    // As in withAddress, a literal with all members.
    return {
      key,
      kind,
      deviceId,
      messageId,
      command,
      reason,
      address: null,
      count,
      sinceMs,
      awayMs: null,
      gateway: null,
      waiting: 0,
    }
  })
  const counts = new Map<string, number>()
  const cause = ({ kind, command }: { kind: SignalKind; command: string }): string => `${kind}:${command}`
  for (const each of signals) counts.set(cause(each), (counts.get(cause(each)) ?? 0) + each.count)
  return signals.filter(
    (each) => isMember(each.key) || (counts.get(cause(each)) ?? 0) >= (rules[each.kind].minMessages ?? 1),
  )
}

/** Returns one signal for each device that connects too often. */
function ofConnects({ connects, rules, isMember, gatewayOf, networkOf, waitingOf }: SignalSources): Signal[] {
  const { start, end } = rules.FLAPPING
  return connects
    .map((each) => ({ ...each, key: `FLAPPING:${each.deviceId}` }))
    .filter((each) => each.connects >= ((isMember(each.key) ? end : start) ?? 0))
    .map(({ key, deviceId, connects: count, sinceMs, address, reason }) => {
      const found = { deviceId, count, sinceMs, reason, address: address && networkOf(address) }
      const around = { gateway: gatewayOf(deviceId), waiting: waitingOf(deviceId) }
      return { ...NONE, key, kind: 'FLAPPING', ...found, ...around }
    })
}

/**
 * Returns one signal for each network from which logins of one name, or of all names, were refused too often. The signal
 * has the name if all logins had the same.
 */
function ofLogins({ facts, networkOf }: SignalSources): Signal[] {
  const { rejections, nowMs } = facts
  const networks = new Map<string, { count: number; most: number; sinceMs: number; name: string | null }>()
  for (const { reason, count, address, deviceId, firstAtMs, atMs } of rejections) {
    if (!REFUSED_LOGIN_REASONS.includes(reason) || atMs < nowMs - ALERT_LIMITS.loginsMs) continue
    const network = networkOf(address)
    const before = networks.get(network) ?? { count: 0, most: 0, sinceMs: firstAtMs, name: deviceId }
    networks.set(network, {
      count: before.count + count,
      most: Math.max(before.most, count),
      sinceMs: Math.min(before.sinceMs, firstAtMs),
      name: before.name === deviceId ? deviceId : null,
    })
  }
  return [...networks]
    .filter(([, { count, most }]) => most >= ALERT_LIMITS.logins || count >= LOGINS_OF_ADDRESS)
    .map(([address, { count, sinceMs, name: deviceId }]) => {
      const key = `LOGIN_REFUSED:${address}`
      return { ...NONE, key, kind: 'LOGIN_REFUSED', deviceId, address, count, sinceMs }
    })
}
