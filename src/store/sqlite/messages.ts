/**
 * Stores messages in SQLite. Every change is one statement that names the statuses from which it may start. The queues
 * are in memory, so that a head and a claim need no promise.
 */

import type { Database, Statement } from 'better-sqlite3'
import type { Clock } from '../../broker/clock.ts'
import type { DeviceSettings } from '../../broker/device-settings.ts'
import {
  DEVICE_FIELDS,
  type MessageParties,
  type MessageRecord,
  type NewMessage,
  type PendingMessage,
  type ReplyTo,
  replyToOf,
  toPendingMessage,
} from '../../broker/message.ts'
import type { AckStatus, Status } from '../../broker/status.ts'
import type {
  Acknowledgement,
  DeviceLease,
  Enqueued,
  MessageStore,
  Outcome,
  QueueLimits,
  Soon,
  StoreEvent,
  StoreOptions,
  Taken,
  Transitioned,
} from '../../broker/store.ts'
import { SqliteDeviceSettings } from './device-settings.ts'
import { Dispatches } from './dispatches.ts'
import { Enqueuer } from './enqueue.ts'
import { selected } from './message-columns.ts'
import type { TermsOfPending } from './pending-terms.ts'
import type { PollTimestamps } from './poll-timestamps.ts'
import { Purge } from './purge.ts'
import type { Queues } from './queues.ts'
import { RecentMessages } from './recent-messages.ts'
import { Transitions } from './transitions.ts'
import type { Writer } from './writer.ts'

/** The fields of a row that a dispatch and its notifications need. */
const ROW_FIELDS = [...DEVICE_FIELDS, 'deviceId', 'correlationId', 'producerId'] as const
type Row = Pick<MessageRecord, (typeof ROW_FIELDS)[number]>

const PARTY_FIELDS = ['deviceId', 'senderId', 'producerId'] as const satisfies (keyof MessageParties)[]

interface Parts {
  readonly writer: Writer
  /** All pending messages. */
  readonly queues: Queues
  readonly pollTimestamps: PollTimestamps
  readonly clock: Clock
  readonly terms: TermsOfPending
}

/** Keeps the queues in memory and the table `messages` in step. */
export class SqliteMessages implements MessageStore {
  readonly #writer: Writer
  readonly #queues: Queues
  readonly #pollTimestamps: PollTimestamps
  readonly #clock: Clock
  readonly #terms: TermsOfPending
  readonly #recent = new RecentMessages()
  readonly #listeners = new Set<(event: StoreEvent) => void>()
  readonly #byId: Statement<[id: number], Row>
  readonly #status: Statement<[id: number], Status>
  readonly #parties: Statement<[id: number], MessageParties>
  readonly #statusFor: Statement<[id: number, deviceId: string], Status>
  readonly #cancellable: Statement<[id: number], { deviceId: string; command: string; status: Status }>
  readonly #transitions: Transitions
  readonly #dispatches: Dispatches
  readonly #deviceSettings: SqliteDeviceSettings
  readonly #purge: Purge
  readonly #enqueuer: Enqueuer

