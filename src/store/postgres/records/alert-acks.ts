/** Stores acknowledgements of alerts, which all nodes share. */
import type { AuditEntry } from '../../../audit/audit.ts'
import {
  ACK_MS,
  type AlertAck,
  type AlertAckStore,
  type NewAlertAck,
} from '../../../broker/contract/alert-acks.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import type { AdminResult } from './admin-calls.ts'

interface RemoveResult extends AdminResult {
  readonly removed: boolean
}

export class PostgresAlertAcks implements AlertAckStore {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  async all(): Promise<readonly AlertAck[]> {
    const rows = await this.#parts.reads.run<AlertAck>(
      'SELECT key, by, at_ms AS "atMs", count, note FROM alert_acks',
    )
    return rows.map(({ key, by, note, ...numbers }) => {
      return { key: decodeText(key), by: decodeText(by), note: decodeText(note), ...numbers }
    })
  }

  async put({ key, by, count, note }: NewAlertAck, audit: AuditEntry | null = null): Promise<void> {
    const ack = { key: encodeText(key), by: encodeText(by), count, note: encodeText(note) }
    await this.#parts.administration.perform('putAlertAck', { ack, ackMs: ACK_MS }, audit)
  }

  async remove(key: string, audit: AuditEntry | null = null): Promise<boolean> {
    const { administration } = this.#parts
    const parameters = { key: encodeText(key) }
    return (await administration.perform<RemoveResult>('removeAlertAck', parameters, audit)).removed
  }
}
