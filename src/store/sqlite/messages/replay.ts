/** Returns UNKNOWN messages to their queues in SQLite. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import type {
  QueueLimits,
  Replay,
  ReplayAllChanges,
  ReplayChange,
  ReplayedMessages,
  ReplayFilter,
  Transitioned,
} from '../../../broker/contract/store.ts'
import { queueFull } from '../../../broker/vocabulary/queue-full.ts'
import { type Guarantee, replayRefusal, type Status, TRANSITIONS } from '../../../broker/vocabulary/status.ts'
import { endAt } from '../../end.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { CountLine } from '../records/audit.ts'
import { rareCondition } from '../schema/rare-statuses.ts'
import type { Attempts } from './attempts.ts'
import { MESSAGE_BYTES } from './message-index.ts'
import type { Moves } from './moves.ts'
import { MANY_STEP, type PendingMessages } from './pending-messages.ts'
import { TERMS_COLUMNS, type TermsRow, toPendingTerms } from './pending-terms.ts'

interface Parts {
  readonly pending: PendingMessages
  readonly attempts: Attempts
  readonly moves: Moves
}

interface Row extends TermsRow {
  readonly id: number
  readonly deviceId: string
  readonly command: string
  readonly status: Status
  readonly guarantee: Guarantee
  readonly bytes: number
  readonly createdAtMs: number
  /** Null for a message without terms. */
  readonly termsOf: number | null
}

interface Parameters {
  readonly deviceId: string | null
  readonly command: string | null
  readonly fromMs: number | null
  readonly toMs: number | null
  readonly afterId: number
}

const COLUMNS = `m.id, m.device_id AS deviceId, m.command, m.status, m.guarantee, ${MESSAGE_BYTES} AS bytes,
  m.created_at_ms AS createdAtMs, t.message_id AS termsOf, ${TERMS_COLUMNS}`

