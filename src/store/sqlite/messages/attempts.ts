/**
 * Begins and ends the attempts with pending messages: in memory, and as rows. Attempts from before the start of this
 * process are read when their message reaches the front of its queue. Knows no leases.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import type {
  AttemptOutcome,
  AttemptRules,
  DeviceAttempt,
  OpenAttempt,
} from '../../../broker/contract/device-lease.ts'
import {
  attemptStateOf,
  nextAttempt,
  openAttemptOf,
  type QueueFacts,
} from '../../../broker/engine/dispatch-choice.ts'
import type { AttemptState } from '../../../broker/vocabulary/message.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { PendingMessages } from './pending-messages.ts'
import { endedAttempt, type QueuedAttempt } from './queued-attempt.ts'
import { StoredAttempts } from './stored-attempts.ts'

/** Queues whose first message is examined between two turns of the event loop. Each may take a read of 10 µs. */
const FRONTS_STEP = 200

/** Maximum dispatch times in memory. An older time is on disk, unless more writes than this are in progress. */
const RECENT = 20_000

export interface AttemptsOptions {
  /** Durations of the attempts by their count, for attempts that began before a restart. */
  readonly durationsMs: readonly number[]
  /** Newest message at the start. Later messages have only attempts in memory. */
  readonly lastIdAtStart: number
}

export class Attempts implements QueueFacts<QueuedAttempt> {
  readonly #pending: PendingMessages
  readonly #stored: StoredAttempts
  readonly #lastIdAtStart: number
  #hasReadFronts = false
  readonly #insert: WriteStatement
  readonly #repeat: WriteStatement
  readonly #end: WriteStatement
  readonly #refuse: WriteStatement
  readonly #markTimedOut: WriteStatement
  readonly #movePoll: WriteStatement
  readonly #clearPoll: WriteStatement
  readonly #expireNow: WriteStatement
  readonly #recordDispatchTime: WriteStatement
  /** Times of the newest paced dispatches by device. A line may attach before such a time is on disk. */
  readonly #recentDispatches = new Map<string, number>()
  readonly #dispatchedAtMs: Statement<[deviceId: string], number>

