/** Reads the details of a device for lists: the message in flight, the latest delivery, and failed messages. */
import type { Database, Statement } from 'better-sqlite3'
import type {
  DeviceDetailRecord,
  DeviceFlight,
  DeviceRecord,
  FailedMessage,
} from '../../../broker/contract/device-store.ts'
import type { IdRange } from '../../../broker/contract/message-search.ts'
import { FAILED_STATUSES, TRANSITIONS } from '../../../broker/vocabulary/status.ts'
import type { SqliteMessages } from '../messages/messages.ts'
import { DeviceSegments, segmentOfId } from '../schema/device-segments.ts'
import { rareCondition } from '../schema/rare-statuses.ts'

/** Maximum messages read per status. 10,000 take 10 ms through an index. */
const MAX_FAILED = 10_000
/** Messages per segment that are read to find a device's newest delivered message. */
const MAX_DELIVERIES = 20
/** Segments that are read to find a device's newest delivered message. */
const MAX_SEGMENTS = 8

type FailedRow = Omit<FailedMessage, 'isParked'> & { readonly isParked: 0 | 1 }

export class DeviceDetails {
  readonly #messages: SqliteMessages
  readonly #command: Statement<[id: number], string>
  readonly #firstAtMs: Statement<[id: number, limit: number], number | null>
  readonly #ownDelivery: Statement<[id: number], number | null>
  readonly #segments: DeviceSegments
  readonly #delivery: Statement<[IdRange & { deviceId: string }], number>
  readonly #failed: Statement<[status: string, limit: number], FailedRow>

  /** @param db connection for reads */
  constructor(db: Database, messages: SqliteMessages) {
    this.#messages = messages
    this.#command = db.prepare<[number], string>('SELECT command FROM messages WHERE id = ?').pluck()
    this.#firstAtMs = db
      .prepare<[number, number], number | null>(
        `SELECT min(at_ms) FROM (SELECT at_ms FROM attempts WHERE message_id = ? ORDER BY number DESC LIMIT ?)`,
      )
      .pluck()
    this.#ownDelivery = db
      .prepare<[number], number | null>('SELECT delivered_at_ms - created_at_ms FROM messages WHERE id = ?')
      .pluck()
    this.#delivery = db
      .prepare<[IdRange & { deviceId: string }], number>(
        `SELECT m.delivered_at_ms - m.created_at_ms
         FROM (SELECT message_id FROM device_messages
           WHERE segment = ${segmentOfId('@from')} AND device_id = @deviceId AND message_id < @below
           ORDER BY message_id DESC LIMIT ${MAX_DELIVERIES}) d
         CROSS JOIN messages m ON m.id = d.message_id
         WHERE m.delivered_at_ms IS NOT NULL LIMIT 1`,
      )
      .pluck()
    this.#segments = new DeviceSegments(db)
    this.#failed = db.prepare(
      `SELECT id AS messageId, device_id AS deviceId, changed_at_ms AS changedAtMs,
         cause IS '${TRANSITIONS.parked.cause}' AND status = '${TRANSITIONS.parked.to}' AS isParked
       FROM messages INDEXED BY messages_rare WHERE status = ? AND ${rareCondition()} ORDER BY id DESC LIMIT ?`,
    )
  }

  of(record: DeviceRecord): DeviceDetailRecord {
    const { deviceId, last } = record
    const own = last === null ? undefined : this.#ownDelivery.get(last.id)
    const deliveryMs = own ?? (last === null ? null : this.#deliveryBefore(last.id, deviceId))
    return { ...record, flight: this.#flight(deviceId), deliveryMs }
  }

  #deliveryBefore(messageId: number, deviceId: string): number | null {
    let left = MAX_SEGMENTS
    for (const range of this.#segments.of({ from: 1, below: messageId })) {
      const found = this.#delivery.get({ ...range, deviceId })
      if (found !== undefined) return found
      if (--left === 0) return null
    }
    return null
  }

  #flight(deviceId: string): DeviceFlight | null {
    const attempt = this.#messages.unansweredAttempt(deviceId)
    if (attempt === null) return null
    const { messageId, counted, maxAttempts, atMs, runningMs } = attempt
    const firstAtMs = counted > 1 ? (this.#firstAtMs.get(messageId, counted) ?? atMs) : atMs
    const command = this.#command.get(messageId) ?? ''
    return { messageId, command, counted, maxAttempts, atMs, firstAtMs, runningMs }
  }

  failed(): FailedMessage[] {
    const rows = FAILED_STATUSES.flatMap((status) => this.#failed.all(status, MAX_FAILED))
    return rows.map((row) => ({ ...row, isParked: row.isParked === 1 }))
  }
}
