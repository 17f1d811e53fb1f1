/**
 * Holds the messages and device lines that the nodes of the memory driver share. Each public method is one transaction:
 * it runs to its end without interruption. Knows no event loop.
 */

import type { Clock } from '../../broker/clock.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../../broker/device-settings.ts'
import { BrokerError } from '../../broker/errors.ts'
import {
  type MessageParties,
  type NewMessage,
  type PendingMessage,
  toPendingMessage,
} from '../../broker/message.ts'
import {
  ACK_TRANSITIONS,
  type Status,
  TRANSITIONS,
  type Transition,
  type TransitionName,
} from '../../broker/status.ts'
import type {
  Acknowledgement,
  Claim,
  EndedAttempt,
  Enqueued,
  LineState,
  Outcome,
  StoreEvent,
  StoreOptions,
  Taken,
  Transitioned,
} from '../../broker/store.ts'
import { type MemoryAttempt, MemoryLine, type StoredMessage } from './memory-line.ts'

/** Implements the verbs of the storage contract over maps. */
export class MemoryData {
  readonly #clock: Clock
  readonly #options: StoreOptions
  readonly #messages = new Map<number, StoredMessage>()
  readonly #lines = new Map<string, MemoryLine>()
  readonly #deviceSettings = new Map<string, DeviceSettings>()
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
    const candidates = guarantee === 'ONLY_LAST' ? [...queue.values()] : []
    const superseded = candidates.filter((each) => each.command === command)
    if (queue.size - superseded.length >= limit)
      throw new BrokerError('queue-full', `Device "${deviceId}" has ${limit} pending messages.`)
    const cancelled = superseded.flatMap((each) => this.#apply(each, 'superseded') ?? [])
    const id = ++this.#lastId
    const atMs = this.#clock.wallMs()
    const state = { status: 'NOT_DELIVERED', createdAtMs: atMs, changedAtMs: atMs, polled: false } as const
    const message: StoredMessage = { id, command, guarantee, data, content, attempts: [], ...state }
    this.#messages.set(id, message)
    queue.set(id, message)
    this.#events.push({ is: 'added', deviceId })
    return { id, cancelled }
  }

  attach(deviceId: string, transport: string): { readonly fence: number; readonly state: LineState } {
    const line = this.#line(deviceId)
    const { dispatchedAtMs } = line
    const sinceDispatchMs =
      dispatchedAtMs === null ? null : Math.max(0, this.#clock.wallMs() - dispatchedAtMs)
    const inFlightId = line.inFlightId(this.#clock.monotonicMs())
    return { fence: line.beginLease(transport), state: { sinceDispatchMs, inFlightId } }
  }

  claim(deviceId: string, fence: number, ended: EndedAttempt | null, paced: boolean): Claim {
    const line = this.#line(deviceId)
    if (!line.isHeldBy(fence)) return { is: 'lost' }
    if (ended) line.endAttempt(ended)
    const forMs = line.restMs(this.#clock.monotonicMs())
    if (forMs > 0) return { is: 'inFlight', forMs }
    return line.oldest ? this.#dispatch(line, line.oldest, paced) : { is: 'empty' }
  }

  /** Ends a lease, unless a later one exists. */
  release(deviceId: string, fence: number): void {
    if (this.#line(deviceId).isHeldBy(fence)) this.lapse(deviceId)
  }

  /** Ends the lease of a device. Any node may hold it. */
  lapse(deviceId: string): void {
    this.#line(deviceId).endLease()
  }

  head(deviceId: string): PendingMessage | null {
    const { oldest } = this.#line(deviceId)
    return oldest && toPendingMessage(oldest.id, oldest)
  }

  take(deviceId: string, messageId: number): Taken | null {
    const message = this.#line(deviceId).queue.get(messageId)
    if (!message) return null
    message.polled = true
    return { atMs: this.#clock.wallMs(), transition: this.#apply(message, 'dispatchedOnce') }
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
    const transition = dispatched ? null : this.#apply(message, 'cancelled')
    return { status: message.status, transition }
  }

  sendFailed(messageId: number): Transitioned | null {
    const message = this.#messages.get(messageId)
    return message ? this.#apply(message, 'dispatchFailed') : null
  }

  status(messageId: number): Status | null {
    return this.#messages.get(messageId)?.status ?? null
  }

  parties(messageId: number): MessageParties | null {
    const message = this.#messages.get(messageId)
    if (!message) return null
    const { deviceId, senderId, replyTo } = message.content
    return { deviceId, senderId, producerId: replyTo?.producerId ?? null }
  }

  attempts(messageId: number): readonly MemoryAttempt[] {
    return this.#messages.get(messageId)?.attempts ?? []
  }

  deviceSettings(): ReadonlyMap<string, DeviceSettings> {
    return new Map(this.#deviceSettings)
  }

  changeDeviceSettings(deviceId: string, settings: DeviceSettings): void {
    if (Object.values(settings).every((value) => value === null)) this.#deviceSettings.delete(deviceId)
    else this.#deviceSettings.set(deviceId, settings)
    this.#events.push({ is: 'settings', deviceId, settings })
  }

  /** Returns an event with its present content, since a late report has the settings at its own time. */
  current(event: StoreEvent): StoreEvent {
    if (event.is !== 'settings') return event
    return { ...event, settings: this.#deviceSettings.get(event.deviceId) ?? GENERAL_SETTINGS }
  }

  purge(changedBeforeMs: number): number {
    const expired = [...this.#messages.values()].filter(
      ({ status, changedAtMs }) => status !== 'NOT_DELIVERED' && changedAtMs < changedBeforeMs,
    )
    for (const { id } of expired) this.#messages.delete(id)
    return expired.length
  }

  newestMs(): number | null {
    return [...this.#messages.values()].at(-1)?.createdAtMs ?? null
  }

  #dispatch(line: MemoryLine, message: StoredMessage, paced: boolean): Claim {
    const atMs = this.#clock.wallMs()
    if (paced) line.dispatchedAtMs = atMs
    line.startAttempt(message, this.#clock.monotonicMs() + this.#options.attemptMs)
    const transition = this.#apply(message, 'dispatchedOnce')
    return {
      is: 'message',
      message: { ...toPendingMessage(message.id, message), atMs },
      recorded: null,
      transition,
    }
  }

  /** Changes a status when the table allows the transition. Returns null when nothing changed. */
  #apply(message: StoredMessage, name: TransitionName): Transitioned | null {
    const { from, to, guarantee }: Transition = TRANSITIONS[name]
    if (!from.includes(message.status)) return null
    if (guarantee !== undefined && guarantee !== message.guarantee) return null
    message.status = to
    message.changedAtMs = this.#clock.wallMs()
    const { id: messageId, content } = message
    const { deviceId, replyTo } = content
    const transition = { messageId, deviceId, status: to, replyTo }
    // No transition leads to a pending status, so the message leaves its queue with the first one.
    if (this.#line(deviceId).remove(messageId)) this.#events.push({ is: 'removed', deviceId, messageId })
    this.#events.push({ is: 'transitioned', transition })
    return transition
  }

  #line(deviceId: string): MemoryLine {
    const line = this.#lines.get(deviceId) ?? new MemoryLine()
    this.#lines.set(deviceId, line)
    return line
  }
}
