/** Combines the verbs for messages into the storage contract. */
import type { AuditEntry } from '../../../audit/audit.ts'
import type { AttemptRules, EndedAttempt, Head } from '../../../broker/contract/device-lease.ts'
import type { ServiceChange } from '../../../broker/contract/device-service.ts'
import type {
  Acknowledgement,
  CancelChange,
  CancelFilter,
  LastAttempt,
  ManyChanges,
  MessageStore,
  QueueLimits,
  ReplayAllChanges,
  ReplayChange,
  ReplayFilter,
} from '../../../broker/contract/store.ts'
import type { StoreListener } from '../../../broker/contract/store-listeners.ts'
import type { DeviceSettings } from '../../../broker/vocabulary/device-settings.ts'
import type { NewMessage } from '../../../broker/vocabulary/message.ts'
import type { PostgresParts } from '../parts.ts'
import { DeviceSettingsTable } from '../records/device-settings.ts'
import { AcknowledgementVerbs } from './acknowledge.ts'
import { CancelVerbs } from './cancel.ts'
import { DeadlineVerbs } from './deadlines.ts'
import { DeviceServiceTable } from './device-service.ts'
import { Enqueues } from './enqueue.ts'
import { DispatchVerbs } from './leases.ts'
import { Lookups } from './lookups.ts'
import { PollVerbs } from './polls.ts'
import { Purges } from './purge.ts'
import { ReplayVerbs } from './replay.ts'
import { UnsentMessages } from './unsent-messages.ts'

export class PostgresMessages implements MessageStore {
  readonly #parts: PostgresParts
  readonly #enqueues: Enqueues
  readonly #dispatches: DispatchVerbs
  readonly #polls: PollVerbs
  readonly #unsent: UnsentMessages
  readonly #acknowledgements: AcknowledgementVerbs
  readonly #cancellations: CancelVerbs
  readonly #replays: ReplayVerbs
  readonly #deadlines: DeadlineVerbs
  readonly #services: DeviceServiceTable
  readonly #settings: DeviceSettingsTable
  readonly #lookups: Lookups
  readonly #purges: Purges

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.#enqueues = new Enqueues(parts)
    this.#unsent = new UnsentMessages(parts)
    this.#dispatches = new DispatchVerbs(parts, this.#unsent)
    this.#polls = new PollVerbs(parts, this.#unsent)
    this.#acknowledgements = new AcknowledgementVerbs(parts)
    this.#cancellations = new CancelVerbs(parts)
    this.#replays = new ReplayVerbs(parts)
    this.#deadlines = new DeadlineVerbs(parts)
    this.#services = new DeviceServiceTable(parts)
    this.#settings = new DeviceSettingsTable(parts)
    this.#lookups = new Lookups(parts)
    this.#purges = new Purges(parts)
  }

  enqueue(message: NewMessage, limits: QueueLimits, audit: AuditEntry | null = null) {
    return this.#enqueues.enqueue(message, limits, audit)
  }

  attach(deviceId: string, transport: string) {
    return this.#dispatches.attach(deviceId, transport)
  }

  line(deviceId: string) {
    return this.#polls.line(deviceId)
  }

  head(deviceId: string) {
    return this.#polls.head(deviceId)
  }

  take(deviceId: string, head: Head, rules: AttemptRules) {
    return this.#polls.take(deviceId, head, rules)
  }

  takeFirst(deviceId: string, rules: AttemptRules) {
    return this.#polls.takeFirst(deviceId, rules)
  }

  endAttempt(deviceId: string, ended: EndedAttempt) {
    return this.#unsent.endAttempt(deviceId, ended)
  }

  openAttempts() {
    return this.#lookups.openAttempts()
  }

  park(deviceId: string, last: LastAttempt) {
    return this.#unsent.park(deviceId, last)
  }

  acknowledge(acknowledgement: Acknowledgement) {
    return this.#acknowledgements.acknowledge(acknowledgement)
  }

  refuseAnswer(deviceId: string, reason: string) {
    return this.#dispatches.refuseAnswer(deviceId, reason)
  }

  cancel(messageId: number, options: CancelChange) {
    return this.#cancellations.cancel(messageId, options)
  }

  cancelAll(deviceId: string, filter: CancelFilter, options: ManyChanges) {
    return this.#cancellations.cancelAll(deviceId, filter, options)
  }

  replay(messageId: number, options: ReplayChange) {
    return this.#replays.replay(messageId, options)
  }

  replayAll(filter: ReplayFilter, options: ReplayAllChanges) {
    return this.#replays.replayAll(filter, options)
  }

  sendFailed(messageId: number) {
    return this.#unsent.sendFailed(messageId)
  }

  setBusy(deviceId: string, forMs: number) {
    return this.#dispatches.setBusy(deviceId, forMs)
  }

  busyDevices() {
    return this.#dispatches.busyDevices()
  }

  changeService(changes: readonly ServiceChange[]) {
    return this.#services.change(changes)
  }

  devicesOutOfService() {
    return this.#services.all()
  }

  expire(limit: number) {
    return this.#deadlines.expire(limit)
  }

  status(messageId: number) {
    return this.#lookups.status(messageId)
  }

  parties(messageId: number) {
    return this.#lookups.parties(messageId)
  }

  pendingDevices() {
    return this.#lookups.pendingDevices()
  }

  deviceSettings() {
    return this.#settings.all()
  }

  changeDeviceSettings(deviceId: string, settings: DeviceSettings, audit: AuditEntry | null = null) {
    return this.#settings.change(deviceId, settings, audit)
  }

  watch(listener: StoreListener): () => void {
    return this.#parts.events.watch(listener)
  }

  purge(changedBeforeMs: number) {
    return this.#purges.purge(changedBeforeMs)
  }

  purgeSubmissions(usedBeforeMs: number) {
    return this.#purges.purgeSubmissions(usedBeforeMs)
  }

  newestMs() {
    return this.#lookups.newestMs()
  }
}
