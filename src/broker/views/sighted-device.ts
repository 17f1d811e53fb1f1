/** Describes a device in memory and its open periods. Times are those of the monotonic clock. */
import type { RecordedPeriod } from '../contract/presence-store.ts'
import { type PeriodDetail, type PeriodEnd, pollWindowMs } from '../vocabulary/presence.ts'

/** Connection of a client that logged in. */
export interface SeenConnection {
  readonly deviceId: string
  readonly transport: string
  readonly address: string | null
  readonly session: string | null
  readonly version: string | null
}

/** Period in memory. Its times are those of the monotonic clock. */
export interface OpenPeriod extends SeenConnection {
  readonly number: number
  readonly beganMs: number
  endedMs: number | null
  receivesMs: number | null
  reason: PeriodEnd | null
  detail: PeriodDetail | null
  /** False if the device connects too often: its further connections of the hour are counted. */
  isStored: boolean
}

export interface SightedDevice {
  /** Time of the first sighting by this process, or of the latest one before it, on the monotonic clock. */
  readonly firstMs: number
  /** Time of the latest sighting, on the monotonic clock. */
  atMs: number
  /** Time of the latest poll of this process; null before it. */
  polledMs: number | null
  /** Moving average of the gaps between polls, in milliseconds; null before the second poll. */
  gapMs: number | null
  /** Time of the sighting that is stored, on the monotonic clock. */
  storedMs: number
  polls: OpenPeriod | null
  connections: readonly OpenPeriod[]
  /** Transport of a period that its lost run left open; null after the first sighting by this process. */
  lost: string | null
  /** Start of the hour in which connections are counted, on the monotonic clock, and their number. */
  hourMs: number
  connects: number
}

/** Weight of a gap between two polls in the moving average. */
const GAP_WEIGHT = 1 / 8
const DAY_MS = 86_400_000
const NO_CONNECTIONS: readonly OpenPeriod[] = []

/** Returns a device that was seen at a time. @param lost transport of a period that a lost run left open */
export function newDevice(
  atMs: number,
  gapMs: number | null = null,
  lost: string | null = null,
): SightedDevice {
  return {
    firstMs: atMs,
    atMs,
    polledMs: null,
    gapMs,
    storedMs: atMs,
    polls: null,
    connections: NO_CONNECTIONS,
    lost,
    hourMs: Number.NEGATIVE_INFINITY,
    connects: 0,
  }
}

/** Adds a gap to the average. A longer absence counts as the window, so that it does not spoil the average. */
export function addGap(device: SightedDevice, gapMs: number): void {
  const { gapMs: before } = device
  device.gapMs =
    before === null
      ? Math.min(gapMs, DAY_MS)
      : before + (Math.min(gapMs, windowOf(device)) - before) * GAP_WEIGHT
}

/** Returns the time without a sighting after which a device polls no more, in milliseconds. */
export function windowOf({ gapMs }: SightedDevice): number {
  return pollWindowMs(gapMs === null ? null : gapMs / 1_000)
}

/** Returns a period as the storage takes it. Ages count back from `nowMs`. */
export function recordedPeriod(
  { beganMs, endedMs, receivesMs, isStored, ...period }: OpenPeriod,
  nowMs: number,
): RecordedPeriod {
  return {
    ...period,
    beganAgeMs: nowMs - beganMs,
    endedAgeMs: endedMs === null ? null : nowMs - endedMs,
    receivesAgeMs: receivesMs === null ? null : nowMs - receivesMs,
  }
}
