/** Finds how long devices are usually absent, so that a person can choose `expectedSeconds`. The server warns by no such value. */
import { setImmediate as turn } from 'node:timers/promises'
import { type AuditLine, type AuditStore, EVERY_LINE } from '../../audit/audit.ts'
import type { DevicePeriod, PresenceStore, Sighting } from '../contract/presence-store.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { type PresenceSpan, type SpanSources, spansOf } from './presence-spans.ts'

/** Time of which absences count, in milliseconds. */
const RANGE_MS = 30 * 86_400_000
/** Maximum periods of one device, the newest first: 100 devices are 10,000 look-ups in an index, whatever the number of periods. */
const MAX_PERIODS = 100
const MAX_RUNS = 1_000
/** Maximum lines of the audit trail about devices out of service, the newest first. */
const MAX_LINES = 2_000
/** Time for which a result is kept. A list that is read every few seconds computes it once. */
const KEPT_MS = 600_000
const MAX_KEPT = 10_000
/** Devices computed between two turns of the event loop. */
const STEP = 10

/** Time in which a device was out of service. */
export interface ServiceTime {
  readonly fromMs: number
  readonly toMs: number
}

export interface UsualAbsencesOptions {
  readonly store: Pick<PresenceStore, 'recent' | 'runs'>
  readonly audit: Pick<AuditStore, 'list'>
  readonly clock: Clock
}

interface Kept {
  readonly ms: number | null
  readonly untilMs: number
}

export class UsualAbsences {
  readonly #options: UsualAbsencesOptions
  readonly #kept = new Map<string, Kept>()

  constructor(options: UsualAbsencesOptions) {
    this.#options = options
  }

  /**
   * Returns the longest absence of each device that ended by itself, in milliseconds; null without one.
   *
   * @param sightings what the storage knows of the devices
   */
  async of(
    deviceIds: readonly string[],
    sightings: ReadonlyMap<string, Sighting>,
  ): Promise<ReadonlyMap<string, number | null>> {
    const nowMs = this.#options.clock.monotonicMs()
    const missing = deviceIds.filter((deviceId) => (this.#kept.get(deviceId)?.untilMs ?? 0) <= nowMs)
    const found = missing.length === 0 ? new Map() : await this.#compute(missing, sightings)
    for (const [deviceId, ms] of found) this.#keep(deviceId, { ms, untilMs: nowMs + KEPT_MS })
    return new Map(
      deviceIds.map((deviceId) => [deviceId, found.get(deviceId) ?? this.#kept.get(deviceId)?.ms ?? null]),
    )
  }

  #keep(deviceId: string, kept: Kept): void {
    this.#kept.delete(deviceId)
    this.#kept.set(deviceId, kept)
    if (this.#kept.size <= MAX_KEPT) return
    const [oldest] = this.#kept.keys()
    this.#kept.delete(oldest as string)
  }

  async #compute(
    deviceIds: readonly string[],
    sightings: ReadonlyMap<string, Sighting>,
  ): Promise<Map<string, number | null>> {
    const { store, audit, clock } = this.#options
    const nowMs = clock.wallMs()
    const fromMs = nowMs - RANGE_MS
    const periods = new Map<string, DevicePeriod[]>(deviceIds.map((deviceId) => [deviceId, []]))
    for (const period of await store.recent(deviceIds, MAX_PERIODS))
      periods.get(period.deviceId)?.push(period)
    const runs = await store.runs(fromMs, nowMs, MAX_RUNS)
    const lines = await audit.list({ ...EVERY_LINE, action: 'device.service', fromMs }, MAX_LINES)
    const services = serviceTimes(lines, { fromMs, toMs: nowMs })
    const found = new Map<string, number | null>()
    for (const [i, deviceId] of deviceIds.entries()) {
      if (i % STEP === STEP - 1) await turn()
      const ofDevice = periods.get(deviceId) as DevicePeriod[]
      const pollSeconds = sightings.get(deviceId)?.pollSeconds ?? null
      const spans = spansOfPeriods(ofDevice, { runs, pollSeconds, fromMs, nowMs })
      found.set(deviceId, longestAbsenceMs(spans, services.get(deviceId) ?? []))
    }
    return found
  }
}

/** Returns the presence of a device from the begin of its first period, or of the range. */
function spansOfPeriods(
  periods: readonly DevicePeriod[],
  sources: Pick<SpanSources, 'runs' | 'pollSeconds' | 'fromMs' | 'nowMs'>,
): readonly PresenceSpan[] {
  const { nowMs } = sources
  const firstMs = periods.reduce((first, { beganMs }) => Math.min(first, beganMs), nowMs)
  const range = { fromMs: Math.max(sources.fromMs, firstMs), toMs: nowMs }
  return spansOf({ ...sources, ...range, periods, events: [], firstMs, knownMs: range.fromMs }, range)
}

/**
 * Returns the longest time between two presences in which a server saw that the device was absent, in milliseconds; null
 * without one. The time in which no server saw the device, and the time out of service, do not count.
 */
export function longestAbsenceMs(
  spans: readonly PresenceSpan[],
  services: readonly ServiceTime[],
): number | null {
  let longestMs = 0
  let absentMs = 0
  for (const span of spans) {
    if (span.state === 'AWAY') absentMs += span.toMs - span.fromMs - sharedMs(span, services)
    else if (span.state !== 'UNKNOWN' && span.state !== 'UNSEEN') {
      longestMs = Math.max(longestMs, absentMs)
      absentMs = 0
    }
  }
  return longestMs === 0 ? null : longestMs
}

/** Returns the part of a span in which the device was out of service. The times of one device do not overlap. */
function sharedMs({ fromMs, toMs }: ServiceTime, services: readonly ServiceTime[]): number {
  return services.reduce(
    (sum, each) => sum + Math.max(0, Math.min(toMs, each.toMs) - Math.max(fromMs, each.fromMs)),
    0,
  )
}

/** Returns the times out of service by device, from the lines of the audit trail, which are the newest first. */
export function serviceTimes(lines: readonly AuditLine[], range: ServiceTime): Map<string, ServiceTime[]> {
  const times = new Map<string, ServiceTime[]>()
  const nextMs = new Map<string, number>()
  const add = (deviceId: string, time: ServiceTime): void => {
    times.set(deviceId, [...(times.get(deviceId) ?? []), time])
  }
  const ends = new Map<string, number>()
  for (const { object: deviceId, atMs, detail } of lines) {
    if (deviceId === null) continue
    const { end, untilDate } = detail as { end?: true; untilDate?: number | null }
    ends.delete(deviceId)
    if (end) ends.set(deviceId, atMs)
    else {
      const toMs = Math.min(untilDate ?? range.toMs, nextMs.get(deviceId) ?? range.toMs)
      add(deviceId, { fromMs: atMs, toMs })
    }
    nextMs.set(deviceId, atMs)
  }
  // The begin of these times is older than the lines.
  for (const [deviceId, toMs] of ends) add(deviceId, { fromMs: range.fromMs, toMs })
  return times
}
