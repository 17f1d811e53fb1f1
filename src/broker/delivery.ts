/**
 * Delivers to the devices that are there: one unacknowledged command at a time for each, oldest first, with a gap
 * between two, again when no acknowledgement comes. Knows no transport. A device that is away costs nothing.
 */
import type { Unanswered } from './attention.ts'
import type { Broker, BrokerLog, QueueChange } from './broker.ts'
import type { LineState } from './messages.ts'
import type { MessageStore, Waiting } from './store.ts'
import type { Tally } from './tally.ts'

/** Milliseconds after which what the storage refused is tried again. */
const RETRY_MS = 5_000

/**
 * Hands a message to the connections of a device.
 *
 * @param atMs when, in milliseconds since 1970
 * @returns whether it reached one of them whole; never rejects
 */
export type Publish = (deviceId: string, message: Waiting, atMs: number) => boolean | Promise<boolean>

export interface DeliveryOptions {
  readonly broker: Broker
  readonly messages: MessageStore
  readonly publish: Publish
  /** Least time between two publishes to one device. */
  readonly gapMs: number
  /** Time for an acknowledgement; then the message is published again. */
  readonly responseTimeoutMs: number
  /** Counts acknowledgements that do not come in time. */
  readonly tally?: Pick<Tally, 'count'>
  readonly log: BrokerLog
}

export class Delivery {
  readonly #options: DeliveryOptions
  readonly #lines = new Map<string, Line>()
  readonly #unlisten: () => void

  constructor(options: DeliveryOptions) {
    this.#options = options
    this.#unlisten = options.broker.onQueue((change) => this.#lines.get(change.deviceId)?.hear(change))
  }

  /** One more connection of a device takes commands from now on. What waits goes out at once. */
  attach(deviceId: string): void {
    const line = this.#lines.get(deviceId) ?? new Line(deviceId, this.#options)
    this.#lines.set(deviceId, line)
    line.connections++
    line.restart()
  }

