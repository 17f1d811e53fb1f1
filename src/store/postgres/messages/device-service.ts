/** Stores which devices are out of service, for all nodes. */
import type { DeviceService, ServiceChange, ServiceOutcome } from '../../../broker/contract/device-service.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import type { AdminResult } from '../records/admin-calls.ts'
import { type AddedLine, auditCall } from '../records/audit-lines.ts'
import { AttemptEnds, type EndedRow } from './attempt-ends.ts'

interface OutcomeRow {
  readonly seq: number
  readonly isChanged: boolean
  readonly service: DeviceService | null
  readonly line: AddedLine | null
}

interface EndsResult extends AdminResult {
  readonly ended: readonly EndedRow[]
}

interface ChangeResult extends EndsResult {
  readonly outcomes: readonly OutcomeRow[]
}

const SELECT = `SELECT s.device_id AS "deviceId", s.since_ms AS "sinceMs", s.until_ms AS "untilMs", s.reason, s.by,
    service_rest(s, t.now) AS "forMs"
  FROM (SELECT now_ms() AS now OFFSET 0) t JOIN device_service s ON s.until_ms IS NULL OR s.until_ms > t.now`

export class DeviceServiceTable {
  readonly #parts: PostgresParts
  readonly #ends: AttemptEnds

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.#ends = new AttemptEnds(parts)
    parts.journal.on('service', ({ subject, seq, until_ms: untilMs, content }, nowMs) => {
      const service = decoded(content as DeviceService | null)
      const restMs = untilMs === null ? null : Math.min(untilMs - nowMs, service?.forMs ?? 0)
      parts.events.serviceChanged(decodeText(subject), service && { ...service, forMs: restMs }, seq)
    })
  }

  async all(): Promise<ReadonlyMap<string, DeviceService>> {
    const rows = await this.#parts.reads.run<DeviceService & { readonly deviceId: string }>(SELECT)
    return new Map(
      rows.map(({ deviceId, ...row }) => [decodeText(deviceId), decoded(row) as DeviceService] as const),
    )
  }

  async change(changes: readonly ServiceChange[]): Promise<readonly ServiceOutcome[]> {
    const encoded = changes.map(({ deviceId, service, audit }) => ({
      device_id: encodeText(deviceId),
      service: service && { ...service, reason: encodeText(service.reason), by: encodeText(service.by) },
      audit: auditCall(audit),
    }))
    const { administration } = this.#parts
    const { outcomes } = await administration.perform<ChangeResult>(
      'changeService',
      { changes: encoded },
      null,
      (result) => this.#changed(changes, result),
    )
    return outcomes.map(({ isChanged, service }, n) => {
      return { deviceId: (changes[n] as ServiceChange).deviceId, service: decoded(service), isChanged }
    })
  }

  #changed(changes: readonly ServiceChange[], { outcomes, ended }: ChangeResult): void {
    this.#ended(ended)
    const started: string[] = []
    for (const [n, { seq, isChanged, service, line }] of outcomes.entries()) {
      const { deviceId, audit } = changes[n] as ServiceChange
      if (!isChanged) continue
      this.#parts.events.serviceChanged(deviceId, decoded(service), seq)
      this.#parts.audit.added(audit, line)
      if (service) started.push(deviceId)
    }
    if (started.length > 0) this.#settle(started)
  }

  /** Ends, when every node knows of the change, the attempts that other nodes began meanwhile. */
  #settle(deviceIds: readonly string[]): void {
    const { administration, node, duties } = this.#parts
    const devices = deviceIds.map((deviceId) => encodeText(deviceId))
    void duties.perform(
      async () => {
        await node.barrier()
        await administration.perform<EndsResult>('settleService', { devices }, null, ({ ended }) =>
          this.#ended(ended),
        )
      },
      // The storage logs that it does not answer.
      () => {},
    )
  }

  #ended(rows: readonly EndedRow[]): void {
    for (const row of rows) this.#ends.ended(row, 'BUSY')
  }
}

function decoded(service: DeviceService | null): DeviceService | null {
  return service && { ...service, reason: decodeText(service.reason), by: decodeText(service.by) }
}
