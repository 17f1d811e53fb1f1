/**
 * Keeps the pending messages of each device in memory, oldest first. An index on disk would touch another page per
 * message. An entry is *settling* while a decided change, which will remove it or has returned it, is not yet durable:
 * no dispatch takes it. Knows no SQL.
 */

import type { QueueLimits } from '../../../broker/contract/store.ts'
import type { NearlyFullQueue } from '../../../broker/contract/store-stats.ts'
import type { Clock } from '../../../broker/vocabulary/clock.ts'
import { hasRoom } from '../../../broker/vocabulary/queue-full.ts'
import type { End } from '../../end.ts'
import type { TermsOfPending } from './pending-terms.ts'
import { Queue } from './queue.ts'
import type { QueuedAttempt } from './queued-attempt.ts'

/*
 * The states of an entry:
 *
 *   delayed ──► pending ──► dispatched ──► settling ──► gone
 *                  │             ▲             │
 *                  │             └─ refused ───┘     the disk refused the change
 *                  └──► settling ──► gone
 *                          │
 *                          └ refused
 *
 * A dispatched entry has a latest attempt, open or ended, and only `force` cancels it. A settling entry still counts for
 * the limits, but is no head, since the change that removes it is being written. A delayed entry is no head either.
 */

export interface QueuesOptions {
  readonly terms: TermsOfPending
  /** Limits of a queue before its first enqueue. */
  readonly limits: QueueLimits
  /** Share of a limit from which {@link Queues.nearlyFull} returns a queue. */
  readonly nearlyFullShare: number
}

const NONE: readonly number[] = []

/** Holds one queue per device with pending messages. */
export class Queues {
  readonly #queues = new Map<string, Queue>()
  readonly #settling = new Set<number>()
  readonly #options: QueuesOptions
  /** Devices whose queues are nearly full, in the order in which they became so. */
  readonly #nearlyFull = new Set<string>()
  /** Devices that had a second attempt with a message; the attempt may have ended since. */
  readonly #repeated = new Set<string>()
  /** Queues that may have delayed entries. */
  readonly #delaying = new Set<Queue>()
  #pending = 0
  /** Smallest id that a replay returned to its queue. */
  oldestReplayed = Number.POSITIVE_INFINITY

  constructor(options: QueuesOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#queues.size
  }

  get pending(): number {
    return this.#pending
  }

  /** Returns the number of delayed entries of all queues that are not due. */
  delayed(clock: Clock): number {
    let sum = 0
    for (const queue of this.#delaying) {
      const size = queue.delayed(clock)
      if (size === 0) this.#delaying.delete(queue)
      sum += size
    }
    return sum
  }

  nearlyFull(limit: number): NearlyFullQueue[] {
    const found: NearlyFullQueue[] = []
    for (const deviceId of this.#nearlyFull) {
      if (found.length === limit) break
      const { size, bytes, limits } = this.#queues.get(deviceId) as Queue
      const isOfMessages = size >= limits.messages * this.#options.nearlyFullShare
      found.push(
        isOfMessages
          ? { deviceId, value: size, limit: limits.messages, of: 'messages' }
          : { deviceId, value: bytes, limit: limits.bytes, of: 'bytes' },
      )
    }
    return found
  }

  /**
   * Adds an entry at the end of a queue.
   *
   * @param id greater than every earlier id
   * @param bytes size of `command` and `data` in UTF-8
   * @param due end of the delay of the entry; null without a delay
   * @param replaced entries that the new entry replaces, which count for no limit
   * @returns the new length of the queue; null for a full queue
   */
  add(
    deviceId: string,
    id: number,
    command: string,
    limits: QueueLimits,
    bytes: number,
    due: End | null = null,
    replaced: readonly number[] = NONE,
  ): number | null {
    const queue = this.#queues.get(deviceId)
    if (queue) {
      queue.limits = limits
      if (!fits(queue, bytes, limits, replaced)) return null
    }
    return this.#add(queue, deviceId, id, command, limits, bytes, due)
  }

  /** Adds an entry from the disk, whatever the limits. */
  load(deviceId: string, id: number, command: string, bytes: number, due: End | null): void {
    const queue = this.#queues.get(deviceId)
    this.#add(queue, deviceId, id, command, this.#options.limits, bytes, due)
  }

