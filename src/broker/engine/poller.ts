/** Answers plain polls, which never wait: the rules that decide whether a poll begins an attempt. Knows no HTTP. */
import type { Log } from '../../process/log.ts'
import type { AttemptRules, Head, LineState, OpenAttempt, Taken } from '../contract/device-lease.ts'
import type { MaybePromise, MessageStore, Transitioned } from '../contract/store.ts'
import {
  attemptDurations,
  attemptMsOf,
  attemptRulesOf,
  type IsLast,
  type Park,
  type TimedOut,
} from '../vocabulary/attempts.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../vocabulary/device-settings.ts'
import { type DispatchedMessage, toDispatchedMessage } from '../vocabulary/message.ts'
import type { AttemptTimer } from './attempt-timer.ts'
import type { DeafDevices } from './deaf-devices.ts'
import type { DeviceSettingsCache } from './device-settings-cache.ts'
import type { DispatchPauses } from './dispatch-pauses.ts'
import { LineCheck } from './line-check.ts'

export interface PollerOptions {
  readonly messages: Pick<MessageStore, 'head' | 'take' | 'takeFirst' | 'line'>
  readonly deviceSettings: Pick<DeviceSettingsCache, 'of'>
  readonly pauses: Pick<DispatchPauses, 'forMs'>
  readonly deaf: Pick<DeafDevices, 'isDeaf'>
  readonly attempts: Pick<AttemptTimer, 'add'>
  readonly isLast: IsLast
  readonly timedOut: TimedOut
  readonly park: Park
  readonly announce: (change: Transitioned) => void
  readonly attemptMs: number
  readonly clock: Clock
  readonly log: Pick<Log, 'debug'>
}

/** Maximum devices whose new messages are known. Without this knowledge a poll makes one call more. */
const MAX_FRESH = 10_000
/** Maximum reads of the queue by one poll. Each further read follows a change by another call. */
const MAX_LOOKS = 100

/** Performs plain polls. If the store answers synchronously, a poll creates no promise and no closure. */
export class Poller {
  readonly #options: PollerOptions
  readonly #check: LineCheck
  /** Devices that got a message since their latest poll, the oldest first, if the store has `takeFirst`. */
  readonly #fresh = new Set<string>()
  /** Rules of an attempt, by whether the device is paced and deaf. */
  readonly #plain: AttemptRules
  readonly #paced: AttemptRules
  readonly #deaf: AttemptRules
  readonly #pacedDeaf: AttemptRules

  constructor(options: PollerOptions) {
    this.#options = options
    this.#check = new LineCheck(options.clock)
    const durationsMs = attemptDurations(options.attemptMs)
    this.#plain = attemptRulesOf(durationsMs, false, false)
    this.#paced = attemptRulesOf(durationsMs, true, false)
    this.#deaf = attemptRulesOf(durationsMs, false, true)
    this.#pacedDeaf = attemptRulesOf(durationsMs, true, true)
  }

  /**
   * Returns the oldest message that may be dispatched; null without one. While an attempt runs, the poll joins it and
   * returns the same message again. A poll after the end of an attempt ends it; after the last attempt the poll parks
   * the message.
   *
   * @throws {BrokerError} storage-busy, storage-full, storage-failed; thrown at once or as a rejection
   */
  poll(deviceId: string): MaybePromise<DispatchedMessage | null> {
    return this.#fresh.delete(deviceId) ? this.#takeFirst(deviceId) : this.#look(deviceId, 1)
  }

  /** Notes that a device got a message, so its next poll probably takes one. For a store with `takeFirst` only. */
  added(deviceId: string): void {
    this.#fresh.add(deviceId)
    const [oldest] = this.#fresh
    if (oldest !== undefined && this.#fresh.size > MAX_FRESH) this.#fresh.delete(oldest)
  }

  async #takeFirst(deviceId: string): Promise<DispatchedMessage | null> {
    const { messages, pauses, deviceSettings } = this.#options
    const rules = this.#rulesOf(deviceId, false)
    const isHeld = pauses.forMs(deviceId) > 0 || holdsPolls(deviceSettings.of(deviceId))
    const taken = isHeld ? null : await messages.takeFirst?.(deviceId, rules)
    return taken ? this.#taken(deviceId, null, 1, rules, taken) : this.#look(deviceId, 1)
  }

