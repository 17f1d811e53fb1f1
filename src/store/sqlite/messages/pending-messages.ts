/**
 * Combines the in-memory data of pending messages, so that all parts change it in the same way, and reports the events.
 * Reads a message from the disk if memory does not have it. Changes nothing on disk.
 */
import type { Database, Statement } from 'better-sqlite3'
import type { StoreEvent, TransitionDetails, Transitioned } from '../../../broker/contract/store.ts'
import { type StoreListener, StoreListeners } from '../../../broker/contract/store-listeners.ts'
import type { StoreCounts } from '../../../broker/contract/store-metrics.ts'
import type { Clock } from '../../../broker/vocabulary/clock.ts'
import { type MessageRecord, type PendingMessage, replyToOf } from '../../../broker/vocabulary/message.ts'
import {
  ACK_TRANSITIONS,
  FINAL_STATUSES,
  TRANSITIONS,
  type TransitionName,
} from '../../../broker/vocabulary/status.ts'
import type { Writer } from '../database/writer.ts'
import type { SqliteAudit } from '../records/audit.ts'
import { selected } from '../schema/message-columns.ts'
import { TEXT_COLUMNS } from '../schema/report-columns.ts'
import type { TermsOfPending } from './pending-terms.ts'
import type { PollTimestamps } from './poll-timestamps.ts'
import type { Queues } from './queues.ts'
import { type RecentMessage, RecentMessages } from './recent-messages.ts'

/** Fields that a dispatch and its notifications need. */
const ROW_FIELDS = ['command', 'guarantee', 'data', 'correlationId', 'producerId', 'createdAtMs'] as const
/** Values of the fields as a list, and the details. An object with names costs the driver a third of the read. */
type Row = readonly [...ValuesOf<typeof ROW_FIELDS>, details: 0 | 1 | null]
type ValuesOf<Names extends readonly (keyof MessageRecord)[]> = {
  readonly [I in keyof Names]: MessageRecord[Names[I]]
}

/** Number of attempts with a message `m`, as SQL. The first attempt by a poll has no row. */
export const ATTEMPT_COUNT =
  'max((SELECT count(*) FROM attempts WHERE message_id = m.id), m.polled_at_ms IS NOT NULL)'

/** Messages that a bulk call reads and changes in one commit, before the event loop turns. */
export const MANY_STEP = 250

const ACKNOWLEDGEMENTS: readonly TransitionName[] = Object.values(ACK_TRANSITIONS)

export interface PendingParts {
  readonly writer: Writer
  readonly queues: Queues
  readonly terms: TermsOfPending
  readonly pollTimestamps: PollTimestamps
  readonly clock: Clock
  readonly audit: SqliteAudit
  readonly counts: StoreCounts
}

export class PendingMessages implements PendingParts {
  readonly writer: Writer
  readonly queues: Queues
  readonly terms: TermsOfPending
  readonly pollTimestamps: PollTimestamps
  readonly clock: Clock
  readonly audit: SqliteAudit
  readonly counts: StoreCounts
  readonly recent = new RecentMessages()
  /** Returns the id of the newest durable message. Later messages cannot be the head. */
  durableId: () => number = () => 0
  readonly #listeners = new StoreListeners()
  readonly #byId: Statement<[id: number], Row>
  readonly #details: Statement<[id: number], TransitionDetails>

