/**
 * The messages and device lines that the nodes of the memory driver share. Each public method is one transaction: it
 * runs to its end without interruption. Knows no event loop.
 */
import { BrokerError } from '../../broker/errors.ts'
import {
  ACK_TRANSITIONS,
  type Status,
  TRANSITIONS,
  type Transition,
  type TransitionName,
} from '../../broker/status.ts'
import type {
  Acknowledgement,
  AttemptOutcome,
  Claim,
  EndedAttempt,
  Enqueued,
  LineState,
  NewMessage,
  Outcome,
  PendingMessage,
  StoreEvent,
  StoreOptions,
  Taken,
  Transitioned,
} from '../../broker/store.ts'
import type { Clock } from '../../clock.ts'

/** One dispatch of a message over a lease. */
export interface Attempt {
  /** Null while the attempt runs, and when no holder of the lease reported its end. */
  outcome: AttemptOutcome | null
}

interface StoredMessage extends PendingMessage {
  readonly content: NewMessage
  readonly attempts: Attempt[]
  status: Status
  changedAtMs: number
  polled: boolean
}

interface Line {
  /** Pending messages by id, the oldest first. */
  readonly queue: Map<number, StoredMessage>
  /** Number of the lease that may claim. A lease with a smaller number is lost. */
  fence: number
  dispatchedAtMs: number | null
  running: { readonly messageId: number; readonly attempt: Attempt; readonly untilMs: number } | null
}

export class MemoryData {
  readonly #clock: Clock
  readonly #options: StoreOptions
  readonly #messages = new Map<number, StoredMessage>()
  readonly #lines = new Map<string, Line>()
  #lastId = 0
  #events: StoreEvent[] = []

  constructor(clock: Clock, options: StoreOptions) {
    this.#clock = clock
    this.#options = options
  }

