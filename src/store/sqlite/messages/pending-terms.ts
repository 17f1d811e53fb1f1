/**
 * Keeps the terms of pending messages in memory, for the few messages with terms. Knows no queues.
 *
 * An enqueue calls `set` before the message enters its queue, and `delete` if the storage refuses the message. Removing
 * a message from its queue deletes its terms.
 */
import type { Database } from 'better-sqlite3'
import { type StoredTermValues, storedTermsOf, TERM_LIST } from '../../../broker/vocabulary/term-table.ts'
import { lastIndexedId } from './message-index.ts'

/** Terms of one message. Times are milliseconds since 1970. */
export interface PendingTerms extends StoredTermValues {
  /** True if the producer wants the details of each result. */
  readonly details: boolean
}

/** Columns of the table `terms`, named like the stored values. */
export const TERMS_COLUMNS = [
  ...TERM_LIST.map(({ column, storedAs }) => `${column} AS ${storedAs}`),
  'details',
].join(', ')

export type TermsRow = StoredTermValues & { readonly details: 0 | 1 }

export function toPendingTerms(row: TermsRow): PendingTerms {
  return { ...storedTermsOf(row), details: row.details === 1 }
}

export class TermsOfPending {
  readonly #terms = new Map<number, PendingTerms>()

  /** Loads the terms of all pending messages. @param db connection for reads */
  constructor(db: Database) {
    const rows = db.prepare<[], TermsRow & { readonly id: number }>(
      `SELECT t.message_id AS id, ${TERMS_COLUMNS} FROM waiting w CROSS JOIN terms t ON t.message_id = w.message_id
       UNION ALL
       SELECT t.message_id, ${TERMS_COLUMNS} FROM terms t CROSS JOIN messages m ON m.id = t.message_id
       WHERE t.message_id > ${lastIndexedId(db)} AND m.status = 'NOT_DELIVERED'`,
    )
    for (const row of rows.iterate()) this.#terms.set(row.id, toPendingTerms(row))
  }

  get(id: number): PendingTerms | undefined {
    return this.#terms.get(id)
  }

  set(id: number, terms: PendingTerms): void {
    this.#terms.set(id, terms)
  }

  delete(id: number): void {
    this.#terms.delete(id)
  }

  /** Returns whether a message may be dispatched before its validity ends. */
  isValid(id: number, nowMs: number): boolean {
    const expiresAtMs = this.#terms.get(id)?.expiresAtMs ?? null
    return expiresAtMs === null || nowMs < expiresAtMs
  }

  /** Yields the ids of the messages that were delayed when they were stored. */
  *delayed(): Generator<number> {
    for (const [id, { dueAtMs }] of this.#terms) if (dueAtMs !== null) yield id
  }
}
