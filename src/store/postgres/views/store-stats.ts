/** Reads the state of the storage. Each read is bounded. */

import type { QueueLimits } from '../../../broker/contract/store.ts'
import type {
  DiskSpace,
  FailedMessages,
  MessageRef,
  NearlyFullQueue,
  StoreStats,
  UnknownMessages,
} from '../../../broker/contract/store-stats.ts'
import { ALERT_LIMITS } from '../../../broker/views/alerts.ts'
import type { DeviceSettings } from '../../../broker/vocabulary/device-settings.ts'
import type { Cause, Status } from '../../../broker/vocabulary/status.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { CAUSE_CODES } from '../schema/codes.ts'
import { messagesOf, newestRare } from '../schema/rare-messages.ts'
import { failuresSince } from './failures.ts'

/** Maximum pending messages that are counted one by one. A larger number is estimated. */
const MAX_COUNTED = 50_000
/** Maximum messages read for the oldest of several devices, because one device may have any number of them. */
const MAX_OLDEST_SCAN = 2_000
/** Maximum messages read at each end of all queues to find nearly full queues. */
const MAX_BOUNDS_SCAN = 2_000
/** Maximum messages read for the newest with a status. */
const MAX_NEWEST_SCAN = 50
/** Maximum messages read for the number of UNKNOWN messages. */
const MAX_UNKNOWN_SCAN = 10_000

/** Condition on a message `m`: its command was not sent again. */
const notResent = (id: string) => `NOT EXISTS (SELECT FROM resends s WHERE s.message_id = ${id})`

interface RefRow {
  readonly messageId: number
  readonly deviceId: string
  readonly atMs: number
}

interface Size {
  readonly device_id: string
  readonly messages: number
  readonly bytes: number
}

type OwnLimits = Partial<Pick<DeviceSettings, 'queueLimit' | 'queueBytes'>> | null

export class PostgresStats implements StoreStats {
  /** A lost database is no failure: the writes wait for it, and continue. */
  readonly failedAtMs = null
  readonly #parts: PostgresParts
  readonly #limits: QueueLimits

  /** @param limits limits of the queue of a device without its own limits */
  constructor(parts: PostgresParts, limits: QueueLimits) {
    this.#parts = parts
    this.#limits = limits
  }

