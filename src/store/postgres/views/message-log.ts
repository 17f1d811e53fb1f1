/** Reads messages for administrators. */

import {
  type MessageExtras,
  type MessageFilter,
  type MessageLog,
  type Neighbours,
  NO_EXTRAS,
  type Page,
} from '../../../broker/contract/message-log.ts'
import { linksOf, type MessageLinks } from '../../../broker/vocabulary/link-table.ts'
import type { MessageRecord } from '../../../broker/vocabulary/message.ts'
import { hasReportText, type ReportTexts } from '../../../broker/vocabulary/report-table.ts'
import type { StoredTermValues } from '../../../broker/vocabulary/term-table.ts'
import { LINK_COLUMNS } from '../../link-columns.ts'
import { decodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { CAUSE_CODES, OUTCOME_CODES, STATUS_CODES } from '../schema/codes.ts'
import { decodeRecord, type PostgresMessageRow, RECORD_COLUMNS } from '../schema/message-row.ts'
import { decodeTexts, NAMED_TEXTS } from '../schema/report.ts'
import { decodeTerms, STORED_TERMS } from '../schema/terms.ts'
import { isUnfiltered, listStatement } from './message-list.ts'
import { idRangeOf } from './message-range.ts'

const MAX_ATTEMPTS = 100

/** Messages read by each step of a list. A page ends after the last step. */
const STEPS = [500, 5_000, 10_000, 10_000, 10_000, 10_000]

interface ListRow extends Omit<PostgresMessageRow, 'id'> {
  /** Null in the single row of a statement that found nothing. */
  readonly id: number | null
  readonly floor: number | null
  readonly scanned: number
}

interface AttemptRow {
  readonly number: number
  readonly at_ms: number
  readonly transport: string
  readonly outcome: number | null
  readonly refused: string | null
}

interface ExtrasRow extends StoredTermValues, ReportTexts, MessageLinks {
  readonly id: number
  readonly has_terms: boolean
  readonly details: boolean
  readonly finish_at_ms: number | null
  readonly result: string | null
  readonly result_dropped: boolean
  readonly late_status: number | null
  readonly late_at_ms: number | null
  readonly late_reason: string | null
  readonly attempt_count: number
  readonly attempts: AttemptRow[] | null
  readonly changes: { at_ms: number; status: number; cause: number; changed_by: string | null }[] | null
  readonly key: string | null
  readonly repeats: number | null
}

export class PostgresMessageLog implements MessageLog {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  async list({ deviceId, ...filter }: MessageFilter, limit: number): Promise<Page<MessageRecord, number>> {
    const search = { ...filter, ...(deviceId !== undefined && { deviceIds: [deviceId] }) }
    const range = await idRangeOf(this.#parts.reads, filter)
    const items: MessageRecord[] = []
    let { below } = range
    for (let step = 0; step < STEPS.length; step++) {
      const scan = isUnfiltered(search) ? limit - items.length : (STEPS[step] as number)
      const part = { from: range.from, below, scan, limit: limit - items.length }
      const { text, values } = listStatement(search, part, RECORD_COLUMNS)
      const rows = await this.#parts.reads.run<ListRow>(text, values)
      items.push(
        ...rows.flatMap(({ floor, scanned, ...row }) =>
          row.id === null ? [] : decodeRecord(row as PostgresMessageRow),
        ),
      )
      const last = items.at(-1)
      if (items.length === limit && last) return { items, next: last.id }
      const [first] = rows
      if (!first || first.scanned < scan || first.floor === null) return { items, next: null }
      below = first.floor
    }
    return { items, next: below }
  }

  async get(messageId: number): Promise<MessageRecord | null> {
    return (await this.#records([messageId]))[0] ?? null
  }

  async extras(messageId: number): Promise<MessageExtras> {
    return (await this.#extras([messageId])).get(messageId) ?? NO_EXTRAS
  }

  async getAll(
    messageIds: readonly number[],
  ): Promise<readonly (MessageRecord & { readonly extras: MessageExtras })[]> {
    const records = new Map((await this.#records(messageIds)).map((record) => [record.id, record]))
    const extras = await this.#extras(messageIds)
    return messageIds.flatMap((id) => {
      const record = records.get(id)
      return record ? [{ ...record, extras: extras.get(id) ?? NO_EXTRAS }] : []
    })
  }

  async attemptCounts(messageIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#parts.reads.run<{ id: number; count: number }>(
      `SELECT message_id AS id, count(*)::int AS count FROM message_attempts WHERE message_id = ANY($1) GROUP BY message_id`,
      [messageIds],
    )
    return new Map(rows.map(({ id, count }) => [id, count]))
  }

  async neighbours(messageId: number): Promise<Neighbours> {
    const [row] = await this.#parts.reads.run<{ previous: number | null; next: number | null }>(
      `SELECT (SELECT id FROM messages WHERE id < $1 ORDER BY id DESC LIMIT 1) AS previous,
         (SELECT id FROM messages WHERE id > $1 ORDER BY id LIMIT 1) AS next`,
      [messageId],
    )
    return { previousId: row?.previous ?? null, nextId: row?.next ?? null }
  }

  async resends(messageIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#parts.reads.run<{ id: number; resent_as: number }>(
      `SELECT message_id AS id, max(new_message_id) AS resent_as FROM resends WHERE message_id = ANY($1) GROUP BY message_id`,
      [messageIds],
    )
    return new Map(rows.map(({ id, resent_as }) => [id, resent_as]))
  }

  async #records(ids: readonly number[]): Promise<MessageRecord[]> {
    const rows = await this.#parts.reads.run<PostgresMessageRow>(
      `SELECT ${RECORD_COLUMNS} FROM messages m WHERE m.id = ANY($1)`,
      [ids],
    )
    return rows.map(decodeRecord)
  }

  async #extras(ids: readonly number[]): Promise<Map<number, MessageExtras>> {
    const rows = await this.#parts.reads.run<ExtrasRow>(
      `SELECT m.id, m.has_terms, m.details, ${STORED_TERMS}, m.finish_at_ms,
         ${NAMED_TEXTS}, m.result, m.result_dropped, m.late_status, m.late_at_ms, m.late_reason,
         (SELECT count(*)::int FROM message_attempts a WHERE a.message_id = m.id) AS attempt_count,
         (SELECT json_agg(a ORDER BY a.number) FROM (
            SELECT number, at_ms, transport, outcome, refused FROM message_attempts a WHERE a.message_id = m.id ORDER BY number DESC LIMIT ${MAX_ATTEMPTS}) a) AS attempts,
         (SELECT json_agg(c ORDER BY c.at_ms) FROM changes_of_message c WHERE c.message_id = m.id) AS changes,
         s.key, s.repeats,
         ${LINK_COLUMNS}
       FROM messages m LEFT JOIN submissions s ON s.message_id = m.id WHERE m.id = ANY($1)`,
      [ids],
    )
    return new Map(rows.map((row) => [row.id, toExtras(row)]))
  }
}

