/**
 * Device line: runs the dispatch state machine (dispatch.ts) for one connected device and performs its effects. Knows
 * no transport.
 */
import type { Log } from '../../process/log.ts'
import type { Claim, DeviceLease, EndedAttempt, ParkOutcome } from '../contract/device-lease.ts'
import type { MaybePromise, MessageStore } from '../contract/store.ts'
import type { Park, TimedOut } from '../vocabulary/attempts.ts'
import type { Clock } from '../vocabulary/clock.ts'
import type { DeviceSettings } from '../vocabulary/device-settings.ts'
import { levelOf } from '../vocabulary/errors.ts'
import type { DispatchedMessage, DispatchResult } from '../vocabulary/message.ts'
import type { Broker } from './broker.ts'
import { next } from './dispatch.ts'
import { type Hold, holdOf } from './dispatch-holds.ts'
import { DispatchRecords } from './dispatch-records.ts'
import { type DispatchRules, rulesFor } from './dispatch-rules.ts'
import { DETACHED, type DispatchEvent, type Effect, type Flight, type Phase } from './dispatch-state.ts'
import { LineCheck } from './line-check.ts'
import { isWaitingPoll, LineConnections } from './line-connections.ts'
import { WakeTimer } from './wake-timer.ts'

export interface Connections {
  /** Dispatches a message to the connections of a device. Never rejects. */
  dispatch(deviceId: string, message: DispatchedMessage): MaybePromise<DispatchResult>
  disconnect(deviceId: string): void
}

export interface LineOptions {
  readonly broker: Pick<Broker, 'announce' | 'sendFailed'> & {
    readonly park: Park
    readonly timedOut: TimedOut
  }
  readonly messages: MessageStore
  readonly connections: Connections
  /** Rules of a device without its own settings. */
  readonly rules: DispatchRules
  readonly log: Pick<Log, 'debug' | 'error'>
  readonly clock: Clock
}

/** Phases that await an answer of the store. */
const ASKING: readonly Phase[] = ['ATTACHING', 'CLAIMING', 'PARKING']

const DISCONNECTED: DispatchEvent = { is: 'disconnected' }
const FAILED: DispatchEvent = { is: 'failed' }
const NOTHING_CLAIMED: DispatchEvent = { is: 'claimed', claim: { is: 'empty', dueInMs: null } }
const PARKED: DispatchEvent = { is: 'parked' }
const TIMER: DispatchEvent = { is: 'timer' }

/** Passes the events of one device to its state machine, in order, and performs the effects. */
export class DeviceLine {
  readonly #deviceId: string
  readonly #options: LineOptions
  readonly #check: LineCheck
  #settings: DeviceSettings
  #isDeaf: boolean
  #rules: DispatchRules
  readonly #connections = new LineConnections()
  #state = DETACHED
  /** Events that an effect raised during the handling of an event. */
  readonly #events: DispatchEvent[] = []
  #handling = false
  #lease: DeviceLease | null = null
  readonly #timer: WakeTimer
  /** Running store calls and sends. */
  readonly #work = new Set<Promise<unknown>>()
  readonly #records = new DispatchRecords((ended) => this.#claim(ended))

  constructor(deviceId: string, options: LineOptions, settings: DeviceSettings, isDeaf: boolean) {
    this.#deviceId = deviceId
    this.#options = options
    this.#check = new LineCheck(options.clock)
    this.#timer = new WakeTimer(options.clock, () => this.on(TIMER))
    this.#settings = settings
    this.#isDeaf = isDeaf
    this.#rules = options.rules
  }

  get isConnected(): boolean {
    return !this.#connections.isEmpty
  }

