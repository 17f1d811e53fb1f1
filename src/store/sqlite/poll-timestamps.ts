/**
 * When a poll first got a message that can be got again: in memory at once, on disk together with what becomes of the
 * message, or within a second. Knows no queues.
 */
import type { WriteStatement } from './transactions.ts'
import type { Writer } from './writer.ts'

const DELAY_MS = 1_000
/** Notes of one transaction. */
const STEP = 250

export class PollTimestamps {
  readonly #writer: Writer
  readonly #note: WriteStatement
  /** By message, those that are not on disk. */
  readonly #times = new Map<number, number>()
  #timer: NodeJS.Timeout | undefined
  #closing = false

  constructor(writer: Writer) {
    this.#writer = writer
    this.#note = writer.prepare('UPDATE messages SET polled_at_ms = ? WHERE id = ? AND polled_at_ms IS NULL')
  }

  add(messageId: number, atMs: number): void {
    this.#times.set(messageId, atMs)
    this.#schedule()
  }

  /** Null: there was none, or it is on disk. */
  at(messageId: number): number | null {
    return this.#times.get(messageId) ?? null
  }

  /** It is on disk, or nobody asks for it any more. */
  drop(messageId: number): void {
    this.#times.delete(messageId)
  }

  /** Hands all that is left to the writer before it returns. */
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
      await this.#writer.write(notes.map(([messageId, atMs]) => [this.#note, atMs, messageId]))
      for (const [messageId] of notes) this.drop(messageId)
    } catch {
      // The disk is full or gone, and who writes a message is told; these are tried again.
    }
  }
}
