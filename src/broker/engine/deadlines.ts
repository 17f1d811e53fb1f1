/**
 * Processes the deadlines of messages with one timer: the end of a validity, of a finish time and of a delay. Knows no
 * SQL. The store finds due deadlines, and measures with the wall clock.
 */
import type { Log } from '../../process/log.ts'
import type { Expiry, MessageStore, Transitioned } from '../contract/store.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { DutyTimer, RETRY_MS } from './duty-timer.ts'

export interface DeadlinesOptions {
  readonly messages: Pick<MessageStore, 'expire' | 'newestMs' | 'watch'>
  readonly announce: (change: Transitioned) => void
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}

/**
 * Maximum time between two reads of the wall clock, in milliseconds. A timer measures monotonic time, so if an operator
 * sets the wall clock forward, it reaches a deadline long before the timer fires. A read costs one query per minute.
 */
const LOOK_MS = 60_000

/** Time by which the wall clock may be behind the newest stored message, in milliseconds. */
const TOLERANCE_MS = 5_000

/** Maximum deadlines per step. */
const STEP = 1_000

/** Steps per run. Further deadlines follow in a later turn of the event loop. */
const MAX_STEPS = 10_000

const TEXTS: Readonly<Record<string, string>> = {
  EXPIRED: 'the validity of the message is over',
  NOT_FINISHED: 'the device did not finish the command in time',
}

export class Deadlines {
  readonly #options: DeadlinesOptions
  readonly #timer: DutyTimer
  #unsubscribe: (() => void) | null = null
  /** Latest time at which a message is known to be stored. */
  #newestMs = Number.NEGATIVE_INFINITY
  #clockBehindMs: number | null = null
  /** Last readings of both clocks. */
  #look: { readonly wallMs: number; readonly monotonicMs: number } | null = null

  constructor(options: DeadlinesOptions) {
    this.#options = options
    this.#timer = new DutyTimer({
      clock: options.clock,
      run: () => this.#carryOut(),
      onFailure: (err) =>
        options.log.error(
          { err },
          `deadlines could not be carried out; the next try is in ${RETRY_MS / 1000} s`,
        ),
    })
  }

  /**
   * Time by which the wall clock is behind the newest stored message, in milliseconds. Null unless the deadlines wait
   * for the clock: from a difference of more than 5 seconds until the clock has reached the time of that message.
   */
  get clockBehindMs(): number | null {
    return this.#clockBehindMs
  }

  /** Processes the deadlines that passed before the start. Never rejects: after an error it retries in 5 seconds. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#options.messages.watch({
      deadline: ({ inMs }) => this.#timer.wakeIn(inMs),
    })
    await this.#timer.run()
  }

  /** Stops the timer. Resolves when the current run is over. */
  async close(): Promise<void> {
    this.#unsubscribe?.()
    await this.#timer.close()
  }

  /** Processes due deadlines. Resolves to the time until the next run. */
  async #carryOut(): Promise<number> {
    await this.#lookAtClock()
    const inMs = this.#clockBehindMs ?? (await this.#expireAll())
    return Math.min(inMs, LOOK_MS)
  }

  async #lookAtClock(): Promise<void> {
    const { messages, clock } = this.#options
    this.#noticeJump()
    this.#newestMs = Math.max(this.#newestMs, (await messages.newestMs()) ?? Number.NEGATIVE_INFINITY)
    const behindMs = this.#newestMs - clock.wallMs()
    const isBehind = behindMs > (this.#clockBehindMs === null ? TOLERANCE_MS : 0)
    this.#clockBehindMs = isBehind ? behindMs : null
  }

  /** Logs that the wall clock was set since the last reading. */
  #noticeJump(): void {
    const { clock, log } = this.#options
    const before = this.#look
    this.#look = { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() }
    if (before === null) return
    const jumpMs = this.#look.wallMs - before.wallMs - (this.#look.monotonicMs - before.monotonicMs)
    if (Math.abs(jumpMs) <= TOLERANCE_MS) return
    const seconds = Math.round(jumpMs / 1000)
    const direction = seconds > 0 ? 'forward' : 'back'
    log.warn(
      { code: 'clock-jumped', seconds },
      `the clock was set ${direction} by ${Math.abs(seconds)} s, or the machine slept. Check the time of this machine`,
    )
  }

  /** Performs the due steps. Resolves to the time until the next deadline. */
  async #expireAll(): Promise<number> {
    for (let step = 0; step < MAX_STEPS && !this.#timer.isClosed; step++) {
      const { settled, nextInMs } = await this.#options.messages.expire(STEP)
      for (const transition of settled) this.#settled(transition)
      if (nextInMs === null) return LOOK_MS
      if (nextInMs > 0) return nextInMs
    }
    return 1
  }

  #settled(transition: Expiry['settled'][number]): void {
    const { announce, log } = this.#options
    const { messageId, deviceId, cause, attempts } = transition
    announce(transition)
    const text = TEXTS[cause]
    if (text) log.info({ messageId, deviceId, cause, attempts }, text)
  }
}