  /** @param db connection for reads */
  constructor(db: Database, { writer, queues, terms, pollTimestamps, clock, audit, counts }: PendingParts) {
    this.writer = writer
    this.queues = queues
    this.terms = terms
    this.pollTimestamps = pollTimestamps
    this.clock = clock
    this.audit = audit
    this.counts = counts
    this.#byId = db
      .prepare<[number], Row>(
        `SELECT ${selected(ROW_FIELDS)}, (SELECT details FROM terms WHERE message_id = messages.id)
         FROM messages WHERE id = ?`,
      )
      .raw()
    this.#details = db.prepare(
      `SELECT ${TEXT_COLUMNS}, r.result, ${ATTEMPT_COUNT} AS attempts, m.changed_at_ms AS atMs
       FROM messages m LEFT JOIN reports r ON r.message_id = m.id WHERE m.id = ?`,
    )
  }

  /** Returns the id of the oldest message that may be dispatched: durable, due, valid and not settling. */
  next(deviceId: string): number | null {
    const id = this.queues.next(deviceId, this.clock)
    return id === null || id > this.durableId() ? null : id
  }

  /** Reads a message that is about to be dispatched, and caches it for the following notification. */
  message(id: number): PendingMessage | null {
    return this.#read(id)?.message ?? null
  }

  #read(id: number): RecentMessage | undefined {
    const recent = this.recent.get(id)
    if (recent) return recent
    const found = this.#readRow(id)
    if (found) this.recent.add(found.message, found.replyTo, found.details, found.createdAtMs)
    return found
  }

  #readRow(id: number): RecentMessage | undefined {
    const row = this.writer.read(() => this.#byId.get(id))
    if (!row) return undefined
    const [command, guarantee, data, correlationId, producerId, createdAtMs, details] = row
    const message = { id, command, guarantee, data }
    const replyTo = replyToOf({ correlationId, producerId })
    return { message, replyTo, details: details === 1, createdAtMs }
  }

  /** Returns a durable change, with everything that an observer needs. */
  transitioned(messageId: number, deviceId: string, name: TransitionName): Transitioned {
    const { to: status, cause } = TRANSITIONS[name]
    // A settled message is not worth caching.
    const found = this.recent.get(messageId) ?? this.#readRow(messageId)
    if (found) this.#count(messageId, deviceId, name, found.createdAtMs)
    const replyTo = found?.replyTo ?? null
    const details = found?.details ? (this.writer.read(() => this.#details.get(messageId)) ?? null) : null
    return { messageId, deviceId, status, cause, replyTo, details, order: null }
  }

  /**
   * Counts a change: the age of the message, and the end of its open attempt. The queue still has a pending message.
   */
  #count(id: number, deviceId: string, name: TransitionName, createdAtMs: number): void {
    const { to } = TRANSITIONS[name]
    const isAcknowledged = ACKNOWLEDGEMENTS.includes(name)
    const seconds = (this.clock.wallMs() - createdAtMs) / 1_000
    if (to === 'DELIVERED' || (isAcknowledged && this.queues.has(deviceId, id))) {
      this.counts.delivered(seconds)
    }
    if (!FINAL_STATUSES.includes(to) && !isAcknowledged) return
    if (FINAL_STATUSES.includes(to)) this.counts.completions.observe(seconds)
    const latest = this.queues.latest(deviceId, id)
    if (latest?.outcome === null) {
      this.counts.attemptEnded(latest.transport, isAcknowledged ? 'ACKNOWLEDGED' : 'WITHDRAWN')
    }
  }

  /** Ends the change that made an entry settling. An entry that stays in its queue may be the head again. */
  settled(deviceId: string, messageId: number): void {
    this.queues.endSettling(messageId)
    if (this.#listeners.has('added') && this.queues.has(deviceId, messageId))
      this.report({ is: 'added', deviceId })
  }

  /** Removes a message from its queue and reports the removal. */
  remove(deviceId: string, messageId: number): void {
    this.forget(deviceId, messageId)
    this.report({ is: 'removed', deviceId, messageId })
  }

  /**
   * Removes a superseded message. A poll may have taken it during the write, and a parking may have taken over the time of the
   * poll without a row for it. The time is stored later.
   */
  removeSuperseded(deviceId: string, messageId: number): void {
    const polledAtMs = this.pollTimestamps.shown(messageId)
    this.remove(deviceId, messageId)
    if (polledAtMs !== null) this.pollTimestamps.add(messageId, polledAtMs)
  }

  forget(deviceId: string, messageId: number): void {
    this.queues.remove(deviceId, messageId)
    this.terms.delete(messageId)
    this.pollTimestamps.drop(messageId)
    this.recent.release(messageId)
  }

  watch(listener: StoreListener): () => void {
    return this.#listeners.add(listener)
  }

  report(event: StoreEvent): void {
    this.#listeners.report(event)
  }
}