  /** One connection less. */
  async detach(deviceId: string): Promise<void> {
    const line = this.#lines.get(deviceId)
    if (!line || --line.connections > 0) return
    // Not before its step has ended: one that comes back meanwhile must find what was just published.
    await line.stop()
    if (line.connections === 0 && this.#lines.get(deviceId) === line) this.#lines.delete(deviceId)
  }

  /** How the delivery to a device stands; null when it has no connection. */
  line(deviceId: string): LineState | null {
    const line = this.#lines.get(deviceId)
    return line && line.connections > 0 ? line.state() : null
  }

  /** Of the devices that are there: messages that went out at least so many times in vain. */
  unanswered(times: number): Unanswered[] {
    return [...this.#lines.values()].flatMap(({ missed }) =>
      missed && missed.times >= times ? [missed] : [],
    )
  }

  /** @returns when nothing is being handed over any more */
  async close(): Promise<void> {
    this.#unlisten()
    for (const line of this.#lines.values()) line.connections = 0
    await Promise.all([...this.#lines.values()].map((line) => line.stop()))
    this.#lines.clear()
  }
}

/*
 * The queue of one device that is there. It steps when something changed (a message, an acknowledgement, a
 * connection) or when its timer ends; a step looks at the oldest message and either waits or publishes it.
 *
 *   nothing waits ── message ──► gap ── over ──► published ── acknowledged ──► next one
 *                                 ▲                  │
 *                                 └─ no ack in time ─┘  (a NO message is not waited for)
 *
 * An acknowledgement counts when it comes in; it is on disk before the note that the next one is published, or with it.
 * Without a gap that one is on its way meanwhile, so a crash gives what the disk had not taken yet again, in its order:
 * three at most, since no step ends before the note of the one before it is on disk.
 */
class Line {
  connections = 0
  /** The oldest message, if its acknowledgement did not come in time. */
  missed: Unanswered | null = null
  readonly #deviceId: string
  readonly #options: DeliveryOptions
  /** The message that was published to the present connections and is not acknowledged. */
  #open: { readonly id: number; readonly atMs: number } | null = null
  /** When something was last published to the device; undefined: not known yet. */
  #publishedMs: number | null | undefined
  /** That the last publish is noted on disk. */
  #noted: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | null = null
  /** When the timer ends. */
  #timerMs = 0
  #running = false
  /** That the last step which had to wait for something is over. */
  #waited: Promise<void> | null = null
  #again = false

  constructor(deviceId: string, options: DeliveryOptions) {
    this.#deviceId = deviceId
    this.#options = options
  }

  /** A new connection has not seen what the old one was given. */
  restart(): void {
    this.#open = null
    this.wake()
  }

  wake(): void {
    this.#again = true
    if (!this.#running) this.#run()
  }

  /** A message behind the one that is to be acknowledged needs no look. */
  hear({ messageId, is }: QueueChange): void {
    if (is === 'leaving' && this.#open?.id === messageId) this.#open = null
    if (is === 'staying') this.#wakeAt(Date.now() + RETRY_MS)
    else if (this.#running || !this.#open) this.wake()
  }

  /** @returns when the step that is under way has ended, and its note is on disk or never will be */
  async stop(): Promise<void> {
    this.#unwind()
    await this.#waited
    await this.#noted.catch(() => {})
  }

  state(): LineState {
    const { gapMs, responseTimeoutMs } = this.#options
    const open = this.#open && { messageId: this.#open.id, againAtMs: this.#open.atMs + responseTimeoutMs }
    return { open, gapUntilMs: (this.#publishedMs ?? 0) + gapMs }
  }

  #run(): void {
    this.#running = true
    while (this.#again && this.connections > 0) {
      this.#again = false
      try {
        const over = this.#step()
        if (!over) continue
        this.#waited = over.then(
          () => this.#run(),
          (error: unknown) => {
            this.#holdUp(error)
            this.#run()
          },
        )
        return
      } catch (error) {
        this.#holdUp(error)
      }
    }
    this.#running = false
  }

  #holdUp(error: unknown): void {
    const { log } = this.#options
    log.error({ err: error, deviceId: this.#deviceId }, 'delivery is held up; it goes on in 5 s')
    this.#wakeAt(Date.now() + RETRY_MS)
  }

  /** @returns when it is over, unless that is now */
  #step(): Promise<unknown> | undefined {
    const { messages, gapMs, responseTimeoutMs } = this.#options
    if (this.#publishedMs === undefined) this.#publishedMs = messages.lastPublished(this.#deviceId)
    const message = messages.oldest(this.#deviceId)
    if (message?.id !== this.missed?.messageId) this.missed = null
    const open = this.#open
    // An older one is back when the disk refused its acknowledgement: it waits for its turn all the same.
    if (open && message && message.id <= open.id) {
      const dueMs = open.atMs + responseTimeoutMs
      if (Date.now() < dueMs) {
        this.#wakeAt(dueMs)
        return undefined
      }
      if (message.id === open.id) return this.#miss(message.id, open.atMs)
    }
    this.#open = null
    if (message === null || this.connections === 0) return undefined
    // A clock that was set back must not hold the device up for longer than the gap.
    const sinceMs = Math.max(0, Date.now() - (this.#publishedMs ?? 0))
    if (sinceMs >= gapMs) return this.#publish(message)
    this.#wakeAt(Date.now() + gapMs - sinceMs)
    return undefined
  }

  /** The next step publishes it again. */
  async #miss(messageId: number, atMs: number): Promise<void> {
    const { messages, tally, log, responseTimeoutMs } = this.#options
    await messages.responseMissed(messageId)
    const deviceId = this.#deviceId
    this.#open = null
    this.#again = true
    const { times, sinceMs } = this.missed ?? { times: 0, sinceMs: atMs }
    this.missed = { deviceId, messageId, times: times + 1, sinceMs }
    tally?.count('NOT_ACKNOWLEDGED')
    log.info(
      { messageId, deviceId, responseTimeoutMs },
      'no acknowledgement in time: the message goes out again',
    )
  }

  #publish(message: Waiting): Promise<unknown> | undefined {
    const atMs = this.#options.broker.handOver(message, this.#deviceId)
    if (!(atMs instanceof Promise)) return this.#handedOver(message, atMs)
    return atMs.then((when) => this.#handedOver(message, when))
  }

  #handedOver(message: Waiting, atMs: number | null): Promise<unknown> | undefined {
    if (atMs === null) {
      this.#again = true
      return undefined
    }
    const { messages, gapMs } = this.#options
    const before = this.#noted
    this.#publishedMs = atMs
    // Without a gap there is none to keep over a restart.
    this.#noted = messages.published(message.id, atMs, gapMs > 0 ? this.#deviceId : null)
    // Where it is not waited for here, the next step does, and tells.
    this.#noted.catch(() => {})
    // On disk first, so that no restart shortens the gap; where there is none, nothing depends on it.
    if (gapMs > 0) return this.#noted.then(() => this.#give(message, atMs))
    const given = this.#give(message, atMs)
    return given ? given.then(() => before) : before
  }

  #give(message: Waiting, atMs: number): Promise<void> | undefined {
    const { publish, responseTimeoutMs } = this.#options
    const { id, guarantee } = message
    this.#open = guarantee === 'NO' ? null : { id, atMs }
    const reached = publish(this.#deviceId, message, atMs)
    if (guarantee === 'NO') this.#again = true
    else this.#wakeAt(atMs + responseTimeoutMs)
    return reached === true ? undefined : this.#follow(message, reached)
  }

  async #follow(message: Waiting, reached: false | Promise<boolean>): Promise<void> {
    if (!(await reached)) await this.#options.broker.handOverFailed(message)
  }

  /** At the latest: one wake too many costs less than a timer for each publish. */
  #wakeAt(atMs: number): void {
    if (this.connections === 0 || (this.#timer && this.#timerMs <= atMs)) return
    this.#unwind()
    this.#timerMs = atMs
    this.#timer = setTimeout(
      () => {
        this.#timer = null
        this.wake()
      },
      Math.max(0, atMs - Date.now()),
    )
  }

  #unwind(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
