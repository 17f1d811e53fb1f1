/**
 * Messages in SQLite: the writer makes every change, as one statement that names the statuses it may start from; what
 * waits is known in memory.
 */
import type { Database, Statement } from 'better-sqlite3'
import { BrokerError } from '../../broker/errors.ts'
import type { AckStatus, Status } from '../../broker/status.ts'
import type { Acknowledged, Envelope, MessageStore, NewMessage, Stored, Waiting } from '../../broker/store.ts'
import { Moves } from './moves.ts'
import type { PollTimestamps } from './poll-timestamps.ts'
import { Purge } from './purge.ts'
import type { Queues } from './queues.ts'
import { RecentMessages } from './recent.ts'
import { lastId } from './sequences.ts'
import type { WriteOp, WriteStatement } from './transactions.ts'
import type { Writer } from './writer.ts'

/** A message that comes into a queue longer than this, itself included, is not handed over soon. */
const NEAR = 8

export class SqliteMessages implements MessageStore {
  readonly #writer: Writer
  readonly #queues: Queues
  readonly #polls: PollTimestamps
  readonly #recent = new RecentMessages()
  /** Of the newest message, on its way to the disk or there. */
  #lastId: number
  /** Of the newest message on disk; nobody hears of a later one. */
  #storedId: number

  readonly #byId: Statement<[id: number], Waiting>
  readonly #status: Statement<[id: number], Status>
  readonly #statusFor: Statement<[id: number, deviceId: string], Status>
  readonly #envelope: Statement<[id: number], Envelope>
  readonly #cancellable: Statement<[id: number], { deviceId: string; command: string; status: Status }>
  readonly #lastPublished: Statement<[deviceId: string], number>

  readonly #insert: WriteStatement
  readonly #moves: Moves
  readonly #attempt: WriteStatement
  readonly #published: WriteStatement
  readonly #missed: WriteStatement
  readonly #attemptMissed: WriteStatement
  readonly #purge: Purge

