/** Groups the failed messages of PostgreSQL by device, cause and command. */

import {
  FAILURE_CAUSES,
  type FailedMessages,
  type FailureCause,
} from '../../../broker/contract/store-stats.ts'
import { FAILED_STATUSES } from '../../../broker/vocabulary/status.ts'
import { decodeText } from '../database/text.ts'
import { CAUSE_CODES, codesOf, STATUS_CODES } from '../schema/codes.ts'
import { messagesOf } from '../schema/rare-messages.ts'
import type { Reads } from './reads.ts'

const MAX_SCAN = 10_000

interface Row {
  readonly deviceId: string
  readonly cause: number | null
  readonly count: number
  readonly sinceMs: number
  readonly messageId: number
  readonly command: string
  readonly reason: string | null
  readonly atMs: number
}

const OWN_CAUSES = FAILURE_CAUSES.map((cause) => CAUSE_CODES.of(cause)).join(', ')

/** Has the same condition as the index `rare_messages_failed`. */
const LATEST = `(SELECT message_id AS id FROM rare_messages WHERE changed_at_ms >= $1 AND status IN (${codesOf(STATUS_CODES, FAILED_STATUSES)})
  ORDER BY changed_at_ms DESC, message_id DESC LIMIT ${MAX_SCAN})`

const SELECT = `SELECT device_id AS "deviceId", cause, count(*)::int AS count, min(changed_at_ms) AS "sinceMs",
    (array_agg(id ORDER BY changed_at_ms DESC, id DESC))[1] AS "messageId",
    command, (array_agg(reason ORDER BY changed_at_ms DESC, id DESC))[1] AS reason, max(changed_at_ms) AS "atMs"
  FROM (SELECT id, device_id, command, changed_at_ms, reason, CASE WHEN cause IN (${OWN_CAUSES}) THEN cause END AS cause
        FROM ${messagesOf(LATEST, 'm.device_id, m.command, m.changed_at_ms, m.cause, m.reason')} m
        WHERE NOT EXISTS (SELECT FROM resends r WHERE r.message_id = m.id)) failed
  GROUP BY device_id, cause, command ORDER BY "atMs" DESC, "messageId" DESC`

/** Returns the groups in the order of their latest failures, newest first. */
export async function failuresSince(reads: Pick<Reads, 'run'>, sinceMs: number): Promise<FailedMessages[]> {
  const rows = await reads.run<Row>(SELECT, [sinceMs])
  return rows.map(({ cause, count, sinceMs: firstMs, messageId, command, reason, atMs, ...row }) => {
    const deviceId = decodeText(row.deviceId)
    return {
      deviceId,
      count,
      sinceMs: firstMs,
      cause: cause === null ? null : (CAUSE_CODES.name(cause) as FailureCause),
      latest: { messageId, deviceId, command: decodeText(command), reason: decodeText(reason), atMs },
    }
  })
}
