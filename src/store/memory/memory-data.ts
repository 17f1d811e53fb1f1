/**
 * Holds the messages, device lines and keys that the nodes of the memory driver share, and makes each status change.
 * The verbs are in the files beside this file. Each call of a verb is one transaction: it runs to its end without
 * interruption. Knows no event loop.
 */
import type { AuditEntry, AuditLine } from '../../audit/audit.ts'
import type { DeviceService, NewService } from '../../broker/contract/device-service.ts'
import type { StoreEvent, Transitioned } from '../../broker/contract/store.ts'
import { type MovableMessage, move } from '../../broker/engine/move.ts'
import { withReport } from '../../broker/engine/report.ts'
import type { Clock } from '../../broker/vocabulary/clock.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../../broker/vocabulary/device-settings.ts'
import type { LinkName } from '../../broker/vocabulary/link-table.ts'
import type { Idempotency, Report } from '../../broker/vocabulary/message.ts'
import {
  type Cause,
  LISTED_CAUSES,
  TRANSITIONS,
  type TransitionName,
} from '../../broker/vocabulary/status.ts'
import { type End, endAt, restMs } from '../end.ts'
import { MemoryLine } from './memory-line.ts'
import { detailsOf, endAttempt, put, type StoredMessage } from './memory-message.ts'
import { MemoryStatistics } from './memory-statistics.ts'

export interface UsedKey extends Idempotency {
  readonly messageId: number
  readonly atMs: number
  repeats: number
}

export interface StoredLink {
  readonly name: LinkName
  readonly messageId: number
  readonly newMessageId: number
}

export interface StoredService extends NewService {
  readonly sinceMs: number
  /** Null without an end. */
  readonly end: End | null
}

interface Change {
  /** Client that caused the change; null for the device or the broker. */
  readonly by?: string | null
  readonly supersededBy?: number
  readonly report?: Report | null
}

export class MemoryData {
  readonly clock: Clock
  /** All messages by id, the oldest first. */
  readonly messages = new Map<number, StoredMessage>()
  readonly lines = new Map<string, MemoryLine>()
  readonly deviceSettings = new Map<string, DeviceSettings>()
  /** Times out of service, by device. A time that ended by its date stays until the next change of its device. */
  readonly services = new Map<string, StoredService>()
  submissions: UsedKey[] = []
  links: StoredLink[] = []
  /** Audit trail, the oldest line first. */
  readonly audit: AuditLine[] = []
  readonly statistics = new MemoryStatistics()
  lastId = 0
  #lastOrder = 0
  #events: StoreEvent[] = []

  constructor(clock: Clock) {
    this.clock = clock
  }

  line(deviceId: string): MemoryLine {
    const line = this.lines.get(deviceId) ?? new MemoryLine()
    this.lines.set(deviceId, line)
    return line
  }

  record(entry: AuditEntry | null): void {
    if (entry === null) return
    // Round trip, because a database stores the detail as JSON.
    const detail = JSON.parse(JSON.stringify(entry.detail)) as AuditEntry['detail']
    this.audit.push({ ...entry, detail, id: this.audit.length + 1, atMs: this.clock.wallMs() })
  }

  emit(event: StoreEvent): void {
    this.#events.push(event)
  }

  /** Returns the events of the transactions since the previous call. */
  takeEvents(): StoreEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** Returns an event with its current content, because a late report has the current state. */
  current(event: StoreEvent): StoreEvent {
    if (event.is === 'settings')
      return { ...event, settings: this.deviceSettings.get(event.deviceId) ?? GENERAL_SETTINGS }
    if (event.is === 'busy') return { ...event, forMs: this.busyForMs(event.deviceId) }
    if (event.is === 'service') return { ...event, service: this.serviceOf(event.deviceId) }
    if (event.is === 'unfinished') return { ...event, forMs: this.unfinishedForMs(event.messageId) }
    return event
  }

