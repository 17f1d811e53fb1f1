/**
 * Keeps the time of the first poll that returned a message. A time is in memory at once. It is written together with
 * the acknowledgement of the message, or within a second. Knows no queues.
 */
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'

/** Time after which new timestamps are written. */
const DELAY_MS = 1_000
const STEP = 250

/** Holds the timestamps that are not yet on disk. */
export class PollTimestamps {
  readonly #writer: Writer
  readonly #note: WriteStatement
  readonly #times = new Map<number, number>()
  /** Times that a running write moves into rows of the attempts, by message id. */
  readonly #moving = new Map<number, number>()
  #timer: NodeJS.Timeout | undefined
  #closing = false

  constructor(writer: Writer) {
    this.#writer = writer
    this.#note = writer.prepare('UPDATE messages SET polled_at_ms = ? WHERE id = ? AND polled_at_ms IS NULL')
  }

  /** Keeps a time in memory and writes it later. */
  add(messageId: number, atMs: number): void {
    this.#moving.delete(messageId)
    this.#times.set(messageId, atMs)
    this.#schedule()
  }

  /** Returns the time of the first poll; null without a poll, or if its time is on disk. */
  at(messageId: number): number | null {
    return this.#times.get(messageId) ?? null
  }

  /** Returns the time of the first poll for a reader of the durable state; null without a poll, or if it is on disk. */
  shown(messageId: number): number | null {
    return this.at(messageId) ?? this.#moving.get(messageId) ?? null
  }

  /** Hands a time to the write that makes it a row of the attempts. {@link drop} follows when the row is durable. */
  move(messageId: number): void {
    const atMs = this.at(messageId)
    if (atMs !== null) this.#moving.set(messageId, atMs)
    this.#times.delete(messageId)
  }

  /** Stores the time of a message in the running transaction, if memory has it. */
  store(messageId: number): void {
    const atMs = this.at(messageId)
    if (atMs !== null) this.#note.run(atMs, messageId)
  }

  /** Drops a time that is on disk or no longer needed. */
  drop(messageId: number): void {
    this.#times.delete(messageId)
    this.#moving.delete(messageId)
  }

  /** Passes the remaining times to the writer before the call returns. */
  async close(): Promise<void> {
    this.#closing = true
    clearTimeout(this.#timer)
    await this.#write()
  }

  #schedule(): void {
    if (this.#closing || this.#times.size === 0) return
    this.#timer ??= setTimeout(async () => {
      await this.#write()
      this.#timer = undefined
      this.#schedule()
    }, DELAY_MS).unref()
  }

  async #write(): Promise<void> {
    const notes = [...this.#times]
    const steps: Promise<void>[] = []
    for (let at = 0; at < notes.length; at += STEP) steps.push(this.#writeStep(notes.slice(at, at + STEP)))
    await Promise.all(steps)
  }

  async #writeStep(notes: readonly (readonly [messageId: number, atMs: number])[]): Promise<void> {
    try {
      await this.#writer.write(() => {
        for (const [messageId, atMs] of notes) this.#note.run(atMs, messageId)
      })
      for (const [messageId] of notes) this.drop(messageId)
    } catch {
      // The disk is full or has failed, and writes of messages report that. The next period tries these times again.
    }
  }
}