function toExtras(row: ExtrasRow): MessageExtras {
  const hasReport =
    hasReportText(row) || row.result !== null || row.result_dropped || row.late_status !== null
  return {
    terms:
      row.has_terms || row.details
        ? { ...decodeTerms(row), finishAtMs: row.finish_at_ms, details: row.details }
        : null,
    report: hasReport
      ? {
          ...decodeTexts(row),
          result: decodeText(row.result),
          resultDropped: row.result_dropped,
          lateStatus: row.late_status === null ? null : STATUS_CODES.name(row.late_status),
          lateAtMs: row.late_at_ms,
          lateReason: decodeText(row.late_reason),
        }
      : null,
    changes: (row.changes ?? []).map(({ at_ms, status, cause, changed_by }) => ({
      atMs: at_ms,
      status: STATUS_CODES.name(status),
      cause: CAUSE_CODES.name(cause),
      by: decodeText(changed_by),
    })),
    attemptCount: row.attempt_count,
    attempts: (row.attempts ?? []).map(({ number, at_ms, transport, outcome, refused }) => ({
      number,
      atMs: at_ms,
      transport,
      outcome: outcome === null ? null : OUTCOME_CODES.name(outcome),
      refused: decodeText(refused),
    })),
    idempotencyKey: decodeText(row.key),
    repeats: row.repeats ?? 0,
    ...linksOf(row),
  }
}
