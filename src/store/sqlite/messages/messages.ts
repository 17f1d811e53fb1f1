/**
 * Stores messages in SQLite. Each change is decided in its transaction, from the message as it is there. The queues are
 * in memory, so that a head and a claim need no promise. This file combines the others, which do the work.
 */
import type { Database, Statement } from 'better-sqlite3'
import type { AuditEntry } from '../../../audit/audit.ts'
import type {
  AttemptRules,
  DeviceAttempt,
  DeviceLease,
  EndedAttempt,
  Head,
  LineState,
  OpenAttempt,
  Taken,
} from '../../../broker/contract/device-lease.ts'
import type { DeviceService, ServiceChange, ServiceOutcome } from '../../../broker/contract/device-service.ts'
import type {
  Acknowledgement,
  CancelChange,
  CancelFilter,
  CancelledMessages,
  CancelOutcome,
  Enqueued,
  Expiry,
  LastAttempt,
  ManyChanges,
  MaybePromise,
  MessageStore,
  Outcome,
  QueueLimits,
  Replay,
  ReplayAllChanges,
  ReplayChange,
  ReplayedMessages,
  ReplayFilter,
  Transitioned,
} from '../../../broker/contract/store.ts'
import type { StoreListener } from '../../../broker/contract/store-listeners.ts'
import type { DeviceSettings } from '../../../broker/vocabulary/device-settings.ts'
import type { MessageParties, NewMessage } from '../../../broker/vocabulary/message.ts'
import type { Status } from '../../../broker/vocabulary/status.ts'
import { lastId } from '../database/sequences.ts'
import type { Writer } from '../database/writer.ts'
import { SqliteDeviceSettings } from '../records/device-settings.ts'
import { selected } from '../schema/message-columns.ts'
import { Acknowledgements } from './acknowledge.ts'
import { Attempts } from './attempts.ts'
import { BusyPauses } from './busy-pauses.ts'
import { Cancellations } from './cancel.ts'
import { Expiries } from './deadlines.ts'
import { DeviceServices } from './device-services.ts'
import { Enqueuer } from './enqueue.ts'
import { FinishDeadlines } from './finish-deadlines.ts'
import { Dispatches } from './leases.ts'
import { Moves } from './moves.ts'
import { PendingMessages, type PendingParts } from './pending-messages.ts'
import { Polls } from './polls.ts'
import { Purge } from './purge.ts'
import { Replays } from './replay.ts'

const PARTY_FIELDS = ['deviceId', 'senderId', 'producerId'] as const satisfies (keyof MessageParties)[]

/** Keeps the queues in memory and the table `messages` consistent. */
export class SqliteMessages implements MessageStore {
  readonly #writer: Writer
  readonly #pending: PendingMessages
  readonly #moves: Moves
  readonly #status: Statement<[id: number], Status>
  readonly #parties: Statement<[id: number], MessageParties>
  readonly #enqueuer: Enqueuer
  readonly #attempts: Attempts
  readonly #dispatches: Dispatches
  readonly #polls: Polls
  readonly #acknowledgements: Acknowledgements
  readonly #cancellations: Cancellations
  readonly #replays: Replays
  readonly #expiries: Expiries
  readonly #finishDeadlines: FinishDeadlines
  readonly #busyPauses: BusyPauses
  readonly #services: DeviceServices
  readonly #deviceSettings: SqliteDeviceSettings
  readonly #purge: Purge

  /**
   * @param db connection for reads
   * @param durationsMs durations of attempts that began before a restart, by their count
   */
  constructor(db: Database, pendingParts: PendingParts, durationsMs: readonly number[]) {
    const pending = new PendingMessages(db, pendingParts)
    const { writer } = pending
    this.#writer = writer
    this.#pending = pending
    this.#status = db.prepare<[number], Status>('SELECT status FROM messages WHERE id = ?').pluck()
    this.#parties = db.prepare(`SELECT ${selected(PARTY_FIELDS)} FROM messages WHERE id = ?`)
    const attempts = new Attempts(db, pending, { durationsMs, lastIdAtStart: lastId(db, 'messages') })
    this.#attempts = attempts
    const moves = new Moves(writer, pending.pollTimestamps, {
      wasDispatched: (deviceId, messageId) => attempts.latest(deviceId, messageId) !== null,
      isExpired: (messageId, nowMs) => !pending.terms.isValid(messageId, nowMs),
    })
    this.#moves = moves
    const enqueuer = new Enqueuer(db, {
      ...pendingParts,
      recent: pending.recent,
      moves,
      superseded: (messageId, deviceId) => pending.transitioned(messageId, deviceId, 'superseded'),
      removeSuperseded: (deviceId, messageId) => pending.removeSuperseded(deviceId, messageId),
      report: (event) => pending.report(event),
    })
    this.#enqueuer = enqueuer
    pending.durableId = () => enqueuer.durableId
    const finishDeadlines = new FinishDeadlines(db, pending)
    this.#finishDeadlines = finishDeadlines
    const parts = { pending, attempts, finishDeadlines, moves }
    this.#dispatches = new Dispatches(parts)
    this.#polls = new Polls(parts)
    this.#acknowledgements = new Acknowledgements(parts)
    this.#cancellations = new Cancellations(db, parts)
    this.#replays = new Replays(db, parts)
    this.#expiries = new Expiries(db, parts)
    this.#busyPauses = new BusyPauses(db, pending, attempts)
    this.#services = new DeviceServices(db, pending, attempts)
    this.#deviceSettings = new SqliteDeviceSettings(db, writer, pending.audit)
    this.#purge = new Purge(db, writer)
  }

