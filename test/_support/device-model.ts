/** Models which messages a device may receive, and when: the messages sent to it, its connections and its attempts. */
import { expect } from 'vitest'
import type { DispatchedMessage } from '../../src/broker/vocabulary/message.ts'
import type { AckStatus, Guarantee, Status } from '../../src/broker/vocabulary/status.ts'

export const TIMEOUT_MS = 30_000
/** Number of attempts that a new connection ends at once. Later attempts run to their end. */
const QUICK_ATTEMPTS = 3

export interface Message {
  readonly id: number
  readonly command: string
  readonly guarantee: Guarantee
  status: Status
  /** True if it was settled when the disk was last at rest: it must not be dispatched again. */
  wasSettled: boolean
}

interface Given {
  readonly id: number
  /** Time of the dispatch as the driver recorded it. */
  readonly atMs: number
  /** Time at which the message reached the connections of the device, once the record was durable. */
  readonly sentMs: number
  /** The attempt, counted from 1. */
  readonly counted: number
}

function durationMs(counted: number): number {
  return Math.min(counted, 5) * TIMEOUT_MS
}

/** Model of one device: the messages sent to it, and those that it received. */
export class Device {
  readonly messages: Message[] = []
  readonly given: Given[] = []
  /** Time of the latest dispatch, even if the message was not sent because it had left the queue meanwhile. */
  dispatchedMs = 0
  connections = 0
  /** True if a connection was made after the last dispatch. */
  fresh = false
  broken = false

  get oldest(): Message | undefined {
    return this.messages.find(({ status }) => status === 'NOT_DELIVERED')
  }

  sent(message: Pick<Message, 'id' | 'command' | 'guarantee'>): void {
    // A driver may dispatch a message before the producer has its id.
    const sent = message.guarantee === 'NO' && this.given.some(({ id }) => id === message.id)
    this.messages.push({ ...message, status: sent ? 'DELIVERED' : 'NOT_DELIVERED', wasSettled: false })
  }

  /** Cancels the pending messages of a command. Called when ONLY_LAST is about to be stored. */
  supersede(command: string): void {
    for (const each of this.messages) {
      if (each.command === command && each.status === 'NOT_DELIVERED') each.status = 'CANCELLED'
    }
  }

  acknowledge(message: Message, status: AckStatus): void {
    const isFinal = ['COMPLETED', 'COMPLETED_WITH_ERROR', 'CANCELLED'].includes(message.status)
    if (!isFinal) message.status = status
  }

  /** Checks the rules at a dispatch to the device. */
  give({ id, atMs, counted }: DispatchedMessage, intervalMs: number): void {
    const message = this.messages.find((each) => each.id === id)
    const last = this.given.at(-1)
    expect(atMs - (last?.atMs ?? 0), 'the interval').toBeGreaterThanOrEqual(intervalMs)
    expect(message?.wasSettled, 'it was settled').not.toBe(true)
    const before = this.messages.filter((each) => each.id < id && each.status === 'NOT_DELIVERED')
    expect(before, 'an older message is pending').toEqual([])
    if (last?.id === id && (!this.fresh || last.counted > QUICK_ATTEMPTS)) {
      expect(message?.guarantee, 'a NO message is given once').not.toBe('NO')
      expect(atMs - last.atMs, 'time to acknowledge').toBeGreaterThanOrEqual(durationMs(last.counted))
    }
    if (message?.guarantee === 'NO' && message.status === 'NOT_DELIVERED') message.status = 'DELIVERED'
    this.given.push({ id, atMs, sentMs: Date.now(), counted })
    this.fresh = false
  }

  /** Checks the rules when the disk is at rest. */
  rest(nowMs: number, intervalMs: number): void {
    for (const message of this.messages) message.wasSettled = message.status !== 'NOT_DELIVERED'
    const { oldest } = this
    const last = this.given.at(-1)
    if (this.connections === 0 || !oldest || nowMs - this.dispatchedMs < intervalMs) return
    expect(last?.id, 'the device was given the oldest message').toBe(oldest.id)
    // An attempt that a restart interrupted before the message was sent runs too.
    const unsent = this.dispatchedMs > (last?.sentMs ?? 0)
    const counted = unsent ? QUICK_ATTEMPTS + 2 : (last?.counted ?? 0)
    if (counted <= QUICK_ATTEMPTS) expect(this.fresh, 'by its present connections').toBe(false)
    const latestMs = Math.max(last?.sentMs ?? 0, this.dispatchedMs)
    expect(nowMs - latestMs, 'and not too long ago').toBeLessThan(durationMs(counted))
  }
}
