/** Stores the presence of devices in batches, and that this run lives. Knows no timer. */
import type { DeviceEvent, Period, PresenceBatch, PresenceStore } from '../contract/presence-store.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'
import { MAX_SEEN, type Sightings } from './sightings.ts'

/** Changes after which a batch is stored before its time. */
const MANY_CHANGES = 500
/** Maximum sightings, periods, and events of one batch. */
const STEP = 500
/** Time after which a run without devices stores that it lives. */
const IDLE_MS = 300_000

export interface PresenceRecorderOptions {
  readonly store: Pick<PresenceStore, 'begin' | 'latest' | 'record'>
  readonly sightings: Sightings
  readonly release: string
  /** False stores no periods and no events: only when each device was seen. */
  readonly keepsLog: boolean
  /** False stores no addresses. */
  readonly keepsAddresses: boolean
  /** Time for which changes are gathered, and period of the sign of life, in milliseconds. */
  readonly everyMs: number
  /** Returns the number of this node, which changes when the node registers again. */
  readonly nodeId?: () => number
  readonly clock?: Clock
}

/** Changes in memory, the times by the clock of this process. */
export interface UnstoredChanges {
  readonly periods: readonly Period[]
  readonly events: readonly DeviceEvent[]
}

export class PresenceRecorder {
  readonly #options: PresenceRecorderOptions
  readonly #clock: Clock
  #runId = 0
  #nodeId: number | null = null
  #storedMs = Number.NEGATIVE_INFINITY
  #storing: Promise<void> = Promise.resolve()

  constructor(options: PresenceRecorderOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** Begins the run of this process, and reads which devices were seen before. */
  async start(): Promise<void> {
    const { store, sightings } = this.#options
    const { nowMs } = await this.#begin()
    sightings.load(await store.latest(MAX_SEEN), nowMs)
  }

  /** Stores the changes if they are due. */
  flushDue(): Promise<void> {
    const { sightings, everyMs } = this.#options
    const ageMs = this.#clock.monotonicMs() - this.#storedMs
    if (ageMs >= everyMs) sightings.review()
    const { unstored } = sightings
    const dueMs = unstored > 0 || sightings.open > 0 ? everyMs : Math.max(everyMs, IDLE_MS)
    return unstored >= MANY_CHANGES || ageMs >= dueMs ? this.flush() : this.#storing
  }

  /** Stores the changes. @param isLast true ends the run */
  flush(isLast = false): Promise<void> {
    this.#storing = this.#storing.catch(() => {}).then(() => this.#flush(isLast))
    return this.#storing
  }

  /** Stores the changes for a reader. */
  async flushChanges(): Promise<void> {
    if (this.#options.sightings.unstored > 0) await this.flush()
  }

  /** Returns the periods and events of a device that the storage lacks, after a batch that is being stored. */
  async unstoredOf(deviceId: string): Promise<UnstoredChanges> {
    await this.#storing.catch(() => {})
    const { periods, events } = this.#kept({ ...this.#options.sightings.unstoredOf(deviceId), sightings: [] })
    const nowMs = this.#clock.wallMs()
    const runId = this.#runId
    const timeAt = (ageMs: number): number => Math.round(nowMs - ageMs)
    const timeOf = (ageMs: number | null): number | null => (ageMs === null ? null : timeAt(ageMs))
    return {
      periods: periods.map(({ beganAgeMs, endedAgeMs, receivesAgeMs, ...period }) => ({
        ...period,
        runId,
        beganMs: timeAt(beganAgeMs),
        endedMs: timeOf(endedAgeMs),
        receivesMs: timeOf(receivesAgeMs),
      })),
      events: events.map(({ ageMs, lastAgeMs, ...event }) => ({
        ...event,
        runId,
        atMs: timeAt(ageMs),
        lastMs: timeAt(lastAgeMs),
      })),
    }
  }

  /** Ends the run, and stores what is left. */
  close(): Promise<void> {
    this.#options.sightings.stop()
    return this.flush(true)
  }

  async #flush(isLast: boolean): Promise<void> {
    const { store, sightings, nodeId } = this.#options
    // The other nodes treat a run under an earlier number as lost.
    if (nodeId && nodeId() !== this.#nodeId) await this.#begin()
    // A reconnect of all devices is stored in steps, so that no commit blocks the event loop for long.
    for (let isWhole = false; !isWhole; ) {
      const batch = sightings.takeBatch(STEP)
      const nowMs = this.#clock.monotonicMs()
      isWhole = sightings.unstored === 0
      try {
        await store.record(this.#runId, this.#kept(batch), isWhole ? (isLast ? 'ENDED' : 'ALIVE') : 'PART')
      } catch (error) {
        batch.restore()
        throw error
      }
      if (isWhole) this.#storedMs = nowMs
    }
  }

  #kept({ sightings, periods, events }: PresenceBatch): PresenceBatch {
    const { keepsLog, keepsAddresses } = this.#options
    if (!keepsLog) return { sightings, periods: [], events: [] }
    if (keepsAddresses) return { sightings, periods, events }
    return {
      sightings,
      periods: periods.map((period) => ({ ...period, address: null })),
      events: events.map((event) => ({ ...event, detail: { ...event.detail, address: null } })),
    }
  }

  async #begin(): Promise<{ readonly nowMs: number }> {
    const { store, release, nodeId } = this.#options
    const node = nodeId?.() ?? null
    const { runId, nowMs } = await store.begin(release)
    this.#runId = runId
    this.#nodeId = node
    return { nowMs }
  }
}
