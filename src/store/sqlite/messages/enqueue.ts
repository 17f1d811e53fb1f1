/**
 * Stores new messages in SQLite: each in one commit with the messages that it cancels, its terms, its links and its
 * idempotency key. A message without any of them is one INSERT.
 */
import type { Database, Statement } from 'better-sqlite3'
import { withMessage } from '../../../audit/actor.ts'
import type { AuditEntry } from '../../../audit/audit.ts'
import type { Enqueued, QueueLimits, StoreEvent, Transitioned } from '../../../broker/contract/store.ts'
import { cancelsReplaced, type ReplacedMessage } from '../../../broker/engine/replacement.ts'
import { HandedOver, type QueueState } from '../../../broker/vocabulary/errors.ts'
import { LINK_LIST, type LinkName, type NewLinks } from '../../../broker/vocabulary/link-table.ts'
import { type NewMessage, toPendingMessage } from '../../../broker/vocabulary/message.ts'
import { queueFull } from '../../../broker/vocabulary/queue-full.ts'
import { hasNoTerm, NO_TERMS, TERM_LIST, toStoredTerms } from '../../../broker/vocabulary/term-table.ts'
import { endAt } from '../../end.ts'
import { lastId } from '../database/sequences.ts'
import type { WriteStatement } from '../database/transactions.ts'
import { INSERT_MESSAGE, insertedValues } from '../schema/message-columns.ts'
import { IdempotencyKeys } from './idempotency-keys.ts'
import type { Moves } from './moves.ts'
import { ATTEMPT_COUNT, type PendingParts } from './pending-messages.ts'
import type { PendingTerms } from './pending-terms.ts'
import type { RecentMessages } from './recent-messages.ts'

/** Length of a queue up to which its newest message is dispatched soon, and so is worth caching. */
const SOON_LENGTH = 8

const NONE: readonly number[] = []

interface Parts extends PendingParts {
  readonly recent: RecentMessages
  readonly moves: Moves
  /** Returns the change of a message that a new message cancelled. */
  readonly superseded: (messageId: number, deviceId: string) => Transitioned
  /** Removes a superseded message from its queue, and reports the removal. */
  readonly removeSuperseded: (deviceId: string, messageId: number) => void
  readonly report: (event: StoreEvent) => void
}

/** Statement that stores a link, unless the earlier message does not exist. */
interface InsertedLink {
  readonly name: LinkName
  readonly insert: WriteStatement
}

export class Enqueuer {
  readonly #parts: Parts
  readonly #keys: IdempotencyKeys
  readonly #replaced: Statement<[id: number], ReplacedMessage>
  readonly #insert: WriteStatement
  readonly #insertTerms: WriteStatement
  readonly #insertDeadline: WriteStatement
  readonly #links: readonly InsertedLink[]
  /** Id of the newest message, durable or not. */
  #lastId: number
  #durableId: number