  get #isPaced(): boolean {
    return this.#rules.intervalMs > 0
  }

  /** Applies other settings at once: a shorter interval ends a pause earlier. */
  apply(settings: DeviceSettings): void {
    this.#settings = settings
    this.#renewRules()
    this.on(TIMER)
  }

  /** Applies the rules for a deaf device, or for any other device, from the next dispatch on. */
  setDeaf(isDeaf: boolean): void {
    this.#isDeaf = isDeaf
    this.#renewRules()
    this.on(TIMER)
  }

  connect(transport: string): void {
    this.#connections.add(transport)
    this.#renewRules()
    this.on({ is: 'connected', keepsAttempt: isWaitingPoll(transport) })
  }

  /** Removes one connection. Returns whether the device has another connection. */
  disconnect(transport: string): boolean {
    this.#connections.remove(transport)
    if (!this.isConnected) {
      this.close()
      return false
    }
    this.#renewRules()
    this.on(TIMER)
    return true
  }

  #renewRules(): void {
    const facts = { isDeaf: this.#isDeaf, onlyPolls: this.#connections.areOnlyPolls }
    this.#rules = rulesFor(this.#settings, this.#options.rules, facts)
  }

  close(): void {
    this.#connections.clear()
    this.on(DISCONNECTED)
    this.#timer.clear()
  }

  get flight(): Flight | null {
    return this.#state.flight
  }

  /** Returns whether the line ends, or is ending, the attempt with a message at its time. */
  awaits(messageId: number): boolean {
    const { flight, ended } = this.#state
    return this.isConnected && (flight?.id === messageId || ended?.messageId === messageId)
  }

  hold(): Hold {
    return holdOf(this.#state, this.#options.clock.monotonicMs(), this.#rules)
  }

  /** Resolves when the line has determined whether a message may be dispatched now. */
  async decided(): Promise<void> {
    while (this.isConnected && ASKING.includes(this.#state.phase)) {
      await Promise.all(this.#work)
      await this.#records.latest
    }
  }

  /** Resolves when all store calls and sends are over. */
  async settled(): Promise<void> {
    do {
      await Promise.all(this.#work)
      await this.#records.latest
    } while (this.#work.size > 0 || !this.#records.isEmpty)
  }

  /** Ends the lease. An error of the store is only logged, because a stale lease does not affect a later one. */
  async release(): Promise<void> {
    try {
      await this.#lease?.release()
    } catch (error) {
      this.#options.log[levelOf(error, 'error')](
        { err: error, deviceId: this.#deviceId },
        'a device lease could not be released',
      )
    }
  }

  /** Handles an event. Events raised by effects are handled after the effects before them. */
  on(event: DispatchEvent): void {
    if (this.#handling) {
      this.#events.push(event)
      return
    }
    this.#handling = true
    try {
      this.#handle(event)
      for (let each = this.#events.shift(); each; each = this.#events.shift()) this.#handle(each)
    } finally {
      this.#handling = false
    }
  }

  #handle(event: DispatchEvent): void {
    const nowMs = this.#options.clock.monotonicMs()
    const [state, effects] = next(this.#state, event, nowMs, this.#rules)
    this.#state = state
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: Effect): void {
    switch (effect.is) {
      case 'attach':
        this.#attach()
        break
      case 'claim':
        this.#records.claimInOrder(effect.ended)
        break
      case 'send':
        this.#send(effect.message)
        break
      case 'ackTimeout':
        this.#options.broker.timedOut(this.#deviceId, effect.flight.id, effect.flight)
        break
      case 'park':
        this.#park(effect.flight, effect.outcome)
        break
      case 'wake':
        this.#wakeAt(effect.atMs)
        break
      case 'disconnect':
        this.#options.connections.disconnect(this.#deviceId)
        break
      default:
        effect satisfies never
    }
  }

  #wakeAt(atMs: number): void {
    if (this.isConnected) this.#timer.wakeAt(atMs)
  }

  #attach(): void {
    this.#call(
      () => this.#options.messages.attach(this.#deviceId, this.#connections.newest),
      (lease) => {
        this.#lease = lease
        this.on({ is: 'attached', line: lease.state })
      },
    )
  }

  #claim(ended: EndedAttempt | null): void {
    const error = this.#records.takeError()
    const { pacesPolls, nextAfterCompleted } = this.#rules
    if (error !== null) this.#failed(error)
    else if (pacesPolls || nextAfterCompleted) this.#claimUnlessHeld(ended)
    else this.#claimNow(ended)
  }

  /** Reads the state of the line first, because a poll or another node may have dispatched a message meanwhile. */
  #claimUnlessHeld(ended: EndedAttempt | null): void {
    this.#call(
      () => this.#options.messages.line(this.#deviceId),
      (line) => {
        const { intervalMs, nextAfterCompleted } = this.#rules
        const isHeld = this.#check.isHeld(this.#deviceId, line, intervalMs, nextAfterCompleted)
        if (isHeld) this.on({ is: 'held', line })
        else this.#claimNow(ended)
      },
    )
  }

  #claimNow(ended: EndedAttempt | null): void {
    // A dispatch ends the polls that waited for it. Without them, and without any other connection, a NO message would
    // be lost.
    if (!this.isConnected) {
      this.on(NOTHING_CLAIMED)
      return
    }
    this.#call(
      () => (this.#lease as DeviceLease).claim(ended, this.#rules.attempt),
      (claim) => this.#claimed(claim),
    )
  }

  #claimed(claim: Claim): void {
    if (claim.is === 'message') {
      const { recorded, transition } = claim
      if (transition) this.#options.broker.announce(transition)
      if (recorded && this.#isPaced) {
        // A paced send waits for its record. Otherwise a crash would shorten the interval.
        this.#call(
          () => recorded,
          () => this.on({ is: 'claimed', claim }),
        )
        return
      }
      if (recorded) this.#records.add(recorded)
    }
    this.on({ is: 'claimed', claim })
  }

  #send(message: DispatchedMessage): void {
    const { connections, log } = this.#options
    log.debug({ messageId: message.id, deviceId: this.#deviceId }, 'message dispatched')
    const taken = connections.dispatch(this.#deviceId, message)
    if (taken === true) return
    if (message.guarantee !== 'NO') {
      if (taken === 'TOO_LARGE') this.on({ is: 'tooLarge', messageId: message.id })
      return
    }
    this.#track(this.#reportFailedSend(message, taken))
  }

  /** Reports a NO message that no connection took completely. The message is lost. */
  async #reportFailedSend(message: DispatchedMessage, taken: MaybePromise<DispatchResult>): Promise<void> {
    const result = await taken
    if (result !== true) await this.#options.broker.sendFailed(message.id, result)
  }

  #park({ id, number, maxAttempts }: Flight, outcome: ParkOutcome): void {
    this.#call(
      () => this.#options.broker.park(this.#deviceId, id, number, maxAttempts !== null, outcome),
      () => this.on(PARKED),
    )
  }

  /**
   * Performs an operation of the store and calls `done` with its result, synchronously if the store needs no promise.
   */
  #call<T>(operation: () => MaybePromise<T>, done: (result: T) => void): void {
    let result: MaybePromise<T>
    try {
      result = operation()
    } catch (error) {
      this.#failed(error)
      return
    }
    if (result instanceof Promise) this.#track(result.then(done, (error: unknown) => this.#failed(error)))
    else done(result)
  }

  #failed(error: unknown): void {
    const deviceId = this.#deviceId
    const { log } = this.#options
    const text = `the store refused a dispatch; the next try is in ${this.#rules.retryMs / 1000} s`
    log[levelOf(error, 'error')]({ err: error, deviceId }, text)
    this.on(FAILED)
  }

  #track(work: Promise<unknown>): void {
    this.#work.add(work)
    void work.then(() => this.#work.delete(work))
  }
}
