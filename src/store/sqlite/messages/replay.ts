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
import type { WriteOp, WriteStatement } from '../database/transactions.ts'
import type { CountedLine } from '../records/audit.ts'
import { rareCondition } from '../schema/rare-statuses.ts'
import type { Attempts } from './attempts.ts'
import { MESSAGE_BYTES } from './message-index.ts'
import { MANY_STEP, type PendingMessages } from './pending-messages.ts'
import { TERMS_COLUMNS, type TermsRow, toPendingTerms } from './pending-terms.ts'
import type { Transitions } from './transitions.ts'

interface Parts {
  readonly pending: PendingMessages
  readonly attempts: Attempts
  readonly transitions: Transitions
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
    const replayed = `id = ? AND status = 'NOT_DELIVERED' AND cause = '${TRANSITIONS.replayed.cause}'`
    // The trigger of `waiting` deleted the entry. A message after the end of the index gets one with its step.
    this.#wait = writer.prepare(
      `INSERT OR IGNORE INTO waiting SELECT id, device_id, command, ${MESSAGE_BYTES} FROM messages
       WHERE ${replayed} AND id <= (SELECT message_id FROM progress WHERE name = 'message_index')`,
    )
    // A poll that was acknowledged has no row yet, and a further attempt continues its number.
    this.#movePoll = writer.prepare(
      `INSERT OR IGNORE INTO attempts (message_id, number, at_ms, transport)
       SELECT id, 1, polled_at_ms, 'REST' FROM messages WHERE ${replayed} AND polled_at_ms IS NOT NULL`,
    )
    this.#clearPoll = writer.prepare(
      `UPDATE messages SET polled_at_ms = NULL WHERE ${replayed} AND polled_at_ms IS NOT NULL`,
    )
  }

  /** Replays one message; see `MessageStore.replay`. */
  async replay(messageId: number, { by, limits, audit = null }: ReplayChange): Promise<Replay | null> {
    const { pending } = this.#parts
    let row = this.#read(messageId)
    if (row !== null && pending.queues.has(row.deviceId, messageId)) {
      // The change that makes the message UNKNOWN, or another replay, is being written. This write resolves after it.
      await pending.writer.write([])
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
    const batch = this.#ops(messageId, by)
    // After the record of the change, which the batch writes only for a replay.
    if (audit !== null) batch.splice(2, 0, pending.audit.insertionIfChanged(audit))
    const isReplayed = await this.#write([row], [0], batch)
    if (isReplayed[0])
      return { is: 'replayed', transition: pending.transitioned(messageId, deviceId, 'replayed') }
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
    const countedLine = audit && trail.countedLine(audit, 'REPLAYED')
    const replayed: Transitioned[] = []
    let left = 0
    let skipped = 0
    for (let afterId = 0, isLast = false; !isLast; ) {
      const parked = writer.read(() => this.#parked.all({ deviceId, command, fromMs, toMs, afterId }))
      const step = this.#choose(parked, limitsOf, limit - replayed.length)
      left += step.left
      skipped += step.skipped
      const changes = await this.#replayStep(step.rows, by, countedLine)
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

  async #replayStep(
    rows: readonly Row[],
    by: string | null,
    countedLine: CountedLine | null,
  ): Promise<Transitioned[]> {
    if (rows.length === 0) return []
    const { pending } = this.#parts
    const starts: number[] = []
    const batch: WriteOp[] = []
    for (const { id } of rows) {
      starts.push(batch.length)
      batch.push(...this.#ops(id, by))
    }
    if (countedLine) batch.push(countedLine(rows.map(({ id }) => id)))
    const isReplayed = await this.#write(rows, starts, batch)
    const replayed = rows.filter((_, i) => isReplayed[i])
    return replayed.map((row) => pending.transitioned(row.id, row.deviceId, 'replayed'))
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

  /** Returns the statements that replay a message. The first one changes a row if the message is replayed. */
  #ops(id: number, by: string | null): WriteOp[] {
    const { pending, transitions } = this.#parts
    return [
      transitions.replay(id, by, pending.clock.wallMs()),
      transitions.recordChange(id),
      ...([this.#wait, this.#movePoll, this.#clearPoll].map((each) => [each, id]) as WriteOp[]),
    ]
  }

  /**
   * Writes the replays of restored messages in one commit. Returns for each whether it was replayed.
   *
   * @param starts indexes in the batch where the statements of each message begin
   */
  async #write(
    rows: readonly Row[],
    starts: readonly number[],
    batch: readonly WriteOp[],
  ): Promise<boolean[]> {
    let changes: readonly number[] = []
    try {
      changes = await this.#parts.pending.writer.write(batch)
      return starts.map((start) => changes[start] !== 0)
    } finally {
      for (const [i, row] of rows.entries()) this.#settled(row, (changes[starts[i] as number] ?? 0) !== 0)
    }
  }

  #settled({ id, deviceId }: Row, isReplayed: boolean): void {
    const { pending, attempts } = this.#parts
    if (isReplayed) attempts.read(deviceId, id)
    else pending.forget(deviceId, id)
    pending.settled(deviceId, id)
  }
}
