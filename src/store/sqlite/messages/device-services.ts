/** Stores which devices are out of service, in memory and on disk. */
import type { Database } from 'better-sqlite3'
import type {
  DeviceService,
  NewService,
  ServiceChange,
  ServiceOutcome,
} from '../../../broker/contract/device-service.ts'
import { type End, endAt, restMs } from '../../end.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Attempts } from './attempts.ts'
import type { PendingMessages } from './pending-messages.ts'
import type { QueuedAttempt } from './queued-attempt.ts'

interface Row extends NewService {
  readonly sinceMs: number
}

interface StoredService extends Row {
  /** Null without an end. */
  readonly end: End | null
}

interface EndedAttempt {
  readonly deviceId: string
  readonly attempt: QueuedAttempt
}

export class DeviceServices {
  readonly #pending: PendingMessages
  readonly #attempts: Attempts
  readonly #services = new Map<string, StoredService>()
  readonly #put: WriteStatement
  readonly #remove: WriteStatement
  /** Resolves after the latest change. The changes are made one after the other, because memory decides them. */
  #latest: Promise<unknown> = Promise.resolve()

  /** @param db connection for reads */
  constructor(db: Database, pending: PendingMessages, attempts: Attempts) {
    this.#pending = pending
    this.#attempts = attempts
    this.#put = pending.writer.prepare(
      'INSERT OR REPLACE INTO device_service (device_id, since_ms, until_ms, reason, by) VALUES (?, ?, ?, ?, ?)',
    )
    this.#remove = pending.writer.prepare('DELETE FROM device_service WHERE device_id = ?')
    const stored = db.prepare<[nowMs: number], Row & { readonly deviceId: string }>(
      `SELECT device_id AS deviceId, since_ms AS sinceMs, until_ms AS untilMs, reason, by
       FROM device_service WHERE until_ms IS NULL OR until_ms > ?`,
    )
    for (const { deviceId, ...row } of stored.iterate(pending.clock.wallMs()))
      this.#services.set(deviceId, this.#withEnd(row))
  }

  /** See `MessageStore.changeService`. */
  change(changes: readonly ServiceChange[]): Promise<ServiceOutcome[]> {
    const done = this.#latest.then(() => this.#change(changes))
    this.#latest = done.catch(() => {})
    return done
  }

  /** Returns the devices that are out of service. */
  all(): Map<string, DeviceService> {
    const found = new Map<string, DeviceService>()
    for (const deviceId of this.#services.keys()) {
      const service = this.#current(deviceId)
      if (service) found.set(deviceId, service)
    }
    return found
  }

  async #change(changes: readonly ServiceChange[]): Promise<ServiceOutcome[]> {
    const { writer, audit } = this.#pending
    const planned = changes.map((change) => ({ ...change, row: this.#rowOf(change) }))
    const effective = planned
      .filter(({ row }) => row !== undefined)
      .map((each) => ({ ...each, line: each.audit && audit.line(each.audit) }))
    const ended = this.#endAttempts(effective)
    try {
      await writer.write(() => {
        for (const { deviceId, row, line } of effective) {
          if (row) this.#put.run(deviceId, row.sinceMs, row.untilMs, row.reason, row.by)
          else this.#remove.run(deviceId)
          line?.()
        }
        for (const { attempt } of ended) this.#attempts.storeEnd(attempt, 'BUSY')
      })
    } catch (error) {
      for (const { deviceId, attempt } of ended) this.#attempts.unend(deviceId, attempt)
      throw error
    }
    for (const { deviceId, row } of effective) {
      if (row) this.#services.set(deviceId, this.#withEnd(row))
      else this.#services.delete(deviceId)
      this.#pending.report({ is: 'service', deviceId, service: this.#current(deviceId) })
    }
    for (const { attempt } of ended) this.#attempts.ended(attempt, 'BUSY')
    await this.#endLate(effective)
    return planned.map(({ deviceId, row }) => {
      return { deviceId, service: this.#current(deviceId), isChanged: row !== undefined }
    })
  }

  /** Returns the row after a change; null for none, undefined if the change has no effect. */
  #rowOf({ deviceId, service }: ServiceChange): Row | null | undefined {
    const current = this.#current(deviceId)
    if (service === null) return current ? null : undefined
    const { untilMs, reason } = service
    if (current?.untilMs === untilMs && current.reason === reason) return undefined
    const nowMs = this.#pending.clock.wallMs()
    return { ...service, sinceMs: Math.min(current?.sinceMs ?? nowMs, nowMs) }
  }

  #endAttempts(changes: readonly ServiceChange[]): EndedAttempt[] {
    return changes.flatMap(({ deviceId, service }) => {
      const open = service && this.#attempts.open(deviceId)
      const attempt = open && this.#attempts.end(deviceId, { messageId: open.id, outcome: 'BUSY' })
      return attempt ? [{ deviceId, attempt }] : []
    })
  }

  /** Ends the attempts that polls began during the commit. From the event on none begins. */
  async #endLate(changes: readonly ServiceChange[]): Promise<void> {
    const ended = this.#endAttempts(changes)
    if (ended.length === 0) return
    await this.#pending.writer.write(() => {
      for (const { attempt } of ended) this.#attempts.storeEnd(attempt, 'BUSY')
    })
    for (const { attempt } of ended) this.#attempts.ended(attempt, 'BUSY')
  }

  #current(deviceId: string): DeviceService | null {
    const stored = this.#services.get(deviceId)
    if (stored === undefined) return null
    const { end, ...service } = stored
    if (end === null) return { ...service, forMs: null }
    const forMs = restMs(end, this.#pending.clock)
    if (forMs > 0) return { ...service, forMs }
    this.#services.delete(deviceId)
    return null
  }

  #withEnd(row: Row): StoredService {
    const { sinceMs, untilMs } = row
    return { ...row, end: untilMs === null ? null : endAt(untilMs, untilMs - sinceMs, this.#pending.clock) }
  }
}