  /** @param db connection for reads */
  constructor(db: Database, pending: PendingMessages, { durationsMs, lastIdAtStart }: AttemptsOptions) {
    const { writer } = pending
    this.#pending = pending
    this.#lastIdAtStart = lastIdAtStart
    this.#stored = new StoredAttempts(db, pending, durationsMs)
    this.#insert = writer.prepare(
      'INSERT INTO attempts (message_id, number, at_ms, transport) VALUES (?, ?, ?, ?)',
    )
    this.#repeat = writer.prepare(
      'UPDATE attempts SET at_ms = ?, transport = ?, outcome = NULL WHERE message_id = ? AND number = ?',
    )
    this.#end = writer.prepare(
      'UPDATE attempts SET outcome = ? WHERE message_id = ? AND number = ? AND outcome IS NULL',
    )
    this.#refuse = writer.prepare('UPDATE attempts SET refused = ? WHERE message_id = ? AND number = ?')
    const pendingMessage = `id = ? AND status = 'NOT_DELIVERED'`
    this.#markTimedOut = writer.prepare(`UPDATE messages SET delivered_error = 1 WHERE ${pendingMessage}`)
    this.#movePoll = writer.prepare(
      `INSERT INTO attempts (message_id, number, at_ms, transport, outcome)
       SELECT id, 1, ?, 'REST', ? FROM messages WHERE ${pendingMessage}`,
    )
    this.#clearPoll = writer.prepare(`UPDATE messages SET polled_at_ms = NULL WHERE ${pendingMessage}`)
    this.#expireNow = writer.prepare(`INSERT OR IGNORE INTO deadlines VALUES (?, 'EXPIRES', ?)`)
    this.#recordDispatchTime = writer.prepare(
      `INSERT INTO devices (device_id, dispatched_at_ms) VALUES (?, ?)
       ON CONFLICT (device_id) DO UPDATE SET dispatched_at_ms = excluded.dispatched_at_ms`,
    )
    this.#dispatchedAtMs = db
      .prepare<[string], number>('SELECT dispatched_at_ms FROM devices WHERE device_id = ?')
      .pluck()
  }

  /** Returns the latest attempt with a pending message; null if it was never dispatched. */
  latest(deviceId: string, id: number): QueuedAttempt | null {
    const { queues } = this.#pending
    const latest = queues.latest(deviceId, id)
    if (latest !== null || id > this.#lastIdAtStart || queues.isUnattempted(deviceId, id)) return latest
    return this.read(deviceId, id)
  }

  /** Reads the latest attempt with a pending message from the disk into memory. */
  read(deviceId: string, id: number): QueuedAttempt | null {
    const { queues } = this.#pending
    const stored = this.#stored.latest(id)
    if (stored) queues.setLatest(deviceId, stored)
    else queues.markUnattempted(deviceId, id)
    return stored
  }

  /** Returns the open attempt of the device's oldest message with an open attempt. */
  open(deviceId: string): QueuedAttempt | null {
    const { queues } = this.#pending
    if (this.#stored.takeUnordered(deviceId)) {
      for (const id of queues.ids(deviceId)) this.latest(deviceId, id)
    } else {
      const front = queues.front(deviceId)
      if (front !== null && front <= this.#lastIdAtStart) this.latest(deviceId, front)
    }
    return queues.open(deviceId)
  }

  /** Returns the latest attempt of the device's oldest message whose attempt is open or ended as TIMEOUT. */
  unanswered(deviceId: string): QueuedAttempt | null {
    return this.open(deviceId) ?? this.#pending.queues.timedOut(deviceId)
  }

  /** Returns the devices whose unanswered attempt is at least the second attempt with its message. */
  async blocked(): Promise<string[]> {
    if (!this.#hasReadFronts) await this.allOpen()
    return this.#pending.queues.blocked()
  }

  /** Returns the open attempts. Reads those from before the start, because memory has only those that were accessed. */
  async allOpen(): Promise<DeviceAttempt[]> {
    const found: DeviceAttempt[] = []
    for (const [i, deviceId] of [...this.#pending.queues.devices()].entries()) {
      if (i % FRONTS_STEP === FRONTS_STEP - 1) await turn()
      const open = this.open(deviceId)
      if (open) found.push({ deviceId, ...this.toOpenAttempt(open) })
    }
    this.#hasReadFronts = true
    return found
  }

  /** Returns the oldest message that is due, valid, durable and not settling. */
  next(deviceId: string): number | null {
    return this.#pending.next(deviceId)
  }

  isPending(deviceId: string, id: number): boolean {
    return this.#pending.queues.isPending(deviceId, id)
  }

  isValid(id: number): boolean {
    const { terms, clock } = this.#pending
    return terms.isValid(id, clock.wallMs())
  }

  isRunning(attempt: QueuedAttempt): boolean {
    return attempt.outcome === null && attempt.untilMs > this.#pending.clock.monotonicMs()
  }

  /** Converts an open attempt to the form of the contract. */
  toOpenAttempt(attempt: QueuedAttempt): OpenAttempt {
    const { terms, clock } = this.#pending
    return openAttemptOf(attempt, terms.get(attempt.id) ?? null, clock.wallMs(), clock.monotonicMs())
  }

  /** Returns an attempt as its device sees it. */
  state(id: number, attempt: Pick<QueuedAttempt, 'number' | 'counted'>): AttemptState {
    const { terms, clock } = this.#pending
    return attemptStateOf(attempt, terms.get(id) ?? null, clock.wallMs())
  }

  /**
   * Begins an attempt in memory.
   *
   * @param latest the previous attempt, which has ended
   * @param transport name of the transport of the device's connection
   * @param isPoll true for an attempt by a plain poll, whose first attempt needs no row
   */
  begin(
    deviceId: string,
    id: number,
    latest: QueuedAttempt | null,
    rules: AttemptRules,
    transport: string,
    isPoll: boolean,
  ): QueuedAttempt {
    const { queues, terms, clock } = this.#pending
    const maxAttempts = terms.get(id)?.maxAttempts ?? null
    const next = nextAttempt(latest, rules, maxAttempts, clock.wallMs(), clock.monotonicMs())
    const { number, counted, atMs, untilMs } = next
    const attempt: QueuedAttempt = {
      id,
      number,
      counted,
      transport,
      atMs,
      untilMs,
      outcome: null,
      isPoll: isPoll && number === 1 && !next.repeats,
      replayedAtMs: latest?.replayedAtMs ?? 0,
    }
    queues.setLatest(deviceId, attempt)
    return attempt
  }

  /** Stores an attempt of {@link begin} in the running transaction. */
  store({ id, number, transport, atMs, replayedAtMs }: QueuedAttempt, latest: QueuedAttempt | null): void {
    const storedAtMs = Math.max(atMs, replayedAtMs)
    if (number === latest?.number) this.#repeat.run(storedAtMs, transport, id, number)
    else this.#insert.run(id, number, storedAtMs, transport)
  }

  /** Stores the time of a paced dispatch in the running transaction. */
  storeDispatchTime(deviceId: string, atMs: number): void {
    this.#recordDispatchTime.run(deviceId, atMs)
  }

  /** Keeps the time of a paced dispatch in memory. */
  keepDispatchTime(deviceId: string, atMs: number): void {
    const recent = this.#recentDispatches
    // A key that is set again keeps its place, so delete it first.
    recent.delete(deviceId)
    recent.set(deviceId, atMs)
    if (recent.size > RECENT) recent.delete(recent.keys().next().value as string)
  }

  /** Reverts {@link begin}, because the storage refused the attempt. The device may still have the message. */
  unbegin(deviceId: string, attempt: QueuedAttempt, latest: QueuedAttempt | null): void {
    const { queues } = this.#pending
    if (queues.latest(deviceId, attempt.id) !== attempt) return
    const none: QueuedAttempt = { ...attempt, number: 0, counted: 0, outcome: 'OVER', isPoll: false }
    queues.setLatest(deviceId, latest ?? none)
  }

  /**
   * Ends the open attempt with a message in memory. {@link storeEnd} or {@link storeOutcome} follows.
   *
   * @returns the attempt before its end, for {@link unend}; null if the message has no open attempt, or is settling
   */
  end(
    deviceId: string,
    { messageId, outcome }: { readonly messageId: number; readonly outcome: AttemptOutcome },
  ): QueuedAttempt | null {
    const { queues, pollTimestamps } = this.#pending
    if (!queues.isPending(deviceId, messageId)) return null
    const attempt = this.latest(deviceId, messageId)
    if (attempt?.outcome !== null) return null
    queues.setLatest(deviceId, endedAttempt(attempt, outcome))
    if (attempt.isPoll) pollTimestamps.move(messageId)
    return attempt
  }

  /**
   * Stores the end of an attempt in the running transaction. The message stays pending.
   *
   * @param attempt the attempt before its end
   */
  storeEnd(attempt: QueuedAttempt, outcome: AttemptOutcome): void {
    const { terms, clock } = this.#pending
    this.storeOutcome(attempt, outcome)
    const nowMs = clock.wallMs()
    // The deadline had been moved to the end of the attempt, which comes earlier now.
    if (!terms.isValid(attempt.id, nowMs)) this.#expireNow.run(nowMs, attempt.id)
  }

  /** Stores the outcome of an attempt in the transaction that removes the message from its queue. */
  storeOutcome(attempt: QueuedAttempt, outcome: AttemptOutcome): void {
    const { id, number, isPoll } = attempt
    if (isPoll) this.#storePoll(attempt, outcome)
    else this.#end.run(outcome, id, number)
    if (outcome === 'TIMEOUT') this.#markTimedOut.run(id)
  }

  /** Gives a row to the first attempt by a poll, in the running transaction. */
  #storePoll({ id, atMs }: QueuedAttempt, outcome: AttemptOutcome | null): void {
    this.#movePoll.run(atMs, outcome, id)
    this.#clearPoll.run(id)
  }

  /**
   * Stores, with the open attempt of a device, why an answer was refused.
   *
   * @returns the id of the message; null without an open attempt
   */
  async refuseAnswer(deviceId: string, reason: string): Promise<number | null> {
    const { queues, writer, pollTimestamps } = this.#pending
    const attempt = this.open(deviceId)
    if (attempt === null) return null
    const { id, number, isPoll } = attempt
    if (isPoll) {
      pollTimestamps.move(id)
      queues.setLatest(deviceId, { ...attempt, isPoll: false })
    }
    try {
      await writer.write(() => {
        if (isPoll) this.#storePoll(attempt, null)
        this.#refuse.run(reason, id, number)
      })
    } catch (error) {
      if (isPoll) this.unend(deviceId, attempt)
      throw error
    }
    if (isPoll) pollTimestamps.drop(id)
    return id
  }

  /**
   * Counts an attempt that has ended durably, and reports the deadline of its message if the validity is over.
   *
   * @param attempt the attempt before its end
   */
  ended({ id, transport, isPoll }: QueuedAttempt, outcome: AttemptOutcome): void {
    const { terms, clock, counts, pollTimestamps } = this.#pending
    if (isPoll) pollTimestamps.drop(id)
    counts.attemptEnded(transport, outcome)
    if (!terms.isValid(id, clock.wallMs())) this.#pending.report({ is: 'deadline', inMs: 0 })
  }

  /** Reverts {@link end}, because the storage refused it. */
  unend(deviceId: string, attempt: QueuedAttempt): void {
    const { queues, pollTimestamps } = this.#pending
    if (!queues.has(deviceId, attempt.id)) return
    queues.setLatest(deviceId, attempt)
    if (attempt.isPoll) pollTimestamps.add(attempt.id, attempt.atMs)
  }

  /** Returns the time since the latest paced dispatch; null without one. */
  sinceDispatchMs(deviceId: string): number | null {
    const { writer, clock } = this.#pending
    const recentAtMs = this.#recentDispatches.get(deviceId)
    const atMs = recentAtMs ?? writer.read(() => this.#dispatchedAtMs.get(deviceId)) ?? null
    // After the clock was set back, no time counts as passed.
    return atMs === null ? null : Math.max(0, clock.wallMs() - atMs)
  }
}
