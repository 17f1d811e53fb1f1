/**
 * Records when devices were seen and the periods of their presence, and gathers what the storage lacks. A poll changes
 * numbers in memory only. Knows no store.
 */
import type { PresenceBatch, RecordedSighting, Sighting } from '../contract/presence-store.ts'
import { HOUR_MS } from '../contract/statistics-store.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'
import { type PeriodDetail, type PeriodEnd, type PresenceState, REST } from '../vocabulary/presence.ts'
import { DeviceEvents, takeFrom } from './device-events.ts'
import {
  addGap,
  newDevice,
  type OpenPeriod,
  recordedPeriod,
  type SeenConnection,
  type SightedDevice,
  windowOf,
} from './sighted-device.ts'

/** Presence of a device, as far as this process saw it. Times are milliseconds since 1970. */
export interface KnownPresence {
  readonly state: PresenceState
  /** Begin of the state; null if this process does not know it. */
  readonly sinceMs: number | null
  /** First sighting by this process, or the latest one before it; null without one. */
  readonly firstMs: number | null
  readonly address: string | null
  readonly pollSeconds: number | null
}

/** Batch for the storage. */
export interface TakenBatch extends PresenceBatch {
  /** Takes the batch back after a failure: the next batch has its content. */
  restore(): void
}

/** Maximum devices whose time is in memory. The storage has the others. */
export const MAX_SEEN = 100_000
/** Devices by which the maximum is exceeded before the oldest are dropped. */
const SEEN_STEP = 10_000
/** Maximum periods of connections of one device in an hour. */
const MAX_CONNECTS = 60
/** Duration from which a connection has a period, whatever their number. */
const LASTING_MS = 60_000
/** Time after which a sighting without a period is stored again. */
const STORED_AGAIN_MS = HOUR_MS

