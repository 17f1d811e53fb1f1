/** Recognizes repeated submits by their idempotency keys, in SQLite. Knows no queues. */
import type { Database, Statement } from 'better-sqlite3'
import type { Enqueued } from '../../../broker/contract/store.ts'
import { keyReused } from '../../../broker/vocabulary/errors.ts'
import type { Idempotency } from '../../../broker/vocabulary/message.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'

interface FirstSubmit {
  readonly fingerprint: string
  readonly stored: Pick<Enqueued, 'id'> | Promise<Pick<Enqueued, 'id'>>
}

/** Reads and writes the table `submissions`. A key that is purged while a repeat is counted stays purged. */
export class IdempotencyKeys {
  readonly #writer: Writer
  /** Submits whose commit is not yet durable, by key and scope. */
  readonly #running = new Map<string, FirstSubmit>()
  readonly #find: Statement<[scope: string, key: string], { fingerprint: string; id: number }>
  readonly #insert: WriteStatement
  readonly #countRepeat: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer) {
    this.#writer = writer
    this.#find = db.prepare(
      'SELECT fingerprint, message_id AS id FROM submissions WHERE scope = ? AND key = ?',
    )
    this.#insert = writer.prepare(
      'INSERT INTO submissions (scope, key, fingerprint, message_id, at_ms) VALUES (?, ?, ?, ?, ?)',
    )
    this.#countRepeat = writer.prepare(
      'UPDATE submissions SET repeats = repeats + 1 WHERE scope = ? AND key = ?',
    )
  }

  /** Stores a key in the transaction that stores its message. */
  insert({ scope, key, fingerprint }: Idempotency, id: number, atMs: number): void {
    this.#insert.run(scope, key, fingerprint, id, atMs)
  }

  /**
   * Stores a message, unless its key was used before.
   *
   * @param store stores message and key in one transaction. A second submit with the key waits for the first, and shares its error too
   * @throws {BrokerError} key-reused, and the errors of `store`
   */
  async storeOnce(
    { scope, key, fingerprint }: Idempotency,
    store: () => Promise<Enqueued>,
  ): Promise<Enqueued> {
    // A key has no space.
    const name = `${key} ${scope}`
    const running = this.#running.get(name)
    if (running && running.fingerprint !== fingerprint) {
      // If the other message is refused, the key is free.
      await Promise.allSettled([running.stored])
      return this.storeOnce({ scope, key, fingerprint }, store)
    }
    const first = running ?? this.#stored(scope, key)
    if (first) {
      if (first.fingerprint !== fingerprint) throw keyReused(key)
      const { id } = await first.stored
      await this.#writer.write(() => this.#countRepeat.run(scope, key))
      return { id, replayed: true, cancelled: [] }
    }
    const stored = store()
    this.#running.set(name, { fingerprint, stored })
    try {
      return await stored
    } finally {
      this.#running.delete(name)
    }
  }

  #stored(scope: string, key: string): FirstSubmit | null {
    const found = this.#writer.read(() => this.#find.get(scope, key))
    return found ? { fingerprint: found.fingerprint, stored: { id: found.id } } : null
  }
}
