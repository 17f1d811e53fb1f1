/** The line of one connected device: runs the state machine of dispatch.ts and performs its effects. Knows no transport. */
import type { UnansweredMessage } from './alerts.ts'
import type { Broker, BrokerLog } from './broker.ts'
import { type Clock, timerDelay } from './clock.ts'
import type { Counters } from './counters.ts'
import {
  DETACHED,
  type DispatchEvent,
  type DispatchRules,
  type Effect,
  type Flight,
  type Hold,
  holdOf,
  next,
} from './dispatch.ts'
import type { DispatchedMessage } from './message.ts'
import type { Claim, DeviceLease, EndedAttempt, MessageStore, Soon } from './store.ts'

/** The connections of the devices, over all transports. */
export interface Connections {
  /** Hands a message to the connections of a device. Resolves to true if at least one took it whole; never rejects. */
  dispatch(deviceId: string, message: DispatchedMessage): Soon<boolean>
  /** Ends the connections of a device. */
  disconnect(deviceId: string): void
}

export interface LineOptions {
  readonly broker: Pick<Broker, 'announce' | 'sendFailed'>
  readonly messages: MessageStore
  readonly connections: Connections
  /** Counts acknowledgements that do not come in time. */
  readonly counters?: Pick<Counters, 'count'> | undefined
  readonly log: BrokerLog
  readonly clock: Clock
}

const CONNECTED: DispatchEvent = { is: 'connected' }
const LEFT: DispatchEvent = { is: 'left' }
const FAILED: DispatchEvent = { is: 'failed' }
const TIMER: DispatchEvent = { is: 'timer' }

/** Runs the state machine of one device. */
export class DeviceLine {
  /** The latest message whose acknowledgement did not come in time. */
  unanswered: UnansweredMessage | null = null
  readonly #deviceId: string
  readonly #options: LineOptions
  #rules: DispatchRules
  #connections = 0
  /** Transport of the newest connection. */
  #transport = ''
  #state = DETACHED
  /** Events that were raised while an earlier one is handled. */
  readonly #events: DispatchEvent[] = []
  #handling = false
  #lease: DeviceLease | null = null
  #timer: NodeJS.Timeout | null = null
  #timerMs = 0
  /** The attach, claim or send on its way. */
  readonly #work = new Set<Promise<unknown>>()
  /** Dispatches without an interval whose record is not durable, and the record of the latest. */
  #unrecorded = 0
  #latest: Promise<void> | null = null
  #recordError: unknown = null
  /** The claim that waits for an earlier record. */
  #deferred: { readonly ended: EndedAttempt | null } | null = null

  constructor(deviceId: string, options: LineOptions, rules: DispatchRules) {
    this.#deviceId = deviceId
    this.#options = options
    this.#rules = rules
  }

  get isConnected(): boolean {
    return this.#connections > 0
  }