  #look(deviceId: string, looks: number): MaybePromise<DispatchedMessage | null> {
    const { pauses, messages } = this.#options
    if (looks > MAX_LOOKS || pauses.forMs(deviceId) > 0) return null
    const head = messages.head(deviceId)
    if (head instanceof Promise) return head.then((each) => this.#decide(deviceId, each, looks))
    return this.#decide(deviceId, head, looks)
  }

  #decide(deviceId: string, head: Head | null, looks: number): MaybePromise<DispatchedMessage | null> {
    if (head === null) return null
    const { deviceSettings, clock, isLast, park } = this.#options
    const { message, attempt } = head
    if (attempt !== null && attempt.runningMs > 0) {
      this.#logDispatch(deviceId, message.id)
      return toDispatchedMessage(message, attempt, clock.wallMs())
    }
    if (attempt !== null && isLast(deviceId, attempt)) {
      const { messageId, number, maxAttempts } = attempt
      return park(deviceId, messageId, number, maxAttempts !== null).then(() =>
        this.#look(deviceId, looks + 1),
      )
    }
    const settings = deviceSettings.of(deviceId)
    if (settings === GENERAL_SETTINGS || !holdsPolls(settings)) {
      return this.#take(deviceId, head, looks, false)
    }
    const line = this.#options.messages.line(deviceId)
    if (line instanceof Promise) {
      return line.then((each) => this.#takeUnlessHeld(deviceId, head, looks, settings, each))
    }
    return this.#takeUnlessHeld(deviceId, head, looks, settings, line)
  }

  #takeUnlessHeld(
    deviceId: string,
    head: Head,
    looks: number,
    settings: DeviceSettings,
    line: LineState,
  ): MaybePromise<DispatchedMessage | null> {
    const intervalMs = settings.sendMessagePeriodMs ?? 0
    if (this.#check.isHeld(deviceId, line, intervalMs, settings.nextAfter === 'COMPLETED')) return null
    return this.#take(deviceId, head, looks, intervalMs > 0)
  }

  #take(deviceId: string, head: Head, looks: number, paced: boolean): MaybePromise<DispatchedMessage | null> {
    const rules = this.#rulesOf(deviceId, paced)
    const taken = this.#options.messages.take(deviceId, head, rules)
    const { attempt } = head
    if (taken instanceof Promise)
      return taken.then((each) => this.#taken(deviceId, attempt, looks, rules, each))
    return this.#taken(deviceId, attempt, looks, rules, taken)
  }

  #rulesOf(deviceId: string, paced: boolean): AttemptRules {
    if (this.#options.deaf.isDeaf(deviceId)) return paced ? this.#pacedDeaf : this.#deaf
    return paced ? this.#paced : this.#plain
  }

  #taken(
    deviceId: string,
    ended: OpenAttempt | null,
    looks: number,
    { durationsMs }: AttemptRules,
    taken: Taken | null,
  ): MaybePromise<DispatchedMessage | null> {
    // The message left its queue, or another poll took it, between the two calls.
    if (taken === null) return this.#look(deviceId, looks + 1)
    const { attempts, timedOut, announce } = this.#options
    const { message, transition } = taken
    if (ended !== null) timedOut(deviceId, ended.messageId, ended)
    if (transition) announce(transition)
    else attempts.add(deviceId, message, attemptMsOf(durationsMs, message.counted))
    this.#logDispatch(deviceId, message.id)
    return message
  }

  #logDispatch(deviceId: string, messageId: number): void {
    this.#options.log.debug({ messageId, deviceId }, 'message dispatched')
  }
}

/** Returns whether the settings of a device hold polls, so that a poll reads the state of the line. */
function holdsPolls({ sendMessagePeriodMs, nextAfter }: DeviceSettings): boolean {
  return (sendMessagePeriodMs ?? 0) > 0 || nextAfter === 'COMPLETED'
}