export class Sightings {
  readonly #clock: Clock
  readonly #devices = new Map<string, SightedDevice>()
  /** Open periods of connections, by the number of the connection. */
  readonly #connections = new Map<number, OpenPeriod>()
  /** Devices with an open period of polls. */
  readonly #polling = new Set<string>()
  readonly #unstoredDevices = new Set<string>()
  readonly #unstoredPeriods = new Set<OpenPeriod>()
  /** True if no device could be dropped for a new one. The next review tries again. */
  #isCrowded = false
  /** Start of this object, on the monotonic clock. */
  readonly #startedMs: number
  /** Events of devices that are no period. */
  readonly events: DeviceEvents
  #lastNumber = 0

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
    this.#startedMs = clock.monotonicMs()
    this.events = new DeviceEvents(clock)
  }

  /** Takes over what the storage knows, before the first sighting. @param nowMs time of the storage */
  load(sightings: readonly Sighting[], nowMs: number): void {
    const monotonicMs = this.#clock.monotonicMs()
    for (const { deviceId, lastMs, isExact, transport, pollSeconds } of sightings) {
      // A time ahead of the clock was stored before the clock was set back.
      const atMs = monotonicMs - Math.max(0, nowMs - lastMs)
      const gapMs = pollSeconds === null ? null : pollSeconds * 1_000
      this.#devices.set(deviceId, newDevice(atMs, gapMs, isExact ? null : transport))
    }
  }

  /** Number of open periods. */
  get open(): number {
    return this.#connections.size + this.#polling.size
  }

  /** Number of devices and periods to store. */
  get unstored(): number {
    return this.#unstoredDevices.size + this.#unstoredPeriods.size + this.events.unstored
  }

  /** Records a sighting that is no poll. An id that does not fit into memory is ignored. */
  seen(deviceId: string): void {
    const nowMs = this.#clock.monotonicMs()
    if (this.#hasRoomFor(deviceId)) this.#see(deviceId, nowMs)
  }

  /** Records a poll. An id that does not fit into memory is ignored: a client may poll for ever new ids. */
  polled(deviceId: string): void {
    const nowMs = this.#clock.monotonicMs()
    if (!this.#hasRoomFor(deviceId)) return
    const device = this.#see(deviceId, nowMs)
    if (device.polledMs !== null) addGap(device, nowMs - device.polledMs)
    device.polledMs = nowMs
    if (device.polls !== null) return
    const polls = { deviceId, transport: REST, address: null, session: null, version: null }
    device.polls = this.#begin(polls, true)
    this.#polling.add(deviceId)
  }

  /** Begins the period of a connection. @param id number of the connection */
  connected(id: number, connection: SeenConnection): void {
    const device = this.#see(connection.deviceId, this.#clock.monotonicMs())
    const period = this.#begin(connection, this.#mayStore(device))
    this.#connections.set(id, period)
    if (!period.isStored) this.#flaps(period, null)
    device.connections = [...device.connections, period]
  }

  /** Records that a connection receives the commands of its own device. */
  receives(id: number): void {
    const period = this.#connections.get(id)
    if (!period || period.receivesMs !== null) return
    period.receivesMs = this.#clock.monotonicMs()
    if (period.isStored) this.#unstoredPeriods.add(period)
  }

  /** Ends the period of a connection. */
  disconnected(id: number, reason: PeriodEnd, detail: PeriodDetail | null = null): void {
    const period = this.#connections.get(id)
    if (!period) return
    this.#connections.delete(id)
    const device = this.#see(period.deviceId, this.#clock.monotonicMs())
    device.connections = device.connections.filter((each) => each !== period)
    period.detail = detail
    if (period.isStored) this.#end(period, device.atMs, reason)
    else this.#flaps(period, reason)
  }

  /** Ends the periods of the devices that ceased to poll, and stores those of connections that last after all. */
  review(): void {
    const nowMs = this.#clock.monotonicMs()
    this.#isCrowded = false
    for (const period of this.#connections.values()) {
      if (period.isStored || nowMs - period.beganMs < LASTING_MS) continue
      period.isStored = true
      this.#changed(period)
    }
    for (const deviceId of this.#polling) {
      const device = this.#devices.get(deviceId) as SightedDevice
      if (nowMs - device.atMs >= windowOf(device))
        this.#endPolls(deviceId, device, device.atMs, 'POLLS_ENDED')
    }
  }

  /** Ends all periods of polls, because the server stops. */
  stop(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const deviceId of this.#polling)
      this.#endPolls(deviceId, this.#devices.get(deviceId) as SightedDevice, nowMs, 'STOPPED')
  }

  /** Returns the time of the latest sighting in milliseconds since 1970; null if it is not in memory. */
  lastMs(deviceId: string): number | null {
    const device = this.#devices.get(deviceId)
    return device === undefined ? null : this.#wallMs(device.atMs)
  }

  /** True if some devices may have been seen that are not in memory. */
  get isFull(): boolean {
    return this.#devices.size >= MAX_SEEN
  }

  /** Returns whether the time of the latest sighting is exact. */
  isExact(deviceId: string): boolean {
    return (this.#devices.get(deviceId)?.lost ?? null) === null
  }

  /** Returns what this process knows of a device, without connections to other nodes. */
  of(deviceId: string): KnownPresence {
    const device = this.#devices.get(deviceId)
    if (device === undefined) return UNSEEN
    const pollSeconds = device.gapMs === null ? null : Math.round(device.gapMs / 1_000)
    const known = (state: PresenceState, sinceMs: number, address: string | null = null): KnownPresence => ({
      state,
      sinceMs: this.#wallMs(sinceMs),
      firstMs: this.#wallMs(device.firstMs),
      address,
      pollSeconds,
    })
    const receiving = device.connections.find(({ receivesMs }) => receivesMs !== null)
    if (receiving) return known('RECEIVING', receiving.receivesMs as number, receiving.address)
    if (device.polls) return known('POLLING', device.polls.beganMs)
    const [connection] = device.connections
    if (connection) return known('CONNECTED', connection.beganMs, connection.address)
    // A device that polled before its run was lost may be about to poll again.
    const mayPoll = device.lost === REST && this.#clock.monotonicMs() - this.#startedMs < windowOf(device)
    return known(mayPoll ? 'UNKNOWN' : 'AWAY', device.atMs)
  }

  /** Yields the times at which devices were seen, in milliseconds since 1970. */
  *times(): Generator<readonly [deviceId: string, atMs: number]> {
    for (const [deviceId, { atMs }] of this.#devices) yield [deviceId, this.#wallMs(atMs)]
  }

  /** Yields the times of the devices that this process itself saw. */
  *ownTimes(): Generator<readonly [deviceId: string, atMs: number]> {
    for (const [deviceId, { atMs }] of this.#devices)
      if (atMs >= this.#startedMs) yield [deviceId, this.#wallMs(atMs)]
  }

  /** Returns the periods and events of a device that the storage lacks. */
  unstoredOf(deviceId: string): Pick<PresenceBatch, 'periods' | 'events'> {
    const nowMs = this.#clock.monotonicMs()
    const periods = [...this.#unstoredPeriods].filter((period) => period.deviceId === deviceId)
    return {
      periods: periods.map((period) => recordedPeriod(period, nowMs)),
      events: this.events.unstoredOf(deviceId),
    }
  }

  /** Returns what the storage lacks. @param limit maximum sightings, periods, and events */
  takeBatch(limit: number): TakenBatch {
    const nowMs = this.#clock.monotonicMs()
    const devices = takeFrom(this.#unstoredDevices, limit)
    const periods = takeFrom(this.#unstoredPeriods, limit)
    const { events, restore } = this.events.takeBatch(limit)
    return {
      sightings: devices.map((deviceId) => this.#recordedSighting(deviceId, nowMs)),
      periods: periods.map((period) => recordedPeriod(period, nowMs)),
      events,
      restore: () => {
        restore()
        for (const deviceId of devices) if (this.#devices.has(deviceId)) this.#unstoredDevices.add(deviceId)
        for (const period of periods) this.#unstoredPeriods.add(period)
      },
    }
  }

  /** Returns whether a device is in memory, or fits into it. Devices with connections and those that poll stay. */
  #hasRoomFor(deviceId: string): boolean {
    if (this.#devices.size < MAX_SEEN + SEEN_STEP || this.#devices.has(deviceId)) return true
    if (!this.#isCrowded) this.#isCrowded = !this.#dropOldest()
    return !this.#isCrowded
  }

  #see(deviceId: string, nowMs: number): SightedDevice {
    let device = this.#devices.get(deviceId)
    if (device === undefined) {
      device = newDevice(nowMs)
      this.#devices.set(deviceId, device)
      this.#unstoredDevices.add(deviceId)
    }
    device.atMs = nowMs
    device.lost = null
    // A device behind a gateway has no period.
    if (nowMs - device.storedMs > STORED_AGAIN_MS && device.polls === null && device.connections.length === 0)
      this.#unstoredDevices.add(deviceId)
    return device
  }

  /** Counts a connection. Returns whether its period is stored. */
  #mayStore(device: SightedDevice): boolean {
    if (device.atMs - device.hourMs >= HOUR_MS) {
      device.hourMs = device.atMs
      device.connects = 0
    }
    return ++device.connects <= MAX_CONNECTS
  }

  /** Counts a connection without a period, or its end. */
  #flaps({ deviceId, transport }: OpenPeriod, reason: PeriodEnd | null): void {
    this.events.record(deviceId, 'FLAPPING', '', (before) => {
      const connects = (before.connects as number | undefined) ?? 0
      const reasons = (before.reasons as readonly ReasonCount[] | undefined) ?? []
      if (reason === null) return { ...before, transport, connects: connects + 1 }
      return { ...before, transport, connects, reason, reasons: withReason(reasons, reason) }
    })
  }

  #begin(connection: SeenConnection, isStored: boolean): OpenPeriod {
    const beganMs = this.#clock.monotonicMs()
    const times = { beganMs, endedMs: null, receivesMs: null }
    const { deviceId, transport, address, session, version } = connection
    const number = ++this.#lastNumber
    const names = { deviceId, transport, address, session, version }
    const period = { ...names, number, ...times, reason: null, detail: null, isStored }
    if (isStored) this.#changed(period)
    return period
  }

  #end(period: OpenPeriod, endedMs: number, reason: PeriodEnd): void {
    period.endedMs = endedMs
    period.reason = reason
    this.#changed(period)
  }

  #endPolls(deviceId: string, device: SightedDevice, endedMs: number, reason: PeriodEnd): void {
    this.#end(device.polls as OpenPeriod, endedMs, reason)
    device.polls = null
    this.#polling.delete(deviceId)
  }

  #changed(period: OpenPeriod): void {
    this.#unstoredPeriods.add(period)
    this.#unstoredDevices.add(period.deviceId)
  }

  #recordedSighting(deviceId: string, nowMs: number): RecordedSighting {
    const device = this.#devices.get(deviceId) as SightedDevice
    device.storedMs = device.atMs
    const { firstMs, atMs, gapMs, polls, connections } = device
    const transport = connections[0]?.transport ?? polls?.transport ?? null
    const pollSeconds = gapMs === null ? null : Math.round(gapMs / 1_000)
    return { deviceId, firstAgeMs: nowMs - firstMs, ageMs: nowMs - atMs, transport, pollSeconds }
  }

  /** Drops the devices that were seen before all others. The storage has them. Returns false if there are none. */
  #dropOldest(): boolean {
    const droppable = [...this.#devices].filter(
      ([deviceId, { polls, connections }]) =>
        polls === null && connections.length === 0 && !this.#unstoredDevices.has(deviceId),
    )
    droppable.sort(([, a], [, b]) => a.atMs - b.atMs)
    const excess = this.#devices.size - MAX_SEEN
    for (const [deviceId] of droppable.slice(0, excess)) this.#devices.delete(deviceId)
    return droppable.length > 0
  }

  #wallMs(monotonicMs: number): number {
    return Math.round(this.#clock.wallMs() - (this.#clock.monotonicMs() - monotonicMs))
  }
}

const UNSEEN: KnownPresence = {
  state: 'UNSEEN',
  sinceMs: null,
  firstMs: null,
  address: null,
  pollSeconds: null,
}

interface ReasonCount {
  readonly reason: PeriodEnd
  readonly count: number
}

function withReason(reasons: readonly ReasonCount[], reason: PeriodEnd): readonly ReasonCount[] {
  const count = reasons.find((each) => each.reason === reason)?.count ?? 0
  return [...reasons.filter((each) => each.reason !== reason), { reason, count: count + 1 }]
}
