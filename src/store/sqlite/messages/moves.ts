/**
 * Changes the status of a message in SQLite: reads the message in the running transaction, lets the rule decide, and
 * stores the result. Knows no queues.
 */
import type { Statement } from 'better-sqlite3'
import { type MovableMessage, type Moved, type MoveOptions, move } from '../../../broker/engine/move.ts'
import {
  type Cause,
  type Guarantee,
  LISTED_CAUSES,
  type Status,
  TRANSITIONS,
  type TransitionName,
} from '../../../broker/vocabulary/status.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import type { PollTimestamps } from './poll-timestamps.ts'

/** Facts about a pending message that are in memory. */
export interface PendingFacts {
  wasDispatched(deviceId: string, messageId: number): boolean
  isExpired(messageId: number, nowMs: number): boolean
}

/** Values of a message as a list. An object with names costs the driver a third of the read. */
type Row = readonly [
  deviceId: string,
  guarantee: Guarantee,
  status: Status,
  cause: Cause | null,
  changedAtMs: number,
  deliveredAtMs: number | null,
]

/** A message as it is in the running transaction. */
export class MessageInTransaction implements MovableMessage {
  readonly id: number
  readonly deviceId: string
  readonly guarantee: Guarantee
  readonly status: Status
  readonly cause: Cause | null
  readonly changedAtMs: number
  readonly deliveredAtMs: number | null
  readonly #facts: PendingFacts
  readonly #nowMs: number

  constructor(id: number, row: Row, facts: PendingFacts, nowMs: number) {
    this.id = id
    this.deviceId = row[0]
    this.guarantee = row[1]
    this.status = row[2]
    this.cause = row[3]
    this.changedAtMs = row[4]
    this.deliveredAtMs = row[5]
    this.#facts = facts
    this.#nowMs = nowMs
  }

  get wasDispatched(): boolean {
    return this.#facts.wasDispatched(this.deviceId, this.id)
  }

  get isExpired(): boolean {
    return this.#facts.isExpired(this.id, this.#nowMs)
  }
}

/** Reads and changes messages in the running transaction. */
export class Moves {
  readonly #facts: PendingFacts
  readonly #pollTimestamps: PollTimestamps
  readonly #read: Statement<[id: number], Row>
  readonly #put: WriteStatement
  readonly #list: WriteStatement

  constructor(writer: Writer, pollTimestamps: PollTimestamps, facts: PendingFacts) {
    this.#facts = facts
    this.#pollTimestamps = pollTimestamps
    this.#read = writer
      .prepare<[number], Row>(
        'SELECT device_id, guarantee, status, cause, changed_at_ms, delivered_at_ms FROM messages WHERE id = ?',
      )
      .raw()
    this.#put = writer.prepare(
      `UPDATE messages SET status = ?, cause = ?, changed_at_ms = ?, changed_by = ?,
         delivered_at_ms = coalesce(?, delivered_at_ms), delivered_by = coalesce(?, delivered_by),
         broken_at_ms = coalesce(?, broken_at_ms), superseded_by = coalesce(?, superseded_by),
         polled_at_ms = coalesce(polled_at_ms, ?)
       WHERE id = ?`,
    )
    this.#list = writer.prepare(
      `INSERT INTO changes (message_id, number, at_ms, status, cause, by)
       VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM changes WHERE message_id = ?), ?, ?, ?, ?)`,
    )
  }

  /** Returns a message as it is at a time; null for an unknown message. */
  find(id: number, nowMs: number): MessageInTransaction | null {
    const row = this.#read.get(id)
    return row === undefined ? null : new MessageInTransaction(id, row, this.#facts, nowMs)
  }

  /**
   * Makes a change, if its rule allows it. Returns whether it did.
   *
   * @param polledAtMs time of the first poll, if it is neither on disk nor among the {@link PollTimestamps}
   */
  make(
    message: MessageInTransaction | null,
    name: TransitionName,
    options: MoveOptions,
    polledAtMs: number | null = null,
  ): boolean {
    const moved = message && move(message, name, options)
    if (moved === null) return false
    const { id } = message as MessageInTransaction
    this.#store(id, moved, polledAtMs ?? this.#pollTimestamps.at(id))
    const { cause } = TRANSITIONS[name]
    if (LISTED_CAUSES.includes(cause))
      this.#list.run(id, id, moved.changedAtMs, moved.status, cause, moved.changedBy)
    return true
  }

  /** @param polledAtMs time of the first poll, if it may not be on disk yet */
  #store(id: number, moved: Moved, polledAtMs: number | null): void {
    const { status, cause, changedAtMs, changedBy } = moved
    const { deliveredAtMs, deliveredBy, brokenAtMs, supersededBy } = moved
    this.#put.run(
      status,
      cause,
      changedAtMs,
      changedBy,
      deliveredAtMs,
      deliveredBy,
      brokenAtMs,
      supersededBy,
      polledAtMs,
      id,
    )
  }
}