  /** @param db connection for reads */
  constructor(db: Database, { writer, queues, pollTimestamps, clock, terms }: Parts, options: StoreOptions) {
    this.#writer = writer
    this.#queues = queues
    this.#pollTimestamps = pollTimestamps
    this.#clock = clock
    this.#terms = terms
    this.#byId = db.prepare(`SELECT ${selected(ROW_FIELDS)} FROM messages WHERE id = ?`)
    this.#status = db.prepare<[number], Status>('SELECT status FROM messages WHERE id = ?').pluck()
    this.#parties = db.prepare(`SELECT ${selected(PARTY_FIELDS)} FROM messages WHERE id = ?`)
    this.#statusFor = db
      .prepare<[number, string], Status>('SELECT status FROM messages WHERE id = ? AND device_id = ?')
      .pluck()
    this.#cancellable = db.prepare('SELECT device_id AS deviceId, command, status FROM messages WHERE id = ?')
    this.#transitions = new Transitions(writer)
    this.#dispatches = new Dispatches(
      db,
      {
        ...{ writer, queues, clock, transitions: this.#transitions },
        head: (deviceId) => this.head(deviceId),
        sent: (deviceId, messageId) => this.#sent(deviceId, messageId),
      },
      options,
    )
    this.#deviceSettings = new SqliteDeviceSettings(db, writer)
    this.#purge = new Purge(db, writer)
    this.#enqueuer = new Enqueuer(db, {
      ...{ writer, queues, terms, recent: this.#recent, transitions: this.#transitions, clock },
      superseded: (messageId, deviceId) => this.#transitioned(messageId, deviceId, 'CANCELLED'),
      remove: (deviceId, messageId) => this.#remove(deviceId, messageId),
      report: (event) => this.#report(event),
    })
  }

  /** Id of the newest durable message; 0 when there is none. */
  get newest(): number {
    return this.#enqueuer.durableId
  }

  enqueue(message: NewMessage, limits: QueueLimits): Promise<Enqueued> {
    return this.#enqueuer.enqueue(message, limits)
  }

  attach(deviceId: string, transport: string): DeviceLease {
    return this.#dispatches.attach(deviceId, transport)
  }

  head(deviceId: string): PendingMessage | null {
    const id = this.#queues.head(deviceId)
    if (id === null || id > this.#enqueuer.durableId) return null
    return this.#message(id)
  }

  take(deviceId: string, { id, guarantee }: PendingMessage): Soon<Taken | null> {
    if (guarantee === 'NO') return this.#takeOnce(deviceId, id)
    if (!this.#queues.markDispatched(deviceId, id)) return null
    const atMs = this.#clock.wallMs()
    if (this.#queues.markPolled(deviceId, id)) this.#pollTimestamps.add(id, atMs)
    return { atMs, transition: null }
  }

  async #takeOnce(deviceId: string, id: number): Promise<Taken | null> {
    if (!this.#queues.beginSettling(deviceId, id)) return null
    const atMs = this.#clock.wallMs()
    try {
      const [changes] = await this.#writer.write([this.#transitions.send(id, atMs)])
      return changes === 0 ? null : { atMs, transition: this.#sent(deviceId, id) }
    } finally {
      this.#settled(deviceId, id)
    }
  }

  /** Removes a NO message, which is DELIVERED now, from its queue. */
  #sent(deviceId: string, id: number): Transitioned {
    const transition = this.#transitioned(id, deviceId, 'DELIVERED')
    this.#remove(deviceId, id)
    return transition
  }

  acknowledge({ deviceId, messageId, status, by }: Acknowledgement): Promise<Outcome | null> {
    const atMs = this.#clock.wallMs()
    const polledAtMs = this.#pollTimestamps.at(messageId)
    const op = this.#transitions.acknowledge(status, { id: messageId, deviceId, by, atMs, polledAtMs })
    const settles = this.#queues.beginSettling(deviceId, messageId)
    const acknowledged = this.#writer.write([op]).then(
      ([changes]) => this.#acknowledged(deviceId, messageId, status, changes !== 0, settles),
      (error: unknown) => {
        if (settles) this.#settled(deviceId, messageId)
        throw error
      },
    )
    // The event precedes the sync, so that the device receives its next message during the sync.
    if (settles) this.#report({ is: 'removed', deviceId, messageId })
    return acknowledged
  }

  #acknowledged(
    deviceId: string,
    messageId: number,
    status: AckStatus,
    applied: boolean,
    settles: boolean,
  ): Outcome | null | Promise<Outcome | null> {
    const transition = applied ? this.#transitioned(messageId, deviceId, status) : null
    if (applied) this.#forget(deviceId, messageId)
    if (settles) this.#settled(deviceId, messageId)
    return transition ? { status, transition } : this.#unchanged(messageId, deviceId)
  }

  async #unchanged(messageId: number, deviceId: string): Promise<Outcome | null> {
    const status = await this.#writer.readSynced(() => this.#statusFor.get(messageId, deviceId))
    return status === undefined ? null : { status, transition: null }
  }

  async cancel(messageId: number, by: string | null): Promise<Outcome | null> {
    const row = this.#read(this.#cancellable, messageId)
    if (!row) return null
    const { deviceId, command, status } = row
    // The entry is withdrawn before the write, so that the device does not receive the message during the write.
    if (!this.#queues.withdraw(deviceId, messageId)) return { status, transition: null }
    const restore = (): void => {
      this.#queues.restore(deviceId, messageId, command)
      this.#report({ is: 'added', deviceId })
    }
    try {
      const [changes] = await this.#writer.write([
        this.#transitions.cancel(messageId, by, this.#clock.wallMs()),
      ])
      const current = changes === 0 ? (this.#read(this.#status, messageId) as Status) : 'CANCELLED'
      if (current === 'NOT_DELIVERED') restore()
      if (changes === 0) return { status: current, transition: null }
    } catch (error) {
      restore()
      throw error
    }
    const transition = this.#transitioned(messageId, deviceId, 'CANCELLED')
    this.#remove(deviceId, messageId)
    return { status: 'CANCELLED', transition }
  }

  async sendFailed(messageId: number): Promise<Transitioned | null> {
    const [changes] = await this.#writer.write([
      this.#transitions.sendFailed(messageId, this.#clock.wallMs()),
    ])
    if (changes === 0) return null
    const { deviceId } = this.#read(this.#byId, messageId) as Row
    return this.#transitioned(messageId, deviceId, 'UNKNOWN')
  }

  async status(messageId: number): Promise<Status | null> {
    return (await this.#writer.readSynced(() => this.#status.get(messageId))) ?? null
  }

  async parties(messageId: number): Promise<MessageParties | null> {
    return this.#read(this.#parties, messageId) ?? null
  }

  deviceSettings(): Map<string, DeviceSettings> {
    return this.#deviceSettings.all()
  }

  async changeDeviceSettings(deviceId: string, settings: DeviceSettings): Promise<void> {
    await this.#deviceSettings.replace(deviceId, settings)
    this.#report({ is: 'settings', deviceId, settings })
  }

  watch(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  purge(changedBeforeMs: number): Promise<number> {
    return this.#purge.run(changedBeforeMs)
  }

  purgeSubmissions(usedBeforeMs: number): Promise<number> {
    return this.#purge.submissions(usedBeforeMs)
  }

  async newestMs(): Promise<number | null> {
    return this.#purge.newestMs()
  }

  /** Reads a message that is about to be dispatched, and keeps it for the notification that follows. */
  #message(id: number): PendingMessage | null {
    const recent = this.#recent.get(id)
    if (recent) return recent.message
    const row = this.#read(this.#byId, id)
    if (!row) return null
    const message = toPendingMessage(id, row)
    this.#recent.add(message, replyToOf(row), this.#terms.get(id)?.details ?? false)
    return message
  }

  #transitioned(messageId: number, deviceId: string, status: Status): Transitioned {
    return { messageId, deviceId, status, replyTo: this.#replyTo(messageId) }
  }

  #replyTo(id: number): ReplyTo | null {
    const recent = this.#recent.get(id)
    if (recent) return recent.replyTo
    const row = this.#read(this.#byId, id)
    return row ? replyToOf(row) : null
  }

  /** Ends the change that made an entry settling. An entry that stays in its queue may be the head again. */
  #settled(deviceId: string, messageId: number): void {
    this.#queues.endSettling(messageId)
    if (this.#listeners.size > 0 && this.#queues.has(deviceId, messageId))
      this.#report({ is: 'added', deviceId })
  }

  /** Removes a message from its queue and reports the removal. */
  #remove(deviceId: string, messageId: number): void {
    this.#forget(deviceId, messageId)
    this.#report({ is: 'removed', deviceId, messageId })
  }

  /** Removes a message from all memory. */
  #forget(deviceId: string, messageId: number): void {
    this.#queues.remove(deviceId, messageId)
    this.#pollTimestamps.drop(messageId)
    this.#recent.release(messageId)
  }

  #report(event: StoreEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #read<P extends unknown[], R>(statement: Statement<P, R>, ...parameters: P): R | undefined {
    return this.#writer.read(() => statement.get(...parameters))
  }
}