  /** Returns the events of the transactions since the previous call. */
  takeEvents(): StoreEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  enqueue(content: NewMessage, limit: number): Enqueued {
    const { deviceId, command, guarantee, data } = content
    const { queue } = this.#line(deviceId)
    const superseded =
      guarantee === 'ONLY_LAST' ? [...queue.values()].filter((each) => each.command === command) : []
    if (queue.size - superseded.length >= limit)
      throw new BrokerError(
        'queue-full',
        `Device "${deviceId}" has ${limit} pending messages. Nothing was stored.`,
      )
    const cancelled = superseded.flatMap((each) => this.#apply(each, 'supersede') ?? [])
    const id = ++this.#lastId
    const state = { status: 'NOT_DELIVERED', changedAtMs: this.#clock.wallMs(), polled: false } as const
    const message: StoredMessage = { id, command, guarantee, data, content, attempts: [], ...state }
    this.#messages.set(id, message)
    queue.set(id, message)
    this.#events.push({ is: 'added', deviceId })
    return { id, cancelled }
  }

  attach(deviceId: string): { readonly fence: number; readonly state: LineState } {
    const line = this.#line(deviceId)
    const { running, dispatchedAtMs } = line
    const paced = this.#options.pacing && dispatchedAtMs !== null
    return {
      fence: ++line.fence,
      state: {
        sinceDispatchMs: paced ? Math.max(0, this.#clock.wallMs() - dispatchedAtMs) : null,
        inFlightId: running !== null && this.#restMs(line) > 0 ? running.messageId : null,
      },
    }
  }

  claim(deviceId: string, fence: number, ended: EndedAttempt | null): Claim {
    const line = this.#line(deviceId)
    if (line.fence !== fence) return { is: 'lost' }
    if (line.running !== null && line.running.messageId === ended?.messageId) {
      line.running.attempt.outcome = ended.outcome
      line.running = null
    }
    const forMs = this.#restMs(line)
    if (forMs > 0) return { is: 'inFlight', forMs }
    const message = oldest(line)
    if (!message) return { is: 'empty' }
    return this.#dispatch(line, message)
  }

  /** Ends a lease, unless a later one exists. */
  release(deviceId: string, fence: number): void {
    if (this.#line(deviceId).fence === fence) this.lapse(deviceId)
  }

  /** Ends the lease of a device, whoever holds it. */
  lapse(deviceId: string): void {
    this.#line(deviceId).fence++
  }

  head(deviceId: string): PendingMessage | null {
    const message = oldest(this.#line(deviceId))
    return message ? pending(message) : null
  }

  take(deviceId: string, messageId: number): Taken | null {
    const message = this.#line(deviceId).queue.get(messageId)
    if (!message) return null
    message.polled = true
    return { atMs: this.#clock.wallMs(), transition: this.#apply(message, 'send') }
  }

  acknowledge({ deviceId, messageId, status }: Acknowledgement): Outcome | null {
    const message = this.#messages.get(messageId)
    if (message?.content.deviceId !== deviceId) return null
    const transition = this.#apply(message, ACK_TRANSITIONS[status])
    return { status: message.status, transition }
  }

  cancel(messageId: number): Outcome | null {
    const message = this.#messages.get(messageId)
    if (!message) return null
    const dispatched = message.polled || message.attempts.length > 0
    const transition = dispatched ? null : this.#apply(message, 'cancel')
    return { status: message.status, transition }
  }

  sendFailed(messageId: number): Transitioned | null {
    const message = this.#messages.get(messageId)
    return message ? this.#apply(message, 'sendFailed') : null
  }

  status(messageId: number): Status | null {
    return this.#messages.get(messageId)?.status ?? null
  }

  attempts(messageId: number): readonly Attempt[] {
    return this.#messages.get(messageId)?.attempts ?? []
  }

  purge(changedBeforeMs: number): number {
    const old = [...this.#messages.values()].filter(
      ({ status, changedAtMs }) => status !== 'NOT_DELIVERED' && changedAtMs < changedBeforeMs,
    )
    for (const { id } of old) this.#messages.delete(id)
    return old.length
  }

  #dispatch(line: Line, message: StoredMessage): Claim {
    const atMs = this.#clock.wallMs()
    const attempt: Attempt = { outcome: null }
    message.attempts.push(attempt)
    line.dispatchedAtMs = atMs
    const transition = this.#apply(message, 'send')
    const untilMs = this.#clock.monotonicMs() + this.#options.attemptMs
    line.running = transition ? null : { messageId: message.id, attempt, untilMs }
    return { is: 'message', message: { ...pending(message), atMs }, recorded: null, transition }
  }

  /** Changes a status when the table allows the transition. Returns null when nothing changed. */
  #apply(message: StoredMessage, name: TransitionName): Transitioned | null {
    const { from, to, guarantee }: Transition = TRANSITIONS[name]
    if (!from.includes(message.status)) return null
    if (guarantee !== undefined && guarantee !== message.guarantee) return null
    message.status = to
    message.changedAtMs = this.#clock.wallMs()
    const { deviceId, replyTo } = message.content
    const transition = { messageId: message.id, deviceId, status: to, replyTo }
    this.#leaveQueue(message)
    this.#events.push({ is: 'transitioned', transition })
    return transition
  }

  #leaveQueue({ id, content: { deviceId } }: StoredMessage): void {
    const line = this.#line(deviceId)
    if (!line.queue.delete(id)) return
    if (line.running?.messageId === id) line.running = null
    this.#events.push({ is: 'removed', deviceId, messageId: id })
  }

  /** Returns the rest of the running attempt's duration; 0 or less when no attempt runs. */
  #restMs({ running }: Line): number {
    return running === null ? 0 : running.untilMs - this.#clock.monotonicMs()
  }

  #line(deviceId: string): Line {
    const known = this.#lines.get(deviceId)
    if (known) return known
    const line: Line = { queue: new Map(), fence: 0, dispatchedAtMs: null, running: null }
    this.#lines.set(deviceId, line)
    return line
  }
}

function oldest({ queue }: Line): StoredMessage | undefined {
  const [first] = queue.values()
  return first
}

function pending({ id, command, guarantee, data }: StoredMessage): PendingMessage {
  return { id, command, guarantee, data }
}
