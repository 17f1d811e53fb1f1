/**
 * Finds the cause of each signal: the key of the incident that the signal belongs to. The first rule that matches
 * decides, and the order of the signals has no influence. docs: docs/incidents.md.
 */
import type { IncidentKind, SignalKind } from '../contract/incident-store.ts'
import type { Signal } from './signals.ts'

export const FAILURE_KINDS: readonly SignalKind[] = ['FAILED', 'PARKED', 'NOT_FINISHED']
/** Conditions of the server, which begin an incident at the first reading. */
export const SERVER_KINDS: readonly SignalKind[] = [
  'STORAGE_FAILED',
  'DISK_NEARLY_FULL',
  'CLOCK_BEHIND',
  'QUEUES_OPEN',
]
const UNANSWERED_KINDS: readonly SignalKind[] = ['DEVICE_DEAF', 'NOT_ACKNOWLEDGED']
const AWAY_KINDS: readonly SignalKind[] = ['DEVICE_SILENT', 'WAITING_LONG', 'QUEUE_NEARLY_FULL']

/** Number of devices with one gateway or network that are an outage, and the time within which they became silent. */
export const OUTAGE_DEVICES = 5
export const OUTAGE_MS = 900_000
/** Number of devices that are away from which they share one incident. */
export const AWAY_DEVICES = 10
/** Number of commands of one device that fail, from which the device is the cause. */
export const DEVICE_COMMANDS = 3

/** Signal, and the key of the incident of which it is a member; null before it is a member. */
export interface PlacedSignal {
  readonly signal: Signal
  readonly incidentKey: string | null
}

/** Returns the kind of the incidents with a key. */
export function kindOfKey(key: string): IncidentKind {
  return key.split(':', 1)[0] as IncidentKind
}

/** Returns the place of a key in the list of rules. A smaller number is a rule above. */
export function rankOf(key: string): number {
  const kind = kindOfKey(key)
  if (kind === 'DEVICE') return 1
  if (kind === 'OUTAGE') return 2
  if (kind === 'AWAY') return key === 'AWAY' ? 3 : 4
  if (kind === 'ADDRESS') return 6
  if (kind === 'FLAPPING') return 7
  return kind === 'FAILED' || kind === 'PARKED' || kind === 'NOT_FINISHED' ? 5 : 0
}

/** Returns the key of the incident to which each signal belongs, by the key of the signal. */
export function findCauses(placed: readonly PlacedSignal[]): ReadonlyMap<string, string> {
  const causes = new Causes(placed)
  return new Map(placed.map(({ signal }) => [signal.key, causes.of(signal)]))
}

class Causes {
  /** Devices that do not acknowledge, or that have an incident of their own. */
  readonly #own = new Set<string>()
  /** Failed commands by device. */
  readonly #commands = new Map<string, Set<string>>()
  /** Gateways or networks of devices in an outage, by device. */
  readonly #outages = new Map<string, string>()
  /** Networks with several devices that connect too often, by device. */
  readonly #flapping = new Map<string, string>()
  /** Incidents of several devices, by the devices that are away in them. */
  readonly #joined = new Map<string, string>()
  readonly #isManyAway: boolean

