/**
 * Records incidents: reads the signals, assigns them to incidents, and stores what changed. One process of an
 * installation does so at a time. Reads every 10 seconds while something changes, else every minute.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Log } from '../../process/log.ts'
import type { DeviceQueues } from '../contract/device-store.ts'
import type {
  IncidentMember,
  IncidentStore,
  IncidentWithMembers,
  SignalKind,
} from '../contract/incident-store.ts'
import type { DeviceConnects, PresenceStore } from '../contract/presence-store.ts'
import { HOUR_MS } from '../contract/statistics-store.ts'
import type { MaybePromise, Transitioned } from '../contract/store.ts'
import { DutyTimer } from '../engine/duty-timer.ts'
import { type AlertFactsOptions, alertFacts } from '../views/alert-facts.ts'
import { ALERT_LIMITS } from '../views/alerts.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { Durations, WORK_BOUNDS } from '../vocabulary/durations.ts'
import { levelOf } from '../vocabulary/errors.ts'
import { assign, DAY_MS } from './assign.ts'
import { rulesOf, type SignalRules } from './incident-rules.ts'
import { findSignals, type Signal, type SignalSources, withAddress } from './signals.ts'

const PERIOD_MS = 10_000
/** Maximum time between two readings, in milliseconds. */
const IDLE_MS = 60_000
/** Number of attempts to store a reading while persons change the incidents. */
const TRIES = 3
/** Maximum signals that one reading adds, so that 10,000 failures at once do not block the event loop. */
const MAX_NEW = 1_000
/** Maximum share of a processor spent on readings, so that those of thousands of signals are rarer. */
const READ_SHARE = 0.02
/** Time until the next reading if some signals were left, in milliseconds. */
const MORE_MS = 1_000

/** Kinds whose signals a process keeps in memory, so that a new process does not have them. */
const MEMORY_KINDS: readonly SignalKind[] = [
  'DEVICE_DEAF',
  'ANSWERS_REFUSED',
  'NOT_ACKNOWLEDGED',
  'DEVICE_SILENT',
]

export interface RecorderOptions extends Pick<SignalSources, 'gatewayOf' | 'networkOf' | 'queueLimitOf'> {
  readonly store: IncidentStore
  readonly presence: Pick<PresenceStore, 'connects' | 'addresses'>
  readonly facts: AlertFactsOptions
  readonly queues: () => MaybePromise<Pick<DeviceQueues, 'sizeOf'>>
  /** True if the refused logins of earlier processes are stored. */
  readonly keepsRejections: boolean
  readonly clock: Clock
  /** Time between two readings while something changes, in milliseconds. */
  readonly periodMs?: number | undefined
  readonly log: Pick<Log, 'debug' | 'warn'>
}

export class Recorder {
  /** Durations of the readings. */
  readonly reads = new Durations(WORK_BOUNDS)
  readonly #options: RecorderOptions
  readonly #timer: DutyTimer
  readonly #periodMs: number
  #changes = 0
  #readChanges = -1
  #readAtMs = Number.NEGATIVE_INFINITY
  /** True if the latest reading left signals for the next one. */
  #hasMore = false
  #seenOnce: ReadonlySet<string> = new Set()
  /** Time at which this process began to record; null while another process records. */
  #sinceMs: number | null = null
  /** Members from before that time whose end this process has not seen, by key. */
  #carried = new Map<string, IncidentMember>()
  /** Devices of these members, so that a change of any other device costs one look-up. */
  #carriedDevices: ReadonlySet<string | null> = new Set()

