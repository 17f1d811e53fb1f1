/** Messages in SQLite. Every change is one statement that names the statuses it may start from. */
import type { Database, Statement } from 'better-sqlite3'
import { BrokerError } from '../../broker/errors.ts'
import { ACK_MOVES, type AckStatus, MOVES, type Move, type Status } from '../../broker/status.ts'
import type { Acknowledged, MessageStore, NewMessage, Waiting } from '../../broker/store.ts'
import type { GroupCommit } from './commit.ts'

/** Message ids looked at in one step of a purge. */
const PURGE_STEP = 2_000

const WAITS = `status = 'NOT_DELIVERED'`

export class SqliteMessages implements MessageStore {
  readonly #commit: GroupCommit
  readonly #insert: Statement<[NewMessage]>
  readonly #count: Statement<[deviceId: string, limit: number], number>
  readonly #supersede: Statement<[{ deviceId: string; command: string; atMs: number }]>
  readonly #oldest: Statement<[deviceId: string], Waiting>
  readonly #status: Statement<[id: number], Status>
  readonly #statusFor: Statement<[id: number, deviceId: string], Status>
  readonly #handOver: Statement<[{ id: number; atMs: number }]>
  readonly #handOverFailed: Statement<[{ id: number; atMs: number }]>
  readonly #acknowledge: Record<AckStatus, Statement<[{ id: number; deviceId: string; atMs: number }]>>
  readonly #firstFrom: Statement<[id: number], { id: number; createdAtMs: number }>
  readonly #purge: Statement<[from: number, to: number, changedBeforeMs: number]>

  constructor(db: Database, commit: GroupCommit) {
    this.#commit = commit
    this.#insert = db.prepare(
      `INSERT INTO messages
         (device_id, command, guarantee, data, tmp_id, producer_id, sender_id, created_at_ms, changed_at_ms)
       VALUES
         (@deviceId, @command, @guarantee, @data, @tmpId, @producerId, @senderId, @createdAtMs, @createdAtMs)`,
    )
    this.#count = db
      .prepare<[string, number], number>(
        `SELECT count(*) FROM (SELECT 1 FROM messages WHERE device_id = ? AND ${WAITS} LIMIT ?)`,
      )
      .pluck()
    this.#supersede = db.prepare(move(MOVES.superseded, 'device_id = @deviceId AND command = @command'))
    this.#oldest = db.prepare(
      `SELECT id, command, guarantee, data FROM messages WHERE device_id = ? AND ${WAITS} ORDER BY id LIMIT 1`,
    )
    this.#status = db.prepare<[number], Status>('SELECT status FROM messages WHERE id = ?').pluck()
    this.#statusFor = db
      .prepare<[number, string], Status>('SELECT status FROM messages WHERE id = ? AND device_id = ?')
      .pluck()
    this.#handOver = db.prepare(move(MOVES.handOver, 'id = @id'))
    this.#handOverFailed = db.prepare(move(MOVES.handOverFailed, 'id = @id'))
    const acknowledge = (status: AckStatus): Statement<[{ id: number; deviceId: string; atMs: number }]> =>
      db.prepare(move(MOVES[ACK_MOVES[status]], 'id = @id AND device_id = @deviceId'))
    this.#acknowledge = {
      DELIVERED: acknowledge('DELIVERED'),
      COMPLETED: acknowledge('COMPLETED'),
      COMPLETED_WITH_ERROR: acknowledge('COMPLETED_WITH_ERROR'),
    }
    this.#firstFrom = db.prepare(
      'SELECT id, created_at_ms AS createdAtMs FROM messages WHERE id >= ? ORDER BY id LIMIT 1',
    )
    this.#purge = db.prepare(
      `DELETE FROM messages WHERE id >= ? AND id < ? AND NOT ${WAITS} AND changed_at_ms < ?`,
    )
  }

  enqueue(message: NewMessage, limit: number): Promise<number> {
    return this.#commit.write(() => {
      const { deviceId, command, createdAtMs } = message
      if (message.guarantee === 'ONLY_LAST') this.#supersede.run({ deviceId, command, atMs: createdAtMs })
      if ((this.#count.get(deviceId, limit) as number) >= limit) {
        throw new BrokerError(
          'queue-full',
          `${limit} messages wait for device "${deviceId}" already: nothing was stored.`,
        )
      }
      return this.#insert.run(message).lastInsertRowid as number
    })
  }

  async oldest(deviceId: string): Promise<Waiting | null> {
    return this.#oldest.get(deviceId) ?? null
  }

  handOver(messageId: number, atMs: number): Promise<boolean> {
    return this.#commit.write(() => this.#handOver.run({ id: messageId, atMs }).changes > 0)
  }

  async handOverFailed(messageId: number, atMs: number): Promise<void> {
    await this.#commit.write(() => this.#handOverFailed.run({ id: messageId, atMs }))
  }

  acknowledge(
    messageId: number,
    deviceId: string,
    status: AckStatus,
    atMs: number,
  ): Promise<Acknowledged | null> {
    return this.#commit.write(() => {
      const moved = this.#acknowledge[status].run({ id: messageId, deviceId, atMs }).changes > 0
      if (moved) return { status, moved }
      const current = this.#statusFor.get(messageId, deviceId)
      return current === undefined ? null : { status: current, moved }
    })
  }

  async status(messageId: number): Promise<Status | null> {
    return this.#status.get(messageId) ?? null
  }

  async purge(changedBeforeMs: number): Promise<number> {
    let removed = 0
    let first = this.#firstFrom.get(0)
    // Ids grow with time, and no message changed before it was made: the first young one ends the search.
    while (first && first.createdAtMs < changedBeforeMs) {
      const end = first.id + PURGE_STEP
      const { id } = first
      removed += await this.#commit.write(() => this.#purge.run(id, end, changedBeforeMs).changes)
      first = this.#firstFrom.get(end)
    }
    return removed
  }
}

/** One conditional update; it also notes when a message first left NOT_DELIVERED for DELIVERED or a later status. */
function move({ from, to, guarantee }: Move, where: string): string {
  const delivered = to !== 'CANCELLED' && to !== 'UNKNOWN'
  return `UPDATE messages
    SET status = '${to}', changed_at_ms = @atMs${delivered ? ', delivered_at_ms = coalesce(delivered_at_ms, @atMs)' : ''}
    WHERE ${where} AND status IN (${from.map((status) => `'${status}'`).join(', ')})
      ${guarantee ? `AND guarantee = '${guarantee}'` : ''}`
}
