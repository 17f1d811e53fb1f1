/** Converts messages to the answers for admins. Not a route. */

import type { Neighbours, StoredTerms } from '../../../src/broker/contract/message-log.ts'
import type { ReplayedMessages } from '../../../src/broker/contract/store.ts'
import type { ListedMessage, MessageDetail } from '../../../src/broker/views/messages.ts'
import type { TimelineAttempt } from '../../../src/broker/views/timeline.ts'
import { linksOf } from '../../../src/broker/vocabulary/link-table.ts'
import { causeOf, MESSAGE_FIELD_LIST, type MessageRecord } from '../../../src/broker/vocabulary/message.ts'
import { NO_REPORT_TEXTS, reportTextsOf } from '../../../src/broker/vocabulary/report-table.ts'
import { fromStoredTerms, hasNoTerm } from '../../../src/broker/vocabulary/term-table.ts'
import { RawJson } from '../../../src/web/endpoint.ts'
import { toWaits } from '../../_details.ts'

/** Returns the fields of a message by their names for admins, without `data`, which is already JSON text. */
function membersOf(message: MessageRecord, name: 'listed' | 'detailed'): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [field, { [name]: wireName }] of MESSAGE_FIELD_LIST) {
    if (wireName !== undefined && field !== 'data') members[wireName] = message[field]
  }
  return members
}

/**
 * Returns the JSON of a listed message without its closing brace. Concatenates text, because parsing and printing
 * `data` could change its numbers.
 */
function openItem(message: MessageRecord): string {
  return `${JSON.stringify(membersOf(message, 'listed')).slice(0, -1)},"data":${message.data}`
}

/** Returns the JSON of messages in the form of the first release. */
export function toMessageAnswers(messages: readonly MessageRecord[]): RawJson {
  return new RawJson(`[${messages.map((message) => `${openItem(message)}}`).join(',')}]`)
}

export function toListedAnswers(messages: readonly ListedMessage[]): RawJson {
  return new RawJson(`[${messages.map(listedText).join(',')}]`)
}

export function listedText({ record, attempts, resentAs }: ListedMessage): string {
  const { senderId, changedAtMs } = record
  const more = {
    cause: causeOf(record),
    senderDeviseId: senderId,
    changedDate: changedAtMs,
    attempts,
    resentAs,
  }
  return `${openItem(record)},${JSON.stringify(more).slice(1)}`
}

/**
 * @param details true adds members that the first release does not have
 * @param neighbours ids of the neighbouring messages, if the caller may know them
 */
export function toMessageDetailAnswer(
  detail: MessageDetail,
  details: boolean,
  neighbours: Neighbours | null = null,
): RawJson {
  const { message, attempts, wait } = detail
  // A late report does not change the status, and the first release does not know late reports.
  const changes = details ? detail.changes : detail.changes.filter(({ cause }) => cause !== 'LATE')
  const more = JSON.stringify({
    ...membersOf(message, 'detailed'),
    // Only a late report has a reason. JSON omits it for all others.
    history: changes.map(({ atMs, status, cause, by, messageId, reason }) => ({
      date: atMs,
      deliveryStatus: status,
      cause,
      deviseId: by,
      messageId,
      reason,
    })),
    attempts: attempts.map((attempt) => toAttempt(attempt, details)),
    waits: details
      ? toWaits(detail)
      : wait && { reason: wait.reason, messageId: wait.messageId, until: wait.untilMs },
  })
  const beside = neighbours ? `,${JSON.stringify(neighbours).slice(1, -1)}` : ''
  return new RawJson(
    `${openItem(message)},${more.slice(1, -1)}${details ? detailText(detail) : ''}${beside}}`,
  )
}

function toAttempt({ atMs, transport, outcome, number, untilMs, reason }: TimelineAttempt, details: boolean) {
  const plain = { date: atMs, transport, outcome, ...(reason !== null && { reason }) }
  return details ? { ...plain, number, until: untilMs } : plain
}

/** Returns the members that only details have, each after a comma. `result` is inserted as the device wrote it. */
function detailText({ message, extras }: MessageDetail): string {
  const { report, terms, idempotencyKey, repeats } = extras
  const head = { cause: causeOf(message), ...reportTextsOf(report ?? NO_REPORT_TEXTS) }
  const tail = {
    resultDropped: report?.resultDropped ?? false,
    lateStatus: report?.lateStatus ?? null,
    lateDate: report?.lateAtMs ?? null,
    terms: terms && toTerms(message, terms),
    idempotencyKey,
    repeats,
    ...linksOf(extras),
    dataBytes: Buffer.byteLength(message.data),
  }
  const result = report?.result ?? null
  return `,${JSON.stringify(head).slice(1, -1)},"result":${result},${JSON.stringify(tail).slice(1, -1)}`
}

/** Returns the terms of a message; null if nothing limits it. */
function toTerms({ createdAtMs }: MessageRecord, terms: StoredTerms) {
  const given = fromStoredTerms(terms, createdAtMs)
  if (hasNoTerm(given)) return null
  const { expiresAtMs: expiresDate, finishAtMs: finishDate, dueAtMs: dueDate } = terms
  return { ...given, expiresDate, finishDate, dueDate }
}

export function toReplayedMessages({ replayed, left, skipped }: ReplayedMessages) {
  return { replayed: replayed.map(({ messageId }) => messageId), left, skipped }
}