  /** Id of the newest durable message; 0 without one. */
  get newest(): number {
    return this.#enqueuer.durableId
  }

  /** Returns the latest attempt of a device's oldest message whose attempt is open or ended as TIMEOUT. */
  unansweredAttempt(deviceId: string): OpenAttempt | null {
    const latest = this.#attempts.unanswered(deviceId)
    return latest && this.#attempts.toOpenAttempt(latest)
  }

  /** Returns the devices whose unanswered attempt is at least the second attempt with its message. */
  blocked(): Promise<string[]> {
    return this.#attempts.blocked()
  }

  enqueue(message: NewMessage, limits: QueueLimits, audit: AuditEntry | null = null): Promise<Enqueued> {
    return this.#enqueuer.enqueue(message, limits, audit)
  }

  attach(deviceId: string, transport: string): DeviceLease {
    return this.#dispatches.attach(deviceId, transport)
  }

  line(deviceId: string): LineState {
    return this.#dispatches.line(deviceId)
  }

  head(deviceId: string): Head | null {
    return this.#polls.head(deviceId)
  }

  take(deviceId: string, head: Head, rules: AttemptRules): MaybePromise<Taken | null> {
    return this.#polls.take(deviceId, head, rules)
  }

  endAttempt(deviceId: string, ended: EndedAttempt): Promise<boolean> {
    return this.#dispatches.endAttempt(deviceId, ended)
  }

  openAttempts(): Promise<DeviceAttempt[]> {
    return this.#attempts.allOpen()
  }

  park(deviceId: string, last: LastAttempt): Promise<Transitioned | null> {
    return this.#expiries.park(deviceId, last)
  }

  acknowledge(acknowledgement: Acknowledgement): Promise<Outcome | null> {
    return this.#acknowledgements.acknowledge(acknowledgement)
  }

  refuseAnswer(deviceId: string, reason: string): Promise<number | null> {
    return this.#attempts.refuseAnswer(deviceId, reason)
  }

  cancel(messageId: number, options: CancelChange): Promise<CancelOutcome | null> {
    return this.#cancellations.cancel(messageId, options)
  }

  cancelAll(deviceId: string, filter: CancelFilter, options: ManyChanges): Promise<CancelledMessages> {
    return this.#cancellations.cancelAll(deviceId, filter, options)
  }

  replay(messageId: number, options: ReplayChange): Promise<Replay | null> {
    return this.#replays.replay(messageId, options)
  }

  replayAll(filter: ReplayFilter, options: ReplayAllChanges): Promise<ReplayedMessages> {
    return this.#replays.replayAll(filter, options)
  }

  async sendFailed(messageId: number): Promise<Transitioned | null> {
    const nowMs = this.#pending.clock.wallMs()
    const failed = await this.#writer.write(() => {
      const message = this.#moves.find(messageId, nowMs)
      return this.#moves.make(message, 'dispatchFailed', { by: null, nowMs }) ? message : null
    })
    return failed && this.#pending.transitioned(messageId, failed.deviceId, 'dispatchFailed')
  }

  setBusy(deviceId: string, forMs: number): Promise<void> {
    return this.#busyPauses.set(deviceId, forMs)
  }

  busyDevices(): Map<string, number> {
    return this.#busyPauses.all()
  }

  changeService(changes: readonly ServiceChange[]): Promise<ServiceOutcome[]> {
    return this.#services.change(changes)
  }

  devicesOutOfService(): Map<string, DeviceService> {
    return this.#services.all()
  }

  expire(limit: number): Promise<Expiry> {
    return this.#expiries.expire(limit)
  }

  async status(messageId: number): Promise<Status | null> {
    return (await this.#writer.readSynced(() => this.#status.get(messageId))) ?? null
  }

  async parties(messageId: number): Promise<MessageParties | null> {
    return this.#writer.read(() => this.#parties.get(messageId)) ?? null
  }

  pendingDevices(): Iterable<string> {
    return this.#pending.queues.devices()
  }

  deviceSettings(): Map<string, DeviceSettings> {
    return this.#deviceSettings.all()
  }

  async changeDeviceSettings(
    deviceId: string,
    settings: DeviceSettings,
    audit: AuditEntry | null = null,
  ): Promise<void> {
    await this.#deviceSettings.replace(deviceId, settings, audit)
    this.#pending.report({ is: 'settings', deviceId, settings })
  }

  watch(listener: StoreListener): () => void {
    return this.#pending.watch(listener)
  }

  async purge(changedBeforeMs: number): Promise<number> {
    try {
      return await this.#purge.run(changedBeforeMs)
    } finally {
      this.#finishDeadlines.purged()
    }
  }

  purgeSubmissions(usedBeforeMs: number): Promise<number> {
    return this.#purge.submissions(usedBeforeMs)
  }

  async newestMs(): Promise<number | null> {
    return this.#purge.newestMs()
  }
}
