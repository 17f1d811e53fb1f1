/** Lists the current alerts and the acknowledgements of people. Knows neither HTTP nor SQL. */
import { entryOf } from '../../audit/actor.ts'
import type { Actor } from '../../audit/audit.ts'
import { ACK_MS, type AlertAck, type AlertAckStore } from '../contract/alert-acks.ts'
import type { CoveredSignal, IncidentStore } from '../contract/incident-store.ts'
import type { MessageLog } from '../contract/message-log.ts'
import { BrokerError } from '../vocabulary/errors.ts'
import { type AlertFactsOptions, alertFacts } from './alert-facts.ts'
import { type AlertGroup, findAlertGroups } from './alert-groups.ts'

/** Current alert with its acknowledgement; null while it is open. */
export interface ListedAlert extends AlertGroup {
  readonly acknowledged: AlertAck | null
}

export interface ListedAlerts {
  /** Number of all open alerts, and of all acknowledged alerts. */
  readonly open: number
  readonly acknowledged: number
  /** Alerts that match the filter, most urgent first. */
  readonly items: readonly ListedAlert[]
}

export interface AlertFilter {
  /** False selects open alerts only, true acknowledged alerts only. */
  readonly isAcknowledged?: boolean | undefined
  readonly limit: number
}

export interface AlertListOptions {
  readonly facts: AlertFactsOptions
  readonly acks: AlertAckStore
  readonly incidents: Pick<IncidentStore, 'covered' | 'openSignals'>
  readonly messages: Pick<MessageLog, 'get'>
  readonly now: () => number
}

export class AlertList {
  readonly #options: AlertListOptions
  readonly #listeners = new Set<() => void>()

  constructor(options: AlertListOptions) {
    this.#options = options
  }

  async list({ isAcknowledged, limit }: AlertFilter): Promise<ListedAlerts> {
    const all = await this.present()
    const acknowledged = all.filter((each) => each.acknowledged !== null).length
    const accepted =
      isAcknowledged === undefined
        ? all
        : all.filter((each) => (each.acknowledged !== null) === isAcknowledged)
    const items = await Promise.all(accepted.slice(0, limit).map((each) => this.#withCommand(each)))
    return { open: all.length - acknowledged, acknowledged, items }
  }

  /** Returns the ids of the incidents that have not ended, by the keys of their alerts. */
  async incidentIds(): Promise<ReadonlyMap<string, number>> {
    const signals = await this.#options.incidents.openSignals()
    return new Map(signals.map((signal) => [alertKeyOf(signal), signal.incidentId]))
  }

  /** Returns all current alerts. The command of some is missing. */
  async present(): Promise<ListedAlert[]> {
    const { facts, acks, incidents, now } = this.#options
    const nowMs = now()
    const groups = await findAlertGroups(await alertFacts(facts, nowMs))
    const byKey = new Map((await acks.all()).map((ack) => [ack.key, ack]))
    const covered = new Map((await incidents.covered()).map((signal) => [alertKeyOf(signal), signal.ack]))
    return groups.map((group) => {
      const ack = byKey.get(group.key)
      if (ack && isInForce(ack, group, nowMs)) return { ...group, acknowledged: ack }
      const ofIncident = covered.get(group.key)
      if (ofIncident === undefined) return { ...group, acknowledged: null }
      const { by, atMs, note } = ofIncident
      return { ...group, acknowledged: { key: group.key, by, atMs, note, count: group.count } }
    })
  }

  /**
   * Acknowledges a current alert, or replaces its acknowledgement.
   *
   * @throws {BrokerError} unknown-alert
   */
  async acknowledge(key: string, note: string | null, by: Actor): Promise<void> {
    const { kind, count } = await this.#find(key)
    const audit = entryOf(by, 'alert.acknowledge', key, { kind, count, note })
    await this.#options.acks.put({ key, by: by.clientId, count, note }, audit)
    this.#notify()
  }

  /** Removes the acknowledgement of a current alert. @throws {BrokerError} unknown-alert */
  async reopen(key: string, by: Actor): Promise<void> {
    const { kind } = await this.#find(key)
    await this.#options.acks.remove(key, entryOf(by, 'alert.reopen', key, { kind }))
    this.#notify()
  }

  /** Calls the listener after each change of an acknowledgement. Returns a function that unsubscribes. */
  onAcknowledge(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #find(key: string): Promise<ListedAlert> {
    const found = (await this.present()).find((each) => each.key === key)
    if (found) return found
    throw new BrokerError('unknown-alert', `There is no alert "${key}" now.`, undefined, { key })
  }

  async #withCommand(alert: ListedAlert): Promise<ListedAlert> {
    const { command, messageId } = alert
    if (command !== null || messageId === null) return alert
    const message = await this.#options.messages.get(messageId)
    return { ...alert, command: message?.command ?? null }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

/**
 * Returns the key of the alert that a signal is part of. An alert joins the commands of a device. Refused logins are
 * those of an address, also if all had the name of one client.
 */
function alertKeyOf({ kind, key, deviceId }: Pick<CoveredSignal, 'kind' | 'key' | 'deviceId'>): string {
  return deviceId === null || kind === 'LOGIN_REFUSED' ? key : `${kind}:${deviceId}`
}

/**
 * Returns whether an acknowledgement is still in force. It ends after a day, when the number of the alert has doubled,
 * and when the condition ended meanwhile and began again.
 */
function isInForce(
  { atMs, count: before }: AlertAck,
  { sinceMs, count }: AlertGroup,
  nowMs: number,
): boolean {
  if (nowMs - atMs >= ACK_MS || (sinceMs !== null && sinceMs > atMs)) return false
  return before === null || count === null || count < 2 * before
}
