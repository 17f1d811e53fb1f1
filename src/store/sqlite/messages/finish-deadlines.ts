/** Tracks in memory which DELIVERED messages have a running finish deadline, and writes those deadlines. */
import type { Database, Statement } from 'better-sqlite3'
import type { UnfinishedMessage } from '../../../broker/contract/device-lease.ts'
import { type End, endAt, restMs } from '../../end.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { PendingMessages } from './pending-messages.ts'

interface Finish {
  readonly atMs: number
  readonly seconds: number
}

interface Row extends Finish {
  readonly id: number
  readonly deviceId: string
}

export class FinishDeadlines {
  readonly #pending: PendingMessages
  /** Ends by message id, by device. */
  readonly #byDevice = new Map<string, Map<number, End>>()
  /** Messages whose deadline runs, or begins with an acknowledgement that is being written. */
  readonly #mayRun = new Set<number>()
  readonly #finish: Statement<[id: number], Finish>
  readonly #isStored: Statement<[id: number], 1>
  readonly #isOver: Statement<[id: number, nowMs: number], 1>
  readonly #begin: WriteStatement
  readonly #insert: WriteStatement
  readonly #end: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, pending: PendingMessages) {
    this.#pending = pending
    this.#finish = db.prepare(
      `SELECT finish_at_ms AS atMs, finish_seconds AS seconds FROM terms
       WHERE message_id = ? AND finish_at_ms IS NOT NULL`,
    )
    this.#isStored = db.prepare<[number], 1>('SELECT 1 FROM messages WHERE id = ?').pluck()
    const { writer } = pending
    this.#isOver = writer.prepare('SELECT 1 FROM terms WHERE message_id = ? AND finish_at_ms <= ?')
    this.#begin = writer.prepare(
      `UPDATE terms SET finish_at_ms = ? + finish_seconds * 1000
       WHERE message_id = ? AND finish_seconds IS NOT NULL`,
    )
    this.#insert = writer.prepare(
      `INSERT OR IGNORE INTO deadlines
       SELECT finish_at_ms, 'FINISH', message_id FROM terms WHERE message_id = ?`,
    )
    this.#end = writer.prepare('UPDATE terms SET finish_at_ms = NULL WHERE message_id = ?')
    const running = db.prepare<[], Row>(
      `SELECT d.message_id AS id, m.device_id AS deviceId, t.finish_at_ms AS atMs, t.finish_seconds AS seconds
       FROM deadlines d CROSS JOIN messages m ON m.id = d.message_id CROSS JOIN terms t ON t.message_id = d.message_id
       WHERE d.kind = 'FINISH' AND m.status = 'DELIVERED' AND t.finish_at_ms = d.at_ms`,
    )
    for (const { id, deviceId, atMs, seconds } of running.iterate()) this.#add(deviceId, id, atMs, seconds)
  }

  #add(deviceId: string, id: number, atMs: number, seconds: number): End {
    const ofDevice = this.#byDevice.get(deviceId) ?? new Map<number, End>()
    const end = endAt(atMs, seconds * 1_000, this.#pending.clock)
    this.#byDevice.set(deviceId, ofDevice.set(id, end))
    this.#mayRun.add(id)
    return end
  }

  /** Returns the messages of a device with a running finish deadline, oldest first. */
  unfinished(deviceId: string): UnfinishedMessage[] {
    const { clock } = this.#pending
    const found = [...(this.#byDevice.get(deviceId) ?? [])].sort(([a], [b]) => a - b)
    return found.map(([messageId, end]) => ({ messageId, forMs: restMs(end, clock) }))
  }

  /**
   * Begins the deadline of a message in memory. The message is unfinished at once, because its next message may be
   * dispatched before the change is durable.
   *
   * @param finishSeconds null if memory does not have the terms, because the message is not pending
   */
  begin(deviceId: string, id: number, finishSeconds: number | null, nowMs: number): void {
    if (finishSeconds === null) this.#mayRun.add(id)
    else this.#add(deviceId, id, nowMs + finishSeconds * 1_000, finishSeconds)
  }

  /** Stores the deadline of a message that has a finish time, in the running transaction. */
  store(id: number, nowMs: number): void {
    if (this.#begin.run(nowMs, id).changes > 0) this.#insert.run(id)
  }

  /** Records and reports the deadline of a message that became DELIVERED. */
  begun(deviceId: string, id: number): void {
    const { clock } = this.#pending
    const finish = this.#stored(id)
    if (finish === undefined) {
      this.#drop(deviceId, id)
      return
    }
    const forMs = restMs(this.#add(deviceId, id, finish.atMs, finish.seconds), clock)
    this.#pending.report({ is: 'unfinished', deviceId, messageId: id, forMs })
    this.#pending.report({ is: 'deadline', inMs: forMs })
  }

  /** Drops a deadline that did not begin, unless an earlier acknowledgement had begun it. */
  notBegun(deviceId: string, id: number): void {
    if (this.#stored(id) === undefined) this.#drop(deviceId, id)
  }

  #drop(deviceId: string, id: number): void {
    this.#mayRun.delete(id)
    this.#forget(deviceId, id)
  }

  /** Returns the running deadline of a message from the disk. */
  #stored(id: number): Finish | undefined {
    return this.#pending.writer.read(() => this.#finish.get(id))
  }

  /** Returns whether the deadline of a message runs and has passed, in the running transaction. */
  isOver(id: number, nowMs: number): boolean {
    return this.#isOver.get(id, nowMs) !== undefined
  }

  /** Ends the deadline of a message in the running transaction, if it may run. */
  end(id: number): void {
    if (this.#mayRun.has(id)) this.#end.run(id)
  }

  /** Drops and reports a deadline that has ended durably. */
  ended(deviceId: string, id: number): void {
    if (!this.#mayRun.delete(id)) return
    if (this.#forget(deviceId, id))
      this.#pending.report({ is: 'unfinished', deviceId, messageId: id, forMs: null })
  }

  /** Drops and reports the deadlines of purged messages. */
  purged(): void {
    for (const [deviceId, ofDevice] of [...this.#byDevice]) {
      for (const id of [...ofDevice.keys()]) if (!this.#has(id)) this.ended(deviceId, id)
    }
  }

  #has(id: number): boolean {
    return this.#pending.writer.read(() => this.#isStored.get(id)) !== undefined
  }

  /** Removes a message from memory. Returns false if it was not there. */
  #forget(deviceId: string, id: number): boolean {
    const ofDevice = this.#byDevice.get(deviceId)
    if (!ofDevice?.delete(id)) return false
    if (ofDevice.size === 0) this.#byDevice.delete(deviceId)
    return true
  }
}