  constructor(options: RecorderOptions) {
    const { clock, log } = options
    this.#options = options
    this.#periodMs = options.periodMs ?? PERIOD_MS
    this.#timer = new DutyTimer({
      clock,
      run: () => this.run(),
      onFailure: (err) =>
        log[levelOf(err, 'warn')]({ err }, 'the incidents could not be recorded; it is tried again'),
    })
  }

  start(): void {
    this.#timer.wakeIn(this.#periodMs)
  }

  /** Stops the timer. Resolves when the current reading is over. */
  close(): Promise<void> {
    return this.#timer.close()
  }

  /** Notes that something changed, so that the next reading is soon. */
  changed(): void {
    this.#changes++
  }

  /** Notes that a message changed. An acknowledgement ends what its device did not acknowledge. */
  messageChanged({ deviceId, messageId, cause }: Transitioned): void {
    this.#changes++
    if (!this.#carriedDevices.has(deviceId) || cause === 'STORED') return
    for (const member of this.#carried.values()) {
      if (member.deviceId !== deviceId || member.kind === 'DEVICE_SILENT') continue
      const isOver = cause === 'ACKNOWLEDGED' || (cause !== 'REPLAYED' && member.messageId === messageId)
      if (isOver) this.#carried.delete(member.key)
    }
  }

  /** Reads once if a reading is due. Resolves to the time until the next run. */
  async run(): Promise<number> {
    const { store, clock } = this.#options
    if (!(await store.isRecorder())) {
      this.#sinceMs = null
      this.#seenOnce = new Set()
      return this.#periodMs
    }
    const isDue = clock.monotonicMs() - this.#readAtMs >= IDLE_MS
    const isQuiet = this.#changes === this.#readChanges && this.#seenOnce.size === 0 && !this.#hasMore
    if (this.#sinceMs !== null && isQuiet && !isDue) return this.#periodMs
    const changes = this.#changes
    const beganMs = clock.monotonicMs()
    const usedBefore = process.cpuUsage()
    let isStored = await this.#record()
    for (let tries = 1; !isStored && tries < TRIES; tries++) isStored = await this.#record()
    const tookMs = clock.monotonicMs() - beganMs
    this.reads.observe(tookMs / 1_000)
    if (isStored) this.#readChanges = changes
    this.#readAtMs = clock.monotonicMs()
    // A reading that waits for a busy machine costs nothing meanwhile.
    const { user, system } = process.cpuUsage(usedBefore)
    const costMs = Math.min(tookMs, (user + system) / 1_000)
    const restMs = Math.min(costMs / READ_SHARE, IDLE_MS)
    return Math.max(this.#hasMore ? Math.min(MORE_MS, this.#periodMs) : this.#periodMs, restMs)
  }

  /** Returns false if a person changed an incident meanwhile, so that nothing was stored. */
  async #record(): Promise<boolean> {
    const { store, clock, facts } = this.#options
    const rules = rulesOf(await store.rules())
    const incidents = await store.current(clock.wallMs() - DAY_MS)
    this.#carry(incidents)
    // Each of these steps may take tens of milliseconds with thousands of signals.
    await turn()
    const nowMs = clock.wallMs()
    const members = incidents.flatMap((each) => each.members)
    const keys = new Set(members.map(({ key }) => key))
    const queues = await this.#options.queues()
    const found = await findSignals({
      ...this.#options,
      facts: await alertFacts(facts, nowMs),
      rules,
      connects: await this.#connects(rules),
      isMember: (key) => keys.has(key),
      presenceOf: (deviceId) => facts.presence.of(deviceId),
      waitingOf: (deviceId) => queues.sizeOf(deviceId),
      fullDevices: members.flatMap(({ kind, deviceId }) =>
        kind === 'QUEUE_NEARLY_FULL' && deviceId !== null ? deviceId : [],
      ),
    })
    await turn()
    const signals = await this.#located(this.#addedTo(keys, found), members)
    this.#endCarried(signals, nowMs)
    const mayLast = ({ key }: IncidentMember): boolean => this.#carried.has(key)
    const seenOnce = this.#seenOnce
    const assigned = assign({ signals, incidents, seenOnce, mayLast, rules, nowMs })
    await turn()
    const isStored = assigned.changes.length === 0 || (await store.write(assigned.changes)) !== null
    if (isStored) this.#seenOnce = assigned.seenOnce
    return isStored
  }

  /** Returns the signals that are members, and some of the others. @param members keys of the members */
  #addedTo(members: ReadonlySet<string>, found: readonly Signal[]): readonly Signal[] {
    let added = 0
    const signals = found.filter(({ key }) => members.has(key) || ++added <= MAX_NEW)
    this.#hasMore = added > MAX_NEW
    return signals
  }

  async #connects({ FLAPPING: { isEnabled, start, end } }: SignalRules): Promise<readonly DeviceConnects[]> {
    if (!isEnabled) return []
    const { presence, facts } = this.#options
    const without = facts.pauses.devicesWithoutSignals()
    const found = await presence.connects(HOUR_MS, Math.min(start ?? 1, end ?? 1))
    return found.filter(({ deviceId }) => !without.has(deviceId))
  }

  /**
   * Adds the network of the latest connection to the signals of devices that are away without a gateway. A member keeps the
   * network of its begin.
   */
  async #located(signals: readonly Signal[], members: readonly IncidentMember[]): Promise<readonly Signal[]> {
    const { presence, networkOf } = this.#options
    const known = new Map(members.map(({ key, address }) => [key, address]))
    const isSought = ({ awayMs, gateway }: Signal): boolean => awayMs !== null && gateway === null
    const unknown = signals.filter((signal) => isSought(signal) && !known.has(signal.key))
    const devices = [...new Set(unknown.map(({ deviceId }) => deviceId as string))]
    const found = devices.length === 0 ? new Map<string, string>() : await presence.addresses(devices)
    const locate = (signal: Signal): Signal => {
      const address = found.get(signal.deviceId as string)
      const network = address === undefined ? null : networkOf(address)
      return withAddress(signal, known.get(signal.key) ?? network)
    }
    return signals.map((signal) => (isSought(signal) ? locate(signal) : signal))
  }

  #carry(incidents: readonly IncidentWithMembers[]): void {
    if (this.#sinceMs !== null) return
    this.#sinceMs = this.#options.clock.wallMs()
    const isCarried = ({ kind }: IncidentMember): boolean =>
      MEMORY_KINDS.includes(kind) || (kind === 'LOGIN_REFUSED' && !this.#options.keepsRejections)
    const members = incidents.flatMap((each) => each.members).filter(isCarried)
    this.#carried = new Map(members.map((member) => [member.key, member]))
    this.#carriedDevices = new Set(members.map(({ deviceId }) => deviceId))
  }

  /** Forgets the carried members that this process knows of now, and those that have lasted for long enough. */
  #endCarried(signals: readonly Signal[], nowMs: number): void {
    if (this.#carried.size === 0 || this.#sinceMs === null) return
    const { facts } = this.#options
    const present = new Set(signals.map(({ key }) => key))
    for (const { key, kind, deviceId } of this.#carried.values()) {
      const isSeen =
        kind === 'DEVICE_SILENT' &&
        deviceId !== null &&
        (facts.presence.of(deviceId).atMs ?? 0) >= this.#sinceMs
      const limitMs = kind === 'LOGIN_REFUSED' ? ALERT_LIMITS.loginsMs : DAY_MS
      if (present.has(key) || isSeen || nowMs - this.#sinceMs >= limitMs) this.#carried.delete(key)
    }
  }
}