  /** Adds an entry to its queue, or to a new queue. Returns the new length. */
  #add(
    known: Queue | undefined,
    deviceId: string,
    id: number,
    command: string,
    limits: QueueLimits,
    bytes: number,
    due: End | null,
  ): number {
    const isNew = known === undefined
    const queue = known ?? this.#newQueue(deviceId, limits, due === null ? id : null, command, bytes)
    if (due !== null) {
      queue.addDelayed({ id, command, bytes, due })
      this.#delaying.add(queue)
    } else if (!isNew) queue.add(id, command, bytes)
    this.#pending++
    this.#resized(deviceId, queue)
    return queue.size
  }

  /**
   * Returns a message to its place in its queue, as settling. Returns false for a full queue.
   *
   * @param due end of the delay of the entry; null without a delay
   */
  restore(
    deviceId: string,
    id: number,
    command: string,
    limits: QueueLimits,
    bytes: number,
    due: End | null,
  ): boolean {
    if (!this.hasRoom(deviceId, bytes, limits)) return false
    const queue = this.#queues.get(deviceId) ?? this.#newQueue(deviceId, limits, null, '', 0)
    if (due === null) queue.insert(id, command, bytes)
    else {
      queue.insertDelayed({ id, command, bytes, due })
      this.#delaying.add(queue)
    }
    this.#settling.add(id)
    this.#pending++
    this.oldestReplayed = Math.min(this.oldestReplayed, id)
    this.#resized(deviceId, queue)
    return true
  }

  hasRoom(deviceId: string, bytes: number, limits: QueueLimits): boolean {
    const queue = this.#queues.get(deviceId)
    return queue === undefined || fits(queue, bytes, limits, NONE)
  }

  #newQueue(deviceId: string, limits: QueueLimits, id: number | null, command: string, bytes: number): Queue {
    const queue = new Queue(limits, id, command, bytes)
    this.#queues.set(deviceId, queue)
    return queue
  }

  /** Removes an entry. Returns false for an unknown entry. */
  remove(deviceId: string, id: number): boolean {
    const queue = this.#queues.get(deviceId)
    if (!queue?.remove(id)) return false
    this.#pending--
    this.#resized(deviceId, queue)
    if (queue.size === 0) this.#queues.delete(deviceId)
    return true
  }

  #resized(deviceId: string, queue: Queue): void {
    const isNearlyFull = queue.size > 0 && this.#isNearlyFull(queue)
    if (isNearlyFull === queue.isNearlyFull) return
    queue.isNearlyFull = isNearlyFull
    if (isNearlyFull) this.#nearlyFull.add(deviceId)
    else this.#nearlyFull.delete(deviceId)
  }

  #isNearlyFull({ size, bytes, limits }: Queue): boolean {
    const { nearlyFullShare } = this.#options
    if (size >= limits.messages * nearlyFullShare) return true
    return limits.bytes > 0 && bytes >= limits.bytes * nearlyFullShare
  }

  /** Marks an entry as settling. Returns false if it is unknown or already settling. */
  beginSettling(deviceId: string, id: number): boolean {
    if (this.#settling.has(id) || !this.#queues.get(deviceId)?.has(id)) return false
    this.#settling.add(id)
    return true
  }

  /** Ends the settling state. An entry that was not removed may be the head again. */
  endSettling(id: number): void {
    this.#settling.delete(id)
  }

  /** Returns whether a queue has an entry, in any state. */
  has(deviceId: string, id: number): boolean {
    return this.#queues.get(deviceId)?.has(id) ?? false
  }

  /** Returns whether a queue has an entry that is not settling. */
  isPending(deviceId: string, id: number): boolean {
    return !this.#settling.has(id) && this.has(deviceId, id)
  }

  /** Returns the devices whose queues have an entry, in any state. */
  devices(): Iterable<string> {
    return this.#queues.keys()
  }

  /** Returns the number of entries of a queue, in any state. */
  size(deviceId: string): number {
    return this.#queues.get(deviceId)?.size ?? 0
  }

  /** Returns the oldest entry that is not settling, including delayed entries. */
  head(deviceId: string): number | null {
    return this.#queues.get(deviceId)?.oldest(this.#settling) ?? null
  }

  /** Returns the oldest entry that is neither settling nor delayed, whatever its validity. */
  front(deviceId: string): number | null {
    return this.#queues.get(deviceId)?.front(this.#settling) ?? null
  }

  /** Returns the oldest entry that may be dispatched: due, valid and not settling. */
  next(deviceId: string, clock: Clock): number | null {
    return this.#queues.get(deviceId)?.next(this.#settling, this.#options.terms, clock) ?? null
  }

  /** Returns the time until the next delayed entry is due; null without one. */
  nextDueInMs(deviceId: string, clock: Clock): number | null {
    return this.#queues.get(deviceId)?.nextDueInMs(clock) ?? null
  }

  /** Returns the ids of a queue's entries in ascending order, including delayed and settling ones. */
  ids(deviceId: string): readonly number[] {
    return this.#queues.get(deviceId)?.ids() ?? []
  }

  /** Returns the end of the validity of a pending message, in milliseconds since 1970; null without one. */
  expiresAtMs(id: number): number | null {
    return this.#options.terms.get(id)?.expiresAtMs ?? null
  }

  /** Returns the ids of a queue's entries with a command in ascending order, including delayed and settling ones. */
  withCommand(deviceId: string, command: string): readonly number[] {
    return this.#queues.get(deviceId)?.withCommand(command) ?? []
  }

  /** Returns the number of a queue's entries per command, among the oldest entries. */
  commands(deviceId: string, limit: number): ReadonlyMap<string, number> {
    return this.#queues.get(deviceId)?.commands(limit) ?? new Map()
  }

  /** Returns the latest attempt with a message, if it is in memory. */
  latest(deviceId: string, id: number): QueuedAttempt | null {
    return this.#queues.get(deviceId)?.latest(id) ?? null
  }

  setLatest(deviceId: string, attempt: QueuedAttempt): void {
    const queue = this.#queues.get(deviceId)
    if (!queue?.has(attempt.id)) return
    queue.setLatest(attempt)
    if (attempt.counted > 1) this.#repeated.add(deviceId)
  }

  /** Returns the devices whose unanswered attempt is at least the second attempt with its message. */
  blocked(): string[] {
    for (const deviceId of this.#repeated) {
      const latest = this.open(deviceId) ?? this.timedOut(deviceId)
      if ((latest?.counted ?? 0) < 2) this.#repeated.delete(deviceId)
    }
    return [...this.#repeated]
  }

  /** Returns the open attempt of the oldest message that has one and is not settling. */
  open(deviceId: string): QueuedAttempt | null {
    return this.#queues.get(deviceId)?.oldestLatest(null, this.#settling) ?? null
  }

  /**
   * Returns the latest attempt of the oldest message that is not settling and whose latest attempt ended as TIMEOUT.
   */
  timedOut(deviceId: string): QueuedAttempt | null {
    return this.#queues.get(deviceId)?.oldestLatest('TIMEOUT', this.#settling) ?? null
  }

  /** Returns whether {@link markUnattempted} was last called for a message. */
  isUnattempted(deviceId: string, id: number): boolean {
    return this.#queues.get(deviceId)?.unattemptedId === id
  }

  /** Records that the disk has no attempt with a message, so that it is not read again. */
  markUnattempted(deviceId: string, id: number): void {
    const queue = this.#queues.get(deviceId)
    if (queue) queue.unattemptedId = id
  }

  /** Returns the total size of the messages of a queue, excluding some of them. */
  bytes(deviceId: string, without: readonly number[]): number {
    const queue = this.#queues.get(deviceId)
    let sum = queue?.bytes ?? 0
    for (const id of without) sum -= queue?.bytesOf(id) ?? 0
    return sum
  }
}

/** Returns whether a queue has room for a message that replaces others. */
function fits(queue: Queue, bytes: number, limits: QueueLimits, replaced: readonly number[]): boolean {
  let used = queue.bytes
  for (const id of replaced) used -= queue.bytesOf(id) ?? 0
  return hasRoom(queue.size - replaced.length, used, bytes, limits)
}
