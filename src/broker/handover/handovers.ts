/** Reads the hand-over of a range, and finds where a person left. Knows neither HTTP nor SQL. */
import type { HandoverRange, HandoverStore } from '../contract/handover-store.ts'
import type { PresenceStore } from '../contract/presence-store.ts'
import { HOUR_MS, MINUTE_MS, type StatisticsStore, type StepMs } from '../contract/statistics-store.ts'
import type { DispatchPauses } from '../engine/dispatch-pauses.ts'
import type { Presence } from '../views/presence.ts'
import type { PresenceRecorder } from '../views/presence-recorder.ts'
import type { SilentDevices } from '../views/silent-devices.ts'
import type { Statistics } from '../views/statistics.ts'
import { MINUTES_KEPT_MS } from '../views/statistics-report.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { BrokerError } from '../vocabulary/errors.ts'
import { handoverReport } from './handover-report.ts'
import type { Handover, SilentNow } from './parts.ts'

const DAY_MS = 86_400_000
const MAX_RANGE_MS = 31 * DAY_MS
const MAX_RUNS = 1_000

/** Times of logins, as far as the hand-over needs them. */
interface Logins {
  /** Stores the times that are in memory. */
  write(): Promise<void>
  /** Returns the time of the last login before the present visit of a client; null if none is known. */
  previous(clientId: number): Promise<number | null>
}

export interface HandoversOptions {
  readonly store: HandoverStore
  readonly presenceStore: Pick<PresenceStore, 'runs'>
  readonly recorder: Pick<PresenceRecorder, 'flushChanges'>
  readonly statistics: Pick<Statistics, 'flush'> & { readonly store: Pick<StatisticsStore, 'rows'> }
  readonly logins: Logins
  readonly silent: Pick<SilentDevices, 'at'>
  readonly pauses: Pick<DispatchPauses, 'devicesWithoutSignals'>
  readonly presence: Pick<Presence, 'of'>
  readonly clock: Pick<Clock, 'wallMs'>
}

export interface HandoverQuery {
  /** `last`: the last sign-in of the caller before the present visit. Undefined: a day before the end. */
  readonly from?: number | 'last' | undefined
  /** Undefined, and a time ahead: now. */
  readonly to?: number | undefined
  /** Id of the client that asks; null without one. */
  readonly clientId: number | null
}

export class Handovers {
  readonly #options: HandoversOptions

  constructor(options: HandoversOptions) {
    this.#options = options
  }

  /** @throws {BrokerError} bad-range: the range is empty or too long, or no earlier sign-in is known; storage-busy */
  async read(query: HandoverQuery): Promise<Handover> {
    const { store, presenceStore, recorder, statistics, logins, presence, clock } = this.#options
    const nowMs = clock.wallMs()
    const range = await this.#rangeOf(query, nowMs)
    await Promise.all([recorder.flushChanges(), statistics.flush(), logins.write()])
    const { step, beforeMs, fromMs, toMs } = stepsOf(range, nowMs)
    const [rows, silent, runs, figures] = await Promise.all([
      store.read(range),
      this.#silent(nowMs),
      presenceStore.runs(0, range.toMs, MAX_RUNS),
      statistics.store.rows(step, beforeMs, toMs),
    ])
    const seenMsOf = (deviceId: string) => presence.of(deviceId).atMs
    const sources = { range, rows, silent, seenMsOf, runs, figures, figuresFromMs: fromMs, nowMs }
    return handoverReport(sources)
  }

  async #rangeOf({ from, to, clientId }: HandoverQuery, nowMs: number): Promise<HandoverRange> {
    const toMs = Math.min(to ?? nowMs, nowMs)
    const fromMs =
      from === 'last' ? await this.#lastVisit(clientId, toMs) : (from ?? Math.max(0, toMs - DAY_MS))
    if (fromMs >= toMs || toMs - fromMs > MAX_RANGE_MS)
      throw new BrokerError('bad-range', 'The range must begin before it ends, and have at most 31 days.')
    return { fromMs, toMs, beforeMs: Math.max(0, fromMs - (toMs - fromMs)) }
  }

  /** Returns the time at which a person was last there, at most as long ago as a range may be. */
  async #lastVisit(clientId: number | null, toMs: number): Promise<number> {
    const atMs = clientId === null ? null : await this.#options.logins.previous(clientId)
    if (atMs !== null) return Math.max(atMs, toMs - MAX_RANGE_MS)
    throw new BrokerError(
      'bad-range',
      'No earlier sign-in of this client is known. Choose a time for "from".',
    )
  }

  /** Returns the devices that are silent now, with their latest sightings, the longest overdue first. */
  async #silent(nowMs: number): Promise<SilentNow[]> {
    const { silent, pauses, presence } = this.#options
    const without = pauses.devicesWithoutSignals()
    return (await silent.at(nowMs))
      .filter(({ deviceId }) => !without.has(deviceId))
      .map(({ deviceId, sinceMs }) => ({ deviceId, sinceMs: presence.of(deviceId).atMs ?? sinceMs }))
  }
}

/** Returns the steps of the statistics that contain the range, and as many before. */
function stepsOf({ fromMs, toMs, beforeMs }: HandoverRange, nowMs: number) {
  const step: StepMs = beforeMs > nowMs - MINUTES_KEPT_MS ? MINUTE_MS : HOUR_MS
  const from = fromMs - (fromMs % step)
  const to = Math.ceil(toMs / step) * step
  return { step, beforeMs: Math.max(0, from - (to - from)), fromMs: from, toMs: to }
}
