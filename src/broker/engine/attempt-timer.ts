/**
 * Ends attempts at their time if no connection of this node awaits their end: attempts by polls, and attempts whose
 * connection closed. After the last attempt it parks the message. Knows no SQL.
 */
import type { Log } from '../../process/log.ts'
import type { MessageStore, Transitioned } from '../contract/store.ts'
import type { IsLast, Park, TimedOut } from '../vocabulary/attempts.ts'
import type { Clock } from '../vocabulary/clock.ts'
import type { DispatchedMessage } from '../vocabulary/message.ts'
import { TimeQueue } from '../vocabulary/time-queue.ts'
import { DutyTimer, RETRY_MS } from './duty-timer.ts'

type AttemptFields = Pick<DispatchedMessage, 'id' | 'number' | 'counted' | 'maxAttempts' | 'atMs'>

/** Attempt with a dispatched message, and the remaining validity of the message if the caller knows it. */
export interface RunningAttempt extends AttemptFields, Partial<Pick<DispatchedMessage, 'remainingMs'>> {}

interface AwaitedAttempt extends AttemptFields {
  readonly deviceId: string
  /** End of the attempt on the monotonic clock. */
  readonly untilMs: number
}

export interface AttemptTimerOptions {
  readonly messages: Pick<MessageStore, 'endAttempt' | 'openAttempts' | 'watch'>
  readonly isLast: IsLast
  readonly park: Park
  readonly timedOut: TimedOut
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Pick<Log, 'error'>
}

const STEP = 500
/** Number of obsolete entries, beyond the awaited attempts, at which obsolete entries are dropped. */
const SLACK = 1_000

export class AttemptTimer {
  /** Returns whether a connection of this node awaits the end of the attempt with a message. */
  isAwaited: (deviceId: string, messageId: number) => boolean = () => false
  readonly #options: AttemptTimerOptions
  /** Latest attempt of each device. A device has at most one open attempt. */
  readonly #byDevice = new Map<string, AwaitedAttempt>()
  /** May contain attempts that ended before their time. */
  readonly #byTime = new TimeQueue<AwaitedAttempt>()
  readonly #ends: DutyTimer
  readonly #reads: DutyTimer
  #unsubscribe: (() => void) | null = null

  constructor(options: AttemptTimerOptions) {
    this.#options = options
    const { clock, log } = options
    this.#ends = new DutyTimer({
      clock,
      run: () => this.#endDue(),
      onFailure: (err) =>
        log.error({ err }, `attempts could not be ended; the next try is in ${RETRY_MS / 1000} s`),
    })
    this.#reads = new DutyTimer({
      clock,
      run: () => this.#read(),
      onFailure: (err) =>
        log.error({ err }, `open attempts could not be read; the next try is in ${RETRY_MS / 1000} s`),
    })
  }

  /**
   * Begins to read the open attempts of the store: attempts from before the start, and later those of a node that left.
   */
  start(): void {
    this.#unsubscribe = this.#options.messages.watch({
      'attempts-left': () => {
        this.#reads.wakeIn(0)
        // A known attempt may be among them, and be due.
        this.#ends.wakeIn(0)
      },
    })
    this.#reads.wakeIn(0)
  }

  /** Resolves when all running ends of attempts are stored. */
  async close(): Promise<void> {
    this.#unsubscribe?.()
    await Promise.all([this.#reads.close(), this.#ends.close()])
  }

  /**
   * Awaits the end of an attempt. If the validity of the message ends earlier, its deadline ends the attempt.
   *
   * @param forMs remaining duration
   */
  add(deviceId: string, attempt: RunningAttempt, forMs: number): void {
    const { id, number, counted, maxAttempts, atMs, remainingMs = null } = attempt
    if (remainingMs !== null && remainingMs <= forMs) return
    const untilMs = this.#options.clock.monotonicMs() + forMs
    const awaited = { deviceId, id, number, counted, maxAttempts, atMs, untilMs }
    this.#byDevice.set(deviceId, awaited)
    this.#byTime.add(awaited)
    if (this.#byTime.first() === awaited) this.#ends.wakeIn(forMs)
  }

  /** Drops the attempt with a message that will not be dispatched again. */
  settled({ deviceId, messageId, status }: Transitioned): void {
    // A replay may have returned an UNKNOWN message to its queue before this change was reported.
    if (status === 'NOT_DELIVERED' || status === 'UNKNOWN') return
    if (this.#byDevice.get(deviceId)?.id !== messageId) return
    this.#byDevice.delete(deviceId)
    if (this.#byTime.size > 2 * this.#byDevice.size + SLACK) this.#byTime.replace(this.#byDevice.values())
  }

  /**
   * Adds the open attempts of the store. An attempt that began during the read is newer than the result of the read.
   */
  async #read(): Promise<number> {
    for (const {
      deviceId,
      messageId: id,
      runningMs,
      ...attempt
    } of await this.#options.messages.openAttempts()) {
      const known = this.#byDevice.get(deviceId)
      if (known === undefined || known.atMs < attempt.atMs) this.add(deviceId, { id, ...attempt }, runningMs)
    }
    return Number.POSITIVE_INFINITY
  }

  /** Ends the expired attempts, and schedules the next run at the end of the next attempt. */
  async #endDue(): Promise<number> {
    for (let due = this.#takeDue(); due.length > 0; due = this.#takeDue()) {
      const results = await Promise.allSettled(due.map((attempt) => this.#end(attempt)))
      const failed = results.find(({ status }) => status === 'rejected')
      if (failed?.status === 'rejected') throw failed.reason
    }
    const first = this.#byTime.first()
    // The timer would count a returned duration from a later turn.
    if (first) this.#ends.wakeIn(first.untilMs - this.#options.clock.monotonicMs())
    return Number.POSITIVE_INFINITY
  }

  #takeDue(): AwaitedAttempt[] {
    const nowMs = this.#options.clock.monotonicMs()
    const due: AwaitedAttempt[] = []
    for (let first = this.#byTime.first(); first && first.untilMs <= nowMs; first = this.#byTime.first()) {
      if (due.length === STEP) break
      this.#byTime.takeFirst()
      if (this.#byDevice.get(first.deviceId) === first) due.push(first)
    }
    return due
  }

  /** Ends an attempt. If the store refuses, the attempt is due again. */
  async #end(attempt: AwaitedAttempt): Promise<void> {
    const { deviceId } = attempt
    try {
      await this.#endNow(attempt)
    } catch (error) {
      if (this.#byDevice.get(deviceId) === attempt) this.#byTime.add(attempt)
      throw error
    }
    if (this.#byDevice.get(deviceId) === attempt) this.#byDevice.delete(deviceId)
  }

  async #endNow(attempt: AwaitedAttempt): Promise<void> {
    const { messages, isLast, park, timedOut } = this.#options
    const { deviceId, id: messageId, number, atMs, maxAttempts } = attempt
    if (this.isAwaited(deviceId, messageId)) return
    if (isLast(deviceId, attempt)) await park(deviceId, messageId, number, maxAttempts !== null)
    else if (await messages.endAttempt(deviceId, { messageId, number, atMs, outcome: 'TIMEOUT' }))
      timedOut(deviceId, messageId, attempt)
  }
}