  /**
   * @param db to read on
   * @param queues all that waits
   */
  constructor(db: Database, writer: Writer, queues: Queues, polls: PollTimestamps) {
    this.#writer = writer
    this.#queues = queues
    this.#polls = polls
    this.#byId = db.prepare('SELECT id, command, guarantee, data FROM messages WHERE id = ?')
    this.#status = db.prepare<[number], Status>('SELECT status FROM messages WHERE id = ?').pluck()
    this.#statusFor = db
      .prepare<[number, string], Status>('SELECT status FROM messages WHERE id = ? AND device_id = ?')
      .pluck()
    this.#envelope = db.prepare(
      'SELECT device_id AS deviceId, tmp_id AS tmpId, producer_id AS producerId FROM messages WHERE id = ?',
    )
    this.#cancellable = db.prepare('SELECT device_id AS deviceId, command, status FROM messages WHERE id = ?')
    this.#lastPublished = db
      .prepare<[string], number>('SELECT published_at_ms FROM devices WHERE device_id = ?')
      .pluck()
    this.#insert = writer.prepare(
      `INSERT INTO messages
         (id, device_id, command, guarantee, tmp_id, producer_id, sender_id, created_at_ms, changed_at_ms, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#moves = new Moves(writer)
    this.#attempt = writer.prepare(
      // Not INSERT ... SELECT FROM attempts: SQLite would fill a table with the row first.
      `INSERT INTO attempts (message_id, at_ms, number, transport)
       VALUES (?, ?, (SELECT count(*) + 1 FROM attempts WHERE message_id = ?), 'MQTT')`,
    )
    this.#published = writer.prepare(
      `INSERT INTO devices (device_id, published_at_ms) VALUES (?, ?)
       ON CONFLICT (device_id) DO UPDATE SET published_at_ms = excluded.published_at_ms`,
    )
    this.#missed = writer.prepare(
      `UPDATE messages SET delivered_error = 1 WHERE id = ? AND status = 'NOT_DELIVERED'`,
    )
    this.#attemptMissed = writer.prepare(
      `UPDATE attempts SET outcome = 'NOT_ACKNOWLEDGED'
       WHERE message_id = ? AND number = (SELECT max(number) FROM attempts WHERE message_id = ?)`,
    )
    this.#purge = new Purge(db, writer)
    this.#lastId = lastId(db, 'messages')
    this.#storedId = this.#lastId
  }

  /** The id of the newest message on disk; 0: there is none. */
  get newest(): number {
    return this.#storedId
  }

  enqueue(message: NewMessage, limit: number): Promise<Stored> {
    const { deviceId, command, guarantee, createdAtMs } = message
    const superseded = guarantee === 'ONLY_LAST' ? this.#queues.withCommand(deviceId, command) : []
    const id = this.#lastId + 1
    // At once, so that it counts for those that come before it is on disk.
    const waiting = this.#queues.add(deviceId, id, command, limit + superseded.length)
    if (waiting === null) {
      const reason = `${limit} messages wait for device "${deviceId}" already: nothing was stored.`
      return Promise.reject(new BrokerError('queue-full', reason))
    }
    this.#lastId = id
    const { data, tmpId, producerId, senderId } = message
    const unit: WriteOp[] = [
      [
        this.#insert,
        id,
        deviceId,
        command,
        guarantee,
        tmpId,
        producerId,
        senderId,
        createdAtMs,
        createdAtMs,
        data,
      ],
    ]
    for (const each of superseded) unit.push(this.#moves.superseded(each, id, createdAtMs))
    return this.#writer.write(unit).then(
      (changes) => {
        this.#storedId = id
        if (waiting <= NEAR) this.#recent.add(id, message)
        // Also those that meanwhile left the queue in another way.
        for (const each of superseded) this.#leave(deviceId, each)
        return { id, cancelled: superseded.filter((_, i) => changes[i + 1] !== 0) }
      },
      (error: unknown) => {
        this.#queues.remove(deviceId, id)
        throw error
      },
    )
  }

  oldest(deviceId: string): Waiting | null {
    const id = this.#queues.oldest(deviceId)
    if (id === null || id > this.#storedId) return null
    const recent = this.#recent.get(id)
    if (!recent) return this.#read(this.#byId, id) ?? null
    const { command, guarantee, data } = recent
    return { id, command, guarantee, data }
  }

  claim(messageId: number, deviceId: string): boolean {
    return this.#queues.handOut(deviceId, messageId)
  }

  polled(messageId: number, deviceId: string, atMs: number): void {
    if (this.#queues.firstPoll(deviceId, messageId)) this.#polls.add(messageId, atMs)
  }

  async cancel(messageId: number, by: string | null, atMs: number): Promise<Acknowledged | null> {
    const row = this.#read(this.#cancellable, messageId)
    if (!row) return null
    const { deviceId, command, status } = row
    // Out of the queue at once, so that nobody is given it while the disk is at work.
    if (!this.#queues.withdraw(deviceId, messageId)) return { status, moved: false }
    const restore = (): void => this.#queues.restore(deviceId, messageId, command)
    const [changes] = await this.#writer
      .write([this.#moves.cancelled(messageId, by, atMs)])
      .catch((error: unknown) => {
        restore()
        throw error
      })
    if (changes !== 0) return { status: 'CANCELLED', moved: true }
    const current = this.#read(this.#status, messageId) as Status
    if (current === 'NOT_DELIVERED') restore()
    return { status: current, moved: false }
  }

  async handOver(messageId: number, deviceId: string, atMs: number): Promise<boolean> {
    const [changes] = await this.#writer.write([this.#moves.handOver(messageId, atMs)])
    if (changes === 0) return false
    this.#leave(deviceId, messageId)
    return true
  }

  async handOverFailed(messageId: number, atMs: number): Promise<void> {
    await this.#writer.write([this.#moves.handOverFailed(messageId, atMs)])
  }

  acknowledge(
    messageId: number,
    deviceId: string,
    status: AckStatus,
    atMs: number,
    by: string | null = null,
  ): Promise<Acknowledged | null> {
    const polledAtMs = this.#polls.at(messageId)
    const step = this.#moves.acknowledged(status, { id: messageId, deviceId, by, atMs, polledAtMs })
    const leaves = this.#queues.leave(deviceId, messageId)
    return this.#writer.write([step]).then(
      ([changes]) => {
        if (changes !== 0) this.#leave(deviceId, messageId)
        if (leaves) this.#queues.left(messageId)
        return changes !== 0 ? { status, moved: true } : this.#unmoved(messageId, deviceId)
      },
      (error: unknown) => {
        if (leaves) this.#queues.left(messageId)
        throw error
      },
    )
  }

  async #unmoved(messageId: number, deviceId: string): Promise<Acknowledged | null> {
    const status = await this.#writer.readSynced(() => this.#statusFor.get(messageId, deviceId))
    return status === undefined ? null : { status, moved: false }
  }

  async status(messageId: number): Promise<Status | null> {
    return (await this.#writer.readSynced(() => this.#status.get(messageId))) ?? null
  }

  envelope(messageId: number): Envelope | null {
    const recent = this.#recent.get(messageId)
    if (!recent) return this.#read(this.#envelope, messageId) ?? null
    const { deviceId, tmpId, producerId } = recent
    return { deviceId, tmpId, producerId }
  }

  published(messageId: number, atMs: number, pacedId: string | null): Promise<unknown> {
    const attempt: WriteOp = [this.#attempt, messageId, atMs, messageId]
    return this.#writer.write(pacedId === null ? [attempt] : [attempt, [this.#published, pacedId, atMs]])
  }

  lastPublished(deviceId: string): number | null {
    return this.#read(this.#lastPublished, deviceId) ?? null
  }

  async responseMissed(messageId: number): Promise<void> {
    await this.#writer.write([
      [this.#missed, messageId],
      [this.#attemptMissed, messageId, messageId],
    ])
  }

  purge(changedBeforeMs: number): Promise<number> {
    return this.#purge.run(changedBeforeMs)
  }

  #leave(deviceId: string, messageId: number): void {
    this.#queues.remove(deviceId, messageId)
    this.#polls.drop(messageId)
    this.#recent.leave(messageId)
  }

  #read<P extends unknown[], Row>(statement: Statement<P, Row>, ...parameters: P): Row | undefined {
    return this.#writer.read(() => statement.get(...parameters))
  }
}