  /** @param db connection for reads */
  constructor(db: Database, parts: Parts) {
    const { writer } = parts
    this.#parts = parts
    this.#keys = new IdempotencyKeys(db, writer)
    this.#replaced = db.prepare(
      `SELECT device_id AS deviceId, status, ${ATTEMPT_COUNT} AS attempts FROM messages m WHERE id = ?`,
    )
    this.#insert = writer.prepare(INSERT_MESSAGE)
    this.#insertTerms = writer.prepare(
      `INSERT INTO terms (message_id, details, ${TERM_LIST.map(({ column }) => column).join(', ')})
       VALUES (?, ?, ${TERM_LIST.map(() => '?').join(', ')})`,
    )
    this.#insertDeadline = writer.prepare(`INSERT INTO deadlines VALUES (?, 'EXPIRES', ?)`)
    this.#links = LINK_LIST.map(({ name, table }) => ({
      name,
      insert: writer.prepare(
        `INSERT INTO ${table} (message_id, new_message_id) SELECT id, ? FROM messages WHERE id = ?`,
      ),
    }))
    this.#lastId = lastId(db, 'messages')
    this.#durableId = this.#lastId
  }

  /** Id of the newest durable message; 0 without one. Later messages cannot be the head. */
  get durableId(): number {
    return this.#durableId
  }

  /** Stores a message; see `MessageStore.enqueue`. */
  enqueue(message: NewMessage, limits: QueueLimits, audit: AuditEntry | null): Promise<Enqueued> {
    const { idempotency } = message
    if (idempotency === null) return this.#store(message, limits, audit)
    return this.#keys.storeOnce(idempotency, () => this.#store(message, limits, audit))
  }

  #store(message: NewMessage, limits: QueueLimits, audit: AuditEntry | null): Promise<Enqueued> {
    const { replaces } = message
    return replaces === null
      ? this.#write(message, limits, null, audit)
      : this.#replace(message, limits, replaces, audit)
  }

  /** Stores a message that replaces another message, if that message was never dispatched. */
  async #replace(
    message: NewMessage,
    limits: QueueLimits,
    replaces: number,
    audit: AuditEntry | null,
  ): Promise<Enqueued> {
    const { deviceId } = message
    let replaced = this.#replaceable(deviceId, replaces)
    if (replaced === 'settling') {
      // Another change of the message is being written. This write resolves after it.
      await this.#parts.writer.write(() => {})
      replaced = this.#replaceable(deviceId, replaces)
    }
    if (replaced === 'settling') throw new HandedOver(replaces, 'NOT_DELIVERED', 0)
    return this.#write(message, limits, replaced === 'pending' ? replaces : null, audit)
  }

  /**
   * Marks a replaceable message as settling, so that its device does not receive it during the write.
   *
   * @throws {BrokerError} unknown-message
   * @throws {HandedOver}
   */
  #replaceable(deviceId: string, messageId: number): 'pending' | 'settling' | 'cancelled' {
    const { writer, queues } = this.#parts
    const row = writer.read(() => this.#replaced.get(messageId))
    // Memory may have an attempt that is not on disk yet.
    const attempts = Math.max(row?.attempts ?? 0, queues.latest(deviceId, messageId)?.number ?? 0)
    const replaced = row === undefined ? null : { deviceId: row.deviceId, status: row.status, attempts }
    if (!cancelsReplaced(replaced, deviceId, messageId)) return 'cancelled'
    return queues.beginSettling(deviceId, messageId) ? 'pending' : 'settling'
  }

  /** @param replaced settling message that this message cancels */
  #write(
    message: NewMessage,
    limits: QueueLimits,
    replaced: number | null,
    audit: AuditEntry | null,
  ): Promise<Enqueued> {
    const { writer, queues, clock, audit: trail } = this.#parts
    const { deviceId, command, idempotency } = message
    const leaving = this.#cancelledBy(message, replaced)
    const settling = this.#beginSettling(deviceId, leaving, replaced)
    const id = this.#lastId + 1
    const atMs = clock.wallMs()
    const terms = termsOf(message, atMs)
    const bytes = Buffer.byteLength(command) + Buffer.byteLength(message.data)
    // The message enters its queue before it is durable, so that the limits count it for the next messages.
    const dueAtMs = terms === null ? null : terms.dueAtMs
    const due = dueAtMs === null ? null : endAt(dueAtMs, dueAtMs - atMs, clock)
    const length = queues.add(deviceId, id, command, limits, bytes, due, leaving)
    if (length === null) {
      for (const each of settling) queues.endSettling(each)
      return Promise.reject(queueFull(deviceId, this.#state(deviceId, limits, leaving), bytes))
    }
    this.#lastId = id
    if (terms !== null) this.#parts.terms.set(id, terms)
    const line = audit && trail.line(withMessage(audit, id))
    const store = (): readonly number[] => {
      this.#insert.run(...insertedValues(id, atMs, message))
      if (terms !== null) this.#storeTerms(id, terms)
      if (idempotency !== null) this.#keys.insert(idempotency, id, atMs)
      if (message.links) this.#storeLinks(id, message.links)
      line?.()
      return leaving.length === 0 ? NONE : this.#supersede(leaving, id, atMs)
    }
    return writer.write(store).then(
      (cancelled) => {
        const enqueued = this.#enqueued(id, message, atMs, length, leaving, cancelled)
        for (const each of settling) queues.endSettling(each)
        return enqueued
      },
      (error: unknown) => {
        this.#refused(deviceId, id, settling)
        throw error
      },
    )
  }

  /**
   * Marks the messages that leave together with a replaced one as settling too. Otherwise a poll would get a younger one of
   * them during the write, as the replaced one is hidden. Returns all that are settling because of this message.
   */
  #beginSettling(deviceId: string, leaving: readonly number[], replaced: number | null): readonly number[] {
    if (replaced === null) return NONE
    const { queues } = this.#parts
    return leaving.filter((id) => id === replaced || queues.beginSettling(deviceId, id))
  }

  /** Returns the state that a queue would have without some of its messages. */
  #state(deviceId: string, limits: QueueLimits, without: readonly number[]): QueueState {
    const { queues } = this.#parts
    return {
      waiting: queues.size(deviceId) - without.length,
      limit: limits.messages,
      bytes: queues.bytes(deviceId, without),
      limitBytes: limits.bytes,
    }
  }

  /** Returns the pending messages that a new message cancels. */
  #cancelledBy({ deviceId, command, guarantee }: NewMessage, replaced: number | null): readonly number[] {
    const superseded = guarantee === 'ONLY_LAST' ? this.#parts.queues.withCommand(deviceId, command) : NONE
    return replaced === null || superseded.includes(replaced) ? superseded : [...superseded, replaced]
  }

  /**
   * Cancels the messages that a new message cancels, in the running transaction. Returns those that have not left their
   * queue in another way meanwhile.
   */
  #supersede(leaving: readonly number[], supersededBy: number, nowMs: number): number[] {
    const { moves } = this.#parts
    return leaving.filter((id) =>
      moves.make(moves.find(id, nowMs), 'superseded', { by: null, supersededBy, nowMs }),
    )
  }

  #storeTerms(id: number, terms: PendingTerms): void {
    const { expiresAtMs, details } = terms
    this.#insertTerms.run(id, Number(details), ...TERM_LIST.map(({ storedAs }) => terms[storedAs]))
    if (expiresAtMs !== null) this.#insertDeadline.run(expiresAtMs, id)
  }

  /** Stores the links of a message, except to messages that were purged meanwhile. */
  #storeLinks(id: number, links: NewLinks): void {
    for (const { name, insert } of this.#links) {
      const earlier = links[name]
      if (earlier !== undefined) insert.run(id, earlier)
    }
  }

  #enqueued(
    id: number,
    message: NewMessage,
    atMs: number,
    length: number,
    leaving: readonly number[],
    cancelled: readonly number[],
  ): Enqueued {
    const { recent, terms, clock, superseded, removeSuperseded, report } = this.#parts
    const { deviceId, replyTo, details } = message
    this.#durableId = id
    if (length <= SOON_LENGTH) recent.add(toPendingMessage(id, message), replyTo, details, atMs)
    const transitions = cancelled.map((each) => superseded(each, deviceId))
    for (const each of leaving) removeSuperseded(deviceId, each)
    report({ is: 'added', deviceId })
    const expiresAtMs = message.terms === null ? null : (terms.get(id)?.expiresAtMs ?? null)
    if (expiresAtMs !== null) report({ is: 'deadline', inMs: Math.max(0, expiresAtMs - clock.wallMs()) })
    return { id, replayed: false, cancelled: transitions }
  }

  /** Reverts the memory of a message that the storage refused. */
  #refused(deviceId: string, id: number, settling: readonly number[]): void {
    const { queues, terms, report } = this.#parts
    queues.remove(deviceId, id)
    terms.delete(id)
    if (settling.length === 0) return
    for (const each of settling) queues.endSettling(each)
    report({ is: 'added', deviceId })
  }
}

/** Returns the terms of a message that is stored now; null without any. */
function termsOf({ terms, details }: NewMessage, atMs: number): PendingTerms | null {
  if (!details && (terms === null || hasNoTerm(terms))) return null
  return { ...toStoredTerms(terms ?? NO_TERMS, atMs), details }
}