  async pending(): Promise<number> {
    const [row] = await this.#parts.reads.run<{ count: number }>('SELECT count_pending($1) AS count', [
      MAX_COUNTED,
    ])
    return row?.count ?? 0
  }

  async oldest(limit: number): Promise<readonly MessageRef[]> {
    const rows = await this.#parts.reads.run<RefRow>(
      `SELECT f.id AS "messageId", f.device_id AS "deviceId", m.created_at_ms AS "atMs"
       FROM (SELECT min(p.id) AS id, p.device_id FROM (SELECT id, device_id FROM pending ORDER BY id LIMIT $1) p
             GROUP BY p.device_id ORDER BY 1 LIMIT $2) f,
         LATERAL (SELECT created_at_ms FROM messages m WHERE m.id = f.id OFFSET 0) m ORDER BY f.id`,
      [limit === 1 ? 1 : MAX_OLDEST_SCAN, limit],
    )
    return rows.map(toRef)
  }

  /** Returns queues among those with the oldest and the newest pending messages. */
  async nearlyFull(limit: number): Promise<readonly NearlyFullQueue[]> {
    const bounds = await this.#parts.reads.run<Size & { readonly settings: OwnLimits }>(
      'SELECT * FROM queue_bounds($1)',
      [MAX_BOUNDS_SCAN],
    )
    const limits = new Map(bounds.map(({ device_id, settings }) => [device_id, this.#limitsOf(settings)]))
    const fullOf = (size: Size) => nearlyFull(size, limits.get(size.device_id) ?? this.#limits)
    const possible = bounds.filter((size) => fullOf(size) !== null).map(({ device_id }) => device_id)
    const sizes = await this.#parts.reads.run<Size>('SELECT * FROM queue_sizes($1)', [
      possible.slice(0, 4 * limit),
    ])
    return sizes.flatMap((size) => fullOf(size) ?? []).slice(0, limit)
  }

  async newest(
    status: Status,
    sinceMs: number,
    limit: number,
    without: readonly Cause[] = [],
  ): Promise<readonly MessageRef[]> {
    const ids = newestRare([status], { condition: notResent('r.message_id'), limit: MAX_NEWEST_SCAN })
    const rows = await this.#parts.reads.run<RefRow & { readonly cause: number | null }>(
      `SELECT id AS "messageId", device_id AS "deviceId", changed_at_ms AS "atMs", cause
       FROM ${messagesOf(ids, 'm.device_id, m.changed_at_ms, m.cause')} m ORDER BY id DESC`,
    )
    const excluded: (number | null)[] = without.map((cause) => CAUSE_CODES.of(cause))
    return rows
      .filter(({ atMs, cause }) => atMs >= sinceMs && !(cause !== null && excluded.includes(cause)))
      .slice(0, limit)
      .map(toRef)
  }

  async unknown(sinceMs: number, without: readonly string[] = []): Promise<readonly UnknownMessages[]> {
    const rows = await this.#parts.reads.run<RefRow & { readonly cause: number; readonly count: number }>(
      `SELECT DISTINCT ON (cause) cause, (count(*) OVER (PARTITION BY cause))::int AS count,
         id AS "messageId", device_id AS "deviceId", changed_at_ms AS "atMs"
       FROM ${messagesOf(newestRare(['UNKNOWN'], { limit: MAX_UNKNOWN_SCAN }), 'm.device_id, m.changed_at_ms, m.cause')} m
       WHERE changed_at_ms >= $1 AND cause IS NOT NULL AND device_id <> ALL($2::text[]) AND ${notResent('m.id')}
       ORDER BY cause, changed_at_ms, id`,
      [sinceMs, without.map((deviceId) => encodeText(deviceId))],
    )
    return rows.map((row) => ({ cause: CAUSE_CODES.name(row.cause), count: row.count, oldest: toRef(row) }))
  }

  failures(sinceMs: number): Promise<readonly FailedMessages[]> {
    return failuresSince(this.#parts.reads, sinceMs)
  }

  /** Returns the size of the database. A node does not know the disk of the database. */
  async space(): Promise<DiskSpace> {
    const [row] = await this.#parts.reads.run<{ name: string; size: number }>(
      'SELECT current_database() AS name, pg_database_size(current_database()) AS size',
    )
    return { directory: `PostgreSQL: ${row?.name}`, database: row?.size ?? 0, log: 0, free: null, disk: null }
  }

  async counts(): Promise<{ readonly messagesAtMost: number; readonly templates: number }> {
    const [row] = await this.#parts.reads.run<{ messagesAtMost: number; templates: number }>(
      `SELECT coalesce((SELECT max(id) FROM messages) - (SELECT min(id) FROM messages) + 1, 0) AS "messagesAtMost",
         (SELECT count(*) FROM templates) AS templates`,
    )
    return row ?? { messagesAtMost: 0, templates: 0 }
  }

  #limitsOf(own: OwnLimits): QueueLimits {
    return {
      messages: own?.queueLimit ?? this.#limits.messages,
      bytes: own?.queueBytes ?? this.#limits.bytes,
    }
  }
}

/** Returns the limit to which a queue is close; null without one. */
function nearlyFull({ device_id, messages, bytes }: Size, limits: QueueLimits): NearlyFullQueue | null {
  const deviceId = decodeText(device_id)
  const { queueShare } = ALERT_LIMITS
  if (messages >= limits.messages * queueShare)
    return { deviceId, value: messages, limit: limits.messages, of: 'messages' }
  if (limits.bytes > 0 && bytes >= limits.bytes * queueShare)
    return { deviceId, value: bytes, limit: limits.bytes, of: 'bytes' }
  return null
}

function toRef({ messageId, deviceId, atMs }: RefRow): MessageRef {
  return { messageId, deviceId: decodeText(deviceId), atMs }
}