  get #isPaced(): boolean {
    return this.#rules.intervalMs > 0
  }

  /** Applies other rules at once: a shorter interval ends a pause earlier. */
  apply(rules: DispatchRules): void {
    this.#rules = rules
    this.on(TIMER)
  }

  connect(transport: string): void {
    this.#connections++
    this.#transport = transport
    this.on(CONNECTED)
  }

  /** Returns whether the device has another connection. */
  disconnect(): boolean {
    if (--this.#connections > 0) return true
    this.close()
    return false
  }

  close(): void {
    this.#connections = 0
    this.on(LEFT)
    this.#clearTimer()
  }

  hold(): Hold {
    return holdOf(this.#state, this.#options.clock.monotonicMs(), this.#rules)
  }

  /** Resolves when nothing is on its way to the store or to a connection. */
  async settled(): Promise<void> {
    do {
      await Promise.all(this.#work)
      await this.#latest
    } while (this.#work.size > 0 || this.#unrecorded > 0)
  }

  async release(): Promise<void> {
    try {
      await this.#lease?.release()
    } catch (error) {
      this.#options.log.error(
        { err: error, deviceId: this.#deviceId },
        'a device lease could not be released',
      )
    }
  }

  on(event: DispatchEvent): void {
    if (event.is === 'removed' && this.unanswered?.messageId === event.messageId) this.unanswered = null
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
    if (effect.is === 'attach') this.#attach()
    else if (effect.is === 'claim') this.#claimInOrder(effect.ended)
    else if (effect.is === 'send') this.#send(effect.message)
    else if (effect.is === 'missed') this.#missed(effect.flight)
    else if (effect.is === 'wake') this.#wakeAt(effect.atMs)
    else this.#options.connections.disconnect(this.#deviceId)
  }

  #attach(): void {
    this.#soon(
      () => this.#options.messages.attach(this.#deviceId, this.#transport),
      (lease) => {
        this.#lease = lease
        this.on({ is: 'attached', line: lease.state })
      },
    )
  }

  /**
   * Claims when the record of the dispatch before the latest is durable. Without an interval nothing waits for the
   * record of the latest, so that a crash redelivers at most three messages, in order.
   */
  #claimInOrder(ended: EndedAttempt | null): void {
    if (this.#unrecorded < 2) this.#claim(ended)
    else this.#deferred = { ended }
  }

  #claim(ended: EndedAttempt | null): void {
    const error = this.#recordError
    this.#recordError = null
    if (error !== null) this.#failed(error)
    else {
      this.#soon(
        () => (this.#lease as DeviceLease).claim(ended, this.#isPaced),
        (claim) => this.#claimed(claim),
      )
    }
  }

  #claimed(claim: Claim): void {
    if (claim.is === 'message') {
      const { message, recorded, transition } = claim
      if (message.id !== this.unanswered?.messageId) this.unanswered = null
      if (transition) this.#options.broker.announce(transition)
      if (recorded && this.#isPaced) {
        // The record comes first, so that no crash shortens the interval.
        this.#soon(
          () => recorded,
          () => this.on({ is: 'claimed', claim }),
        )
        return
      }
      if (recorded) this.#record(recorded)
    }
    this.on({ is: 'claimed', claim })
  }

  #record(recorded: Promise<unknown>): void {
    this.#unrecorded++
    this.#latest = recorded.then(this.#recorded, this.#recordFailed)
  }

  readonly #recorded = (): void => {
    this.#unrecorded--
    const deferred = this.#deferred
    this.#deferred = null
    if (deferred) this.#claim(deferred.ended)
  }

  readonly #recordFailed = (error: unknown): void => {
    this.#recordError = error
    this.#recorded()
  }

  #send(message: DispatchedMessage): void {
    const { connections, log } = this.#options
    log.debug({ messageId: message.id, deviceId: this.#deviceId }, 'message dispatched')
    const taken = connections.dispatch(this.#deviceId, message)
    if (taken === true || message.guarantee !== 'NO') return
    this.#track(this.#follow(message, taken))
  }

  /** A NO message is lost if no connection took it whole. */
  async #follow(message: DispatchedMessage, taken: Soon<boolean>): Promise<void> {
    if (!(await taken)) await this.#options.broker.sendFailed(message.id)
  }

  #missed({ id: messageId, atMs }: Flight): void {
    const { counters, log } = this.#options
    const { attemptMs } = this.#rules
    const deviceId = this.#deviceId
    const { times, sinceMs } = this.unanswered ?? { times: 0, sinceMs: atMs }
    this.unanswered = { deviceId, messageId, times: times + 1, sinceMs }
    counters?.count('NOT_ACKNOWLEDGED')
    log.info({ messageId, deviceId, attemptMs }, 'no acknowledgement in time: the message is redelivered')
  }

  /** Performs an operation of the store, and hands its result on as soon as it is there. */
  #soon<T>(operation: () => Soon<T>, done: (result: T) => void): void {
    let result: Soon<T>
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
    this.#options.log.error(
      { err: error, deviceId },
      `the store refused a dispatch; the next try is in ${this.#rules.retryMs / 1000} s`,
    )
    this.on(FAILED)
  }

  #track(work: Promise<unknown>): void {
    this.#work.add(work)
    void work.then(() => this.#work.delete(work))
  }

  /** Keeps an earlier timer: one wake too many costs less than a timer for each dispatch. */
  #wakeAt(atMs: number): void {
    if (this.#timer && this.#timerMs <= atMs) return
    this.#clearTimer()
    this.#timerMs = atMs
    this.#timer = setTimeout(
      () => {
        this.#timer = null
        this.on(TIMER)
      },
      timerDelay(atMs - this.#options.clock.monotonicMs()),
    )
  }

  #clearTimer(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
