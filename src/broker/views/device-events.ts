/**
 * Gathers what happened to devices and is no period: refusals, pauses, silence, and connections that come and go too often.
 * Equal events of an hour are one event with a count. Knows no store.
 */
import type { DeviceEventKind, RecordedEvent } from '../contract/presence-store.ts'
import { HOUR_MS } from '../contract/statistics-store.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'

type Detail = RecordedEvent['detail']

/** Event in memory. Its times are those of the monotonic clock. */
interface OpenEvent {
  readonly number: number
  readonly deviceId: string
  readonly kind: DeviceEventKind
  readonly beganMs: number
  lastMs: number
  count: number
  detail: Detail
}

/** Events of one device that began within the hour, by kind and key. */
interface DeviceHour {
  readonly beganMs: number
  readonly events: Map<string, OpenEvent>
}

/** Maximum events of a device and hour. Further ones are counted in one event of their kind. */
const MAX_EVENTS = 60
/** Maximum devices with events in memory. Beyond it, the oldest of them begin anew. */
const MAX_DEVICES = 10_000

export class DeviceEvents {
  readonly #clock: Clock
  readonly #hours = new Map<string, DeviceHour>()
  readonly #unstored = new Set<OpenEvent>()
  #lastNumber = 0
  /** Key of the latest event that equals no other. */
  #lastKey = 0

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  get unstored(): number {
    return this.#unstored.size
  }

  /**
   * Records an event.
   *
   * @param key events of the device and kind with the same key are equal
   * @param detailAfter returns the detail of the event, from the detail of the equal event before it
   */
  record(
    deviceId: string,
    kind: DeviceEventKind,
    key: string,
    detailAfter: (before: Detail) => Detail,
  ): void {
    const nowMs = this.#clock.monotonicMs()
    const { events } = this.#hourOf(deviceId, nowMs)
    const name = `${kind} ${key}`
    const group = events.has(name) || events.size < MAX_EVENTS ? name : kind
    const event = events.get(group) ?? this.#begin(deviceId, kind, nowMs)
    events.set(group, event)
    event.lastMs = nowMs
    event.count++
    event.detail = detailAfter(event.detail)
    this.#unstored.add(event)
  }

  /** Records an event that equals no other. */
  add(deviceId: string, kind: DeviceEventKind, detail: Detail): void {
    this.record(deviceId, kind, String(++this.#lastKey), () => detail)
  }

  /** Returns the events of a device that the storage lacks. */
  unstoredOf(deviceId: string): readonly RecordedEvent[] {
    const nowMs = this.#clock.monotonicMs()
    const events = [...this.#unstored].filter((event) => event.deviceId === deviceId)
    return events.map((event) => recordedEvent(event, nowMs))
  }

  /**
   * Returns events that the storage lacks, and a function that takes them back after a failure.
   *
   * @param limit maximum events
   */
  takeBatch(limit: number): { readonly events: readonly RecordedEvent[]; restore(): void } {
    const nowMs = this.#clock.monotonicMs()
    const taken = takeFrom(this.#unstored, limit)
    return {
      events: taken.map((event) => recordedEvent(event, nowMs)),
      restore: () => {
        for (const event of taken) this.#unstored.add(event)
      },
    }
  }

  #hourOf(deviceId: string, nowMs: number): DeviceHour {
    const before = this.#hours.get(deviceId)
    if (before && nowMs - before.beganMs < HOUR_MS) return before
    const hour: DeviceHour = { beganMs: nowMs, events: new Map() }
    this.#hours.delete(deviceId)
    this.#hours.set(deviceId, hour)
    if (this.#hours.size > MAX_DEVICES) {
      const [oldest] = this.#hours.keys()
      this.#hours.delete(oldest as string)
    }
    return hour
  }

  #begin(deviceId: string, kind: DeviceEventKind, nowMs: number): OpenEvent {
    const number = ++this.#lastNumber
    return { number, deviceId, kind, beganMs: nowMs, lastMs: nowMs, count: 0, detail: {} }
  }
}

function recordedEvent({ beganMs, lastMs, ...event }: OpenEvent, nowMs: number): RecordedEvent {
  return { ...event, ageMs: nowMs - beganMs, lastAgeMs: nowMs - lastMs }
}

/** Removes the first elements of a set, and returns them. */
export function takeFrom<T>(set: Set<T>, limit: number): readonly T[] {
  const taken: T[] = []
  for (const each of set) {
    if (taken.length === limit) break
    taken.push(each)
    set.delete(each)
  }
  return taken
}