export class Replays {
  readonly #parts: Parts
  readonly #row: Statement<[id: number], Row>
  readonly #parked: Statement<[Parameters], Row>
  readonly #wait: WriteStatement
  readonly #movePoll: WriteStatement
  readonly #clearPoll: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, parts: Parts) {
    this.#parts = parts
    const { writer } = parts.pending
    const from = 'FROM messages m LEFT JOIN terms t ON t.message_id = m.id'
    this.#row = db.prepare(`SELECT ${COLUMNS} ${from} WHERE m.id = ?`)
    this.#parked = db.prepare(
      `SELECT ${COLUMNS}
       FROM messages m INDEXED BY messages_rare LEFT JOIN terms t ON t.message_id = m.id
       WHERE m.status = 'UNKNOWN' AND ${rareCondition('m.status')} AND m.cause = '${TRANSITIONS.parked.cause}'
         AND (@deviceId IS NULL OR m.device_id = @deviceId) AND (@command IS NULL OR m.command = @command)
         AND (@fromMs IS NULL OR m.created_at_ms >= @fromMs) AND (@toMs IS NULL OR m.created_at_ms < @toMs)
         AND m.id > @afterId
       ORDER BY m.id LIMIT ${MANY_STEP}`,
    )
    // The trigger of `waiting` deleted the entry. A message after the end of the index gets one with its step.
    this.#wait = writer.prepare(
      `INSERT OR IGNORE INTO waiting SELECT id, device_id, command, ${MESSAGE_BYTES} FROM messages
       WHERE id = ? AND id <= (SELECT message_id FROM progress WHERE name = 'message_index')`,
    )
    // A poll that was acknowledged has no row yet, and a further attempt continues its number.
    this.#movePoll = writer.prepare(
      `INSERT OR IGNORE INTO attempts (message_id, number, at_ms, transport)
       SELECT id, 1, polled_at_ms, 'REST' FROM messages WHERE id = ? AND polled_at_ms IS NOT NULL`,
    )
    this.#clearPoll = writer.prepare(
      'UPDATE messages SET polled_at_ms = NULL WHERE id = ? AND polled_at_ms IS NOT NULL',
    )
  }

  /** Replays one message; see `MessageStore.replay`. */
  async replay(messageId: number, { by, limits, audit = null }: ReplayChange): Promise<Replay | null> {
    const { pending } = this.#parts
    let row = this.#read(messageId)
    if (row !== null && pending.queues.has(row.deviceId, messageId)) {
      // The change that makes the message UNKNOWN, or another replay, is being written. This write resolves after it.
      await pending.writer.write(() => {})
      row = this.#read(messageId)
    }
    if (row === null) return null
    const { deviceId, status, guarantee, bytes } = row
    const refusal = replayRefusal({ status, guarantee, isExpired: this.#isExpired(row) })
    if (refusal === 'expired') return { is: 'expired' }
    if (refusal === 'not-unknown') return { is: 'not-unknown', status, guarantee }
    if (pending.queues.has(deviceId, messageId))
      return { is: 'not-unknown', status: 'NOT_DELIVERED', guarantee }
    if (!this.#restore(row, limits)) throw this.#queueFull(deviceId, bytes, limits)
    const line = audit && pending.audit.line(audit)
    const [replayed] = await this.#write([row], by, (count) => {
      if (count > 0) line?.()
    })
    if (replayed) return { is: 'replayed', transition: replayed }
    const current = this.#read(messageId)
    return current && { is: 'not-unknown', status: current.status, guarantee }
  }

  /** Replays parked messages; see `MessageStore.replayAll`. */
  async replayAll(
    filter: ReplayFilter,
    { by, limitsOf, limit, audit = null, onStep }: ReplayAllChanges,
  ): Promise<ReplayedMessages> {
    const { writer, audit: trail } = this.#parts.pending
    const { deviceId = null, command = null, fromMs = null, toMs = null } = filter
    const count = audit && trail.countedLine(audit)
    const replayed: Transitioned[] = []
    let left = 0
    let skipped = 0
    for (let afterId = 0, isLast = false; !isLast; ) {
      const parked = writer.read(() => this.#parked.all({ deviceId, command, fromMs, toMs, afterId }))
      const step = this.#choose(parked, limitsOf, limit - replayed.length)
      left += step.left
      skipped += step.skipped
      const changes = await this.#write(step.rows, by, count)
      replayed.push(...changes)
      if (changes.length > 0) onStep?.(changes)
      afterId = parked.at(-1)?.id ?? afterId
      isLast = parked.length < MANY_STEP
      if (!isLast) await turn()
    }
    return { replayed, left, skipped }
  }

  /** Chooses the messages of one step, and returns them to their queues, as settling. */
  #choose(parked: readonly Row[], limitsOf: (deviceId: string) => QueueLimits, limit: number) {
    const { queues } = this.#parts.pending
    const rows: Row[] = []
    let left = 0
    let skipped = 0
    for (const row of parked) {
      if (queues.has(row.deviceId, row.id)) continue
      const limits = limitsOf(row.deviceId)
      if (this.#isExpired(row) || !queues.hasRoom(row.deviceId, row.bytes, limits)) skipped++
      else if (rows.length < limit && this.#restore(row, limits)) rows.push(row)
      else left++
    }
    return { rows, left, skipped }
  }

  #read(messageId: number): Row | null {
    return this.#parts.pending.writer.read(() => this.#row.get(messageId)) ?? null
  }

  #isExpired({ expiresAtMs }: Row): boolean {
    return expiresAtMs !== null && this.#parts.pending.clock.wallMs() >= expiresAtMs
  }

  /** Returns a message to its queue, as settling until the replay is durable. Returns false for a full queue. */
  #restore(row: Row, limits: QueueLimits): boolean {
    const { queues, terms, clock } = this.#parts.pending
    const { id, deviceId, command, bytes, createdAtMs, dueAtMs } = row
    const isDelayed = dueAtMs !== null && dueAtMs > clock.wallMs()
    const due = isDelayed ? endAt(dueAtMs, dueAtMs - createdAtMs, clock) : null
    if (!queues.restore(deviceId, id, command, limits, bytes, due)) return false
    if (row.termsOf !== null) terms.set(id, toPendingTerms(row))
    return true
  }

  #queueFull(deviceId: string, bytes: number, limits: QueueLimits): Error {
    const { queues } = this.#parts.pending
    const queue = {
      waiting: queues.size(deviceId),
      limit: limits.messages,
      bytes: queues.bytes(deviceId, []),
      limitBytes: limits.bytes,
    }
    return queueFull(deviceId, queue, bytes)
  }

  /**
   * Writes the replays of restored messages in one commit. Returns the changes.
   *
   * @param onChanged called in the transaction with the number of changes
   */
  async #write(
    rows: readonly Row[],
    by: string | null,
    onChanged: CountLine | null,
  ): Promise<Transitioned[]> {
    if (rows.length === 0) return []
    const { pending } = this.#parts
    const nowMs = pending.clock.wallMs()
    let replayed: readonly Row[] = []
    try {
      replayed = await pending.writer.write(() => {
        const changed = rows.filter(({ id }) => this.#replay(id, by, nowMs))
        onChanged?.(changed.length)
        return changed
      })
    } finally {
      for (const row of rows) this.#settled(row, replayed.includes(row))
    }
    return replayed.map(({ id, deviceId }) => pending.transitioned(id, deviceId, 'replayed'))
  }

  /** Replays a message in the running transaction. Returns whether its rule allows it. */
  #replay(id: number, by: string | null, nowMs: number): boolean {
    const { moves } = this.#parts
    if (!moves.make(moves.find(id, nowMs), 'replayed', { by, nowMs })) return false
    this.#wait.run(id)
    this.#movePoll.run(id)
    this.#clearPoll.run(id)
    return true
  }

  #settled({ id, deviceId }: Row, isReplayed: boolean): void {
    const { pending, attempts } = this.#parts
    if (isReplayed) attempts.read(deviceId, id)
    else pending.forget(deviceId, id)
    pending.settled(deviceId, id)
  }
}