  busyForMs(deviceId: string): number {
    const { busyUntil } = this.line(deviceId)
    return busyUntil === null ? 0 : restMs(busyUntil, this.clock)
  }

  /** Returns the time out of service of a device; null if the device is in service. */
  serviceOf(deviceId: string): DeviceService | null {
    const stored = this.services.get(deviceId)
    if (stored === undefined) return null
    const { end, ...service } = stored
    if (end === null) return { ...service, forMs: null }
    const forMs = restMs(end, this.clock)
    return forMs > 0 ? { ...service, forMs } : null
  }

  /** Returns the remaining time of a message's finish deadline; null without one. */
  unfinishedForMs(messageId: number): number | null {
    const finish = this.messages.get(messageId)?.finish ?? null
    return finish === null ? null : restMs(finish, this.clock)
  }

  /** Changes a status if the table allows the transition. Returns null if nothing changed. */
  apply(message: StoredMessage, name: TransitionName, change: Change = {}): Transitioned | null {
    const { by = null, supersededBy, report } = change
    const moved = move(this.movable(message), name, { by, supersededBy, nowMs: this.clock.wallMs() })
    if (moved === null) return null
    this.statistics.changed(message, moved)
    put(message, moved)
    if (report) message.report = withReport(message.report, report) ?? message.report
    const { cause } = TRANSITIONS[name]
    const { changedAtMs: atMs, status } = moved
    if (LISTED_CAUSES.includes(cause)) message.changes.push({ atMs, status, cause, by })
    this.#setFinishDeadline(message)
    this.#moveInQueue(message)
    return this.reportChange(message, cause)
  }

  /** Returns a message with what decides which transitions apply to it. */
  movable(message: StoredMessage): MovableMessage {
    const { status, cause, guarantee, changedAtMs, deliveredAtMs, attempts, expiresAtMs } = message
    const isExpired = expiresAtMs !== null && expiresAtMs <= this.clock.wallMs()
    const wasDispatched = attempts.length > 0
    return { status, cause, guarantee, changedAtMs, deliveredAtMs, wasDispatched, isExpired }
  }

  /** Reports the current status of a message to the nodes that did not change it. */
  reportChange(message: StoredMessage, cause: Cause): Transitioned {
    const { id: messageId, content, status } = message
    const { deviceId, replyTo } = content
    const order = ++this.#lastOrder
    const transition = { messageId, deviceId, status, cause, replyTo, details: detailsOf(message), order }
    const hasOwnLimit = cause === 'NOT_ACKNOWLEDGED' && content.terms?.maxAttempts != null
    this.emit({ is: 'transitioned', transition, ...(hasOwnLimit && { hasOwnLimit }) })
    return transition
  }

  /** Starts the finish deadline of a message that became DELIVERED; for any other message, ends it. */
  #setFinishDeadline(message: StoredMessage): void {
    const { id: messageId, content, status, changedAtMs } = message
    const forMs =
      status === 'DELIVERED' && content.terms?.finishSeconds ? content.terms.finishSeconds * 1000 : null
    if (forMs === null && message.finish === null) return
    message.finish = forMs === null ? null : endAt(changedAtMs + forMs, forMs, this.clock)
    this.emit({ is: 'unfinished', deviceId: content.deviceId, messageId, forMs })
    if (forMs !== null) this.emit({ is: 'deadline', inMs: forMs })
  }

  /** Adds a message that became pending to its queue, and removes any other message from it. */
  #moveInQueue(message: StoredMessage): void {
    const { id: messageId, content } = message
    const { deviceId } = content
    const line = this.line(deviceId)
    if (message.status === 'NOT_DELIVERED') {
      line.add(message)
      this.emit({ is: 'added', deviceId })
    } else if (line.remove(messageId)) {
      endAttempt(message, null)
      this.emit({ is: 'removed', deviceId, messageId })
    }
  }
}
