/** Reads the stored facts about a message beyond its record: terms, report, changes, attempts, idempotency key and links. */
import type { Database, Statement } from 'better-sqlite3'
import {
  type Attempt,
  type MessageExtras,
  NO_EXTRAS,
  type StoredChange,
  type StoredTerms,
} from '../../../broker/contract/message-log.ts'
import { linksOf, type MessageLinks } from '../../../broker/vocabulary/link-table.ts'
import { storedTermsOf } from '../../../broker/vocabulary/term-table.ts'
import { LINK_COLUMNS } from '../../link-columns.ts'
import { TERMS_COLUMNS } from '../messages/pending-terms.ts'
import type { PollTimestamps } from '../messages/poll-timestamps.ts'
import { REPORT_COLUMNS, type ReportRow, reportOfRow } from '../schema/report-columns.ts'

const MAX_ATTEMPTS = 100

/** Rows of a message in the tables that have at most one. */
interface Row extends StoredTerms, ReportRow, MessageLinks {
  readonly hasTerms: 0 | 1
  readonly hasReport: 0 | 1
  readonly idempotencyKey: string | null
  readonly repeats: number
  readonly attemptCount: number
  readonly polledAtMs: number | null
}

/** Holds the statements. Its caller waits until the data read is durable. */
export class SqliteMessageExtras {
  readonly #polls: PollTimestamps
  readonly #row: Statement<[id: number], Row>
  readonly #changes: Statement<[id: number], StoredChange>
  readonly #attempts: Statement<[id: number, limit: number], Attempt>
  readonly #resentAs: Statement<[id: number], number | null>
  readonly #attemptCount: Statement<[id: number], Pick<Row, 'attemptCount' | 'polledAtMs'>>

  /** @param db connection for reads */
  constructor(db: Database, polls: PollTimestamps) {
    this.#polls = polls
    this.#row = db.prepare(
      `SELECT t.message_id IS NOT NULL AS hasTerms, ${TERMS_COLUMNS}, t.finish_at_ms AS finishAtMs,
         r.message_id IS NOT NULL AS hasReport, ${REPORT_COLUMNS},
         s.key AS idempotencyKey, coalesce(s.repeats, 0) AS repeats,
         (SELECT count(*) FROM attempts WHERE message_id = m.id) AS attemptCount, m.polled_at_ms AS polledAtMs,
         ${LINK_COLUMNS}
       FROM messages m LEFT JOIN terms t ON t.message_id = m.id LEFT JOIN reports r ON r.message_id = m.id
         LEFT JOIN submissions s ON s.message_id = m.id
       WHERE m.id = ?`,
    )
    this.#changes = db.prepare(
      'SELECT at_ms AS atMs, status, cause, by FROM changes WHERE message_id = ? ORDER BY number',
    )
    this.#attempts = db.prepare(
      `SELECT number, at_ms AS atMs, transport, outcome, refused FROM attempts WHERE message_id = ?
       ORDER BY number DESC LIMIT ?`,
    )
    this.#resentAs = db
      .prepare<[number], number | null>('SELECT max(new_message_id) FROM resends WHERE message_id = ?')
      .pluck()
    this.#attemptCount = db.prepare(
      `SELECT (SELECT count(*) FROM attempts WHERE message_id = m.id) AS attemptCount, polled_at_ms AS polledAtMs
       FROM messages m WHERE id = ?`,
    )
  }

  attemptCount(messageId: number): number {
    const row = this.#attemptCount.get(messageId)
    if (!row || row.attemptCount > 0) return row?.attemptCount ?? 0
    return (this.#polls.shown(messageId) ?? row.polledAtMs) === null ? 0 : 1
  }

  /** Returns the newest re-send of a message; null without one. */
  resentAs(messageId: number): number | null {
    return this.#resentAs.get(messageId) ?? null
  }

  /** Returns the extras of a message; empty for an unknown message. */
  of(messageId: number): MessageExtras {
    const row = this.#row.get(messageId)
    if (!row) return NO_EXTRAS
    return {
      ...this.#attemptsOf(messageId, row),
      terms: row.hasTerms ? termsOf(row) : null,
      report: row.hasReport ? reportOfRow(row) : null,
      changes: this.#changes.all(messageId),
      idempotencyKey: row.idempotencyKey,
      repeats: row.repeats,
      ...linksOf(row),
    }
  }

  /** Returns the attempts. A first attempt by a poll has no row until it ends without an acknowledgement. */
  #attemptsOf(messageId: number, row: Row): Pick<MessageExtras, 'attemptCount' | 'attempts'> {
    const { attemptCount } = row
    if (attemptCount > 0) {
      return { attemptCount, attempts: this.#attempts.all(messageId, MAX_ATTEMPTS).reverse() }
    }
    const atMs = this.#polls.shown(messageId) ?? row.polledAtMs
    if (atMs === null) return { attemptCount, attempts: [] }
    return {
      attemptCount: 1,
      attempts: [{ number: 1, atMs, transport: 'REST', outcome: null, refused: null }],
    }
  }
}

function termsOf(row: Row): StoredTerms {
  return { ...storedTermsOf(row), finishAtMs: row.finishAtMs, details: Boolean(row.details) }
}
