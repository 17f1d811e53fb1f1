/** Broker and dispatch to its connected devices, over a store of the test and with a clock moved by the test. */
import { vi } from 'vitest'
import type { MessageStore, Transitioned } from '../../src/broker/contract/store.ts'
import { Broker } from '../../src/broker/engine/broker.ts'
import { Dispatcher, type DispatcherOptions } from '../../src/broker/engine/dispatcher.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import type { NewMessage } from '../../src/broker/vocabulary/message.ts'
import { whenDone } from './cleanup.ts'
import { message } from './message.ts'
import { WatchedStore } from './watched-store.ts'

export const INTERVAL_MS = 2_000
export const ATTEMPT_MS = 30_000
export const START_MS = 1_800_000_000_000

type Connections = DispatcherOptions['connections']

interface Sent {
  readonly deviceId: string
  readonly id: number
  /** Milliseconds since the start of the test. */
  readonly atMs: number
}

/** Stops the clock until the end of the test. Open the store after this call, because it reads the clock. */
export function holdClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: START_MS })
  whenDone(() => vi.useRealTimers())
}

export class DispatchRig {
  broker!: Broker
  dispatcher!: Dispatcher
  /** Each dispatch over the connections of the rig. */
  readonly sent: Sent[] = []
  readonly changes: Transitioned[] = []
  /** Number of attempts that ended without an acknowledgement. */
  timeouts = 0
  /** Returns whether a dispatched message reaches its device. */
  onDispatch: () => boolean | Promise<boolean> = () => true
  readonly #messages: () => MessageStore
  readonly #connections: Connections
  readonly #watched = new WatchedStore()

  /**
   * @param messages returns the store; called at each opening
   * @param connections connections of the test, in place of those that fill `sent`
   */
  constructor(messages: () => MessageStore, connections?: Connections) {
    this.#messages = messages
    this.#connections = connections ?? {
      dispatch: (deviceId, { id }) => {
        this.sent.push({ deviceId, id, atMs: Date.now() - START_MS })
        return this.onDispatch()
      },
      disconnect() {},
    }
    this.open()
    whenDone(() => this.close())
  }

  /** Ends the dispatch, like a stop. */
  async close(): Promise<void> {
    await this.dispatcher.close()
    await this.broker.attempts.close()
  }

  /** Creates a new broker and a new dispatcher, like a restart. */
  open({ maxAttempts = 10, intervalMs = INTERVAL_MS } = {}): void {
    const messages = this.#watched.over(this.#messages())
    const log = { debug() {}, info() {}, error() {} }
    const statistics = { ackTimedOut: () => void this.timeouts++ }
    const common = { messages, statistics, log, maxAttempts, attemptMs: ATTEMPT_MS }
    const former: Broker | undefined = this.broker
    void former?.attempts.close()
    this.broker = new Broker({ ...common, queueLimit: 100 })
    this.broker.onChange((change) => this.changes.push(change))
    const { broker } = this
    broker.attempts.start()
    this.dispatcher = new Dispatcher({ ...common, broker, intervalMs, connections: this.#connections })
  }

  /** Resolves when the store has finished all calls. */
  settle(): Promise<void> {
    return this.#watched.rest()
  }

  /** Advances the time at once. */
  async pass(ms: number): Promise<void> {
    vi.advanceTimersByTime(ms)
    await this.settle()
  }

  /** Advances the time second by second. */
  async passSeconds(seconds: number): Promise<void> {
    for (let n = 0; n < seconds; n++) await this.pass(1_000)
  }

  /** Resolves when the message is stored; its dispatch may still be running. */
  async enqueue(parts: Partial<NewMessage> = {}): Promise<number> {
    return (await this.broker.enqueue(message(parts))).id
  }

  /** Resolves when the message is stored and, if it is due, dispatched. */
  async send(parts: Partial<NewMessage> = {}): Promise<number> {
    const id = await this.enqueue(parts)
    await this.settle()
    return id
  }

  /** Gives device `pump` these settings. */
  change(settings: Partial<DeviceSettings>): Promise<void> {
    return this.broker.deviceSettings.change('pump', { ...GENERAL_SETTINGS, ...settings })
  }

  get ids(): number[] {
    return this.sent.map(({ id }) => id)
  }
}