  constructor(placed: readonly PlacedSignal[]) {
    for (const { signal, incidentKey } of placed) {
      const { kind, deviceId, command } = signal
      if (deviceId === null) continue
      if (isOfSeveral(incidentKey) && isAway(signal)) this.#joined.set(deviceId, incidentKey)
      if (UNANSWERED_KINDS.includes(kind) || incidentKey === `DEVICE:${deviceId}`) this.#own.add(deviceId)
      if (command === null || !FAILURE_KINDS.includes(kind)) continue
      this.#commands.set(deviceId, (this.#commands.get(deviceId) ?? new Set()).add(command))
    }
    const away = placed.filter(({ signal }) => isAway(signal) && !this.#own.has(signal.deviceId ?? ''))
    this.#findOutages(away)
    this.#findFlapping(placed.filter(({ signal }) => signal.kind === 'FLAPPING'))
    const devices = away
      .filter(({ signal, incidentKey }) => {
        const isFree = incidentKey === null || incidentKey === `AWAY:${signal.deviceId}`
        return isFree && !this.#outages.has(signal.deviceId ?? '')
      })
      .map(({ signal }) => signal.deviceId)
    const isJoined = placed.some(({ incidentKey }) => incidentKey === 'AWAY')
    this.#isManyAway = isJoined || new Set(devices).size >= AWAY_DEVICES
  }

  of(signal: Signal): string {
    const { kind, deviceId, address, command } = signal
    if (SERVER_KINDS.includes(kind)) return kind
    if (kind === 'LOGIN_REFUSED') return `ADDRESS:${address}`
    const device = `DEVICE:${deviceId}`
    if (deviceId === null || this.#own.has(deviceId)) return device
    if (kind === 'FLAPPING') {
      const network = this.#flapping.get(deviceId)
      return network === undefined ? `FLAPPING:${deviceId}` : `OUTAGE:${network}`
    }
    if (isAway(signal)) {
      const place = this.#outages.get(deviceId)
      if (place !== undefined) return `OUTAGE:${place}`
      return this.#joined.get(deviceId) ?? (this.#isManyAway ? 'AWAY' : `AWAY:${deviceId}`)
    }
    if (!FAILURE_KINDS.includes(kind)) return device
    const fails = this.#commands.get(deviceId)?.size ?? 0
    return fails >= DEVICE_COMMANDS ? device : `${kind}:${command}`
  }

  /** Finds the gateways and networks with several devices that became silent within a short time. */
  #findOutages(away: readonly PlacedSignal[]): void {
    const byPlace = new Map<string, Map<string, number>>()
    for (const { signal, incidentKey } of away) {
      const { gateway, address, deviceId, awayMs } = signal
      const place = gateway ?? address
      if (place === null || deviceId === null || awayMs === null) continue
      // A device that many others joined stays with them, so it is no evidence for an outage.
      if (incidentKey !== null && ![`AWAY:${deviceId}`, `OUTAGE:${place}`].includes(incidentKey)) continue
      const devices = byPlace.get(place) ?? new Map<string, number>()
      byPlace.set(place, devices.set(deviceId, Math.min(awayMs, devices.get(deviceId) ?? awayMs)))
    }
    for (const [place, devices] of byPlace) {
      const byTime = [...devices].sort(([, one], [, other]) => one - other)
      for (let first = 0, last = 0; last < byTime.length; last++) {
        while (timeOf(byTime[last]) - timeOf(byTime[first]) > OUTAGE_MS) first++
        if (last - first + 1 < OUTAGE_DEVICES) continue
        for (const [deviceId] of byTime.slice(Math.max(first, last - OUTAGE_DEVICES + 1), last + 1))
          this.#outages.set(deviceId, place)
      }
    }
  }

  /** Finds the networks with several devices that connect too often. */
  #findFlapping(placed: readonly PlacedSignal[]): void {
    const byNetwork = new Map<string, string[]>()
    for (const { signal, incidentKey } of placed) {
      const { address, deviceId } = signal
      if (address === null || deviceId === null) continue
      if (incidentKey !== null && ![`FLAPPING:${deviceId}`, `OUTAGE:${address}`].includes(incidentKey))
        continue
      const deviceIds = byNetwork.get(address)
      if (deviceIds) deviceIds.push(deviceId)
      else byNetwork.set(address, [deviceId])
    }
    for (const [network, deviceIds] of byNetwork) {
      if (deviceIds.length < OUTAGE_DEVICES) continue
      for (const deviceId of deviceIds) this.#flapping.set(deviceId, network)
    }
  }
}

/** Returns whether an incident has several devices that are away. */
function isOfSeveral(incidentKey: string | null): incidentKey is string {
  return incidentKey === 'AWAY' || (incidentKey?.startsWith('OUTAGE:') ?? false)
}

function timeOf(entry: readonly [string, number] | undefined): number {
  return entry?.[1] ?? 0
}

function isAway({ kind, awayMs }: Signal): boolean {
  return AWAY_KINDS.includes(kind) && awayMs !== null
}
