/** Collects the facts from which alerts are derived. Decides nothing. */

import type { StoreStats } from '../contract/store-stats.ts'
import type { DeafDevices } from '../engine/deaf-devices.ts'
import type { DispatchPauses } from '../engine/dispatch-pauses.ts'
import type { RefusedAnswers } from '../engine/refused-answers.ts'
import type { UnansweredMessages } from '../engine/unanswered-messages.ts'
import { type AlertStore, withoutDevices } from './alert-store.ts'
import { ALERT_LIMITS, type AlertSources } from './alerts.ts'
import type { Presence } from './presence.ts'
import type { RejectionLog } from './rejection-log.ts'
import type { SilentDevices } from './silent-devices.ts'

export interface AlertFactsOptions {
  readonly store: StoreStats
  readonly presence: Pick<Presence, 'of'>
  readonly rejections: Pick<RejectionLog, 'all'>
  readonly silent: Pick<SilentDevices, 'at'>
  readonly deaf: Pick<DeafDevices, 'all'>
  readonly pauses: Pick<DispatchPauses, 'devicesWithoutSignals'>
  readonly unanswered: Pick<UnansweredMessages, 'withAttempts'>
  readonly refusedAnswers: Pick<RefusedAnswers, 'withCount'>
  /** Returns the time by which the clock is behind the newest message, while this stops the deadlines; else null. */
  readonly clockBehindMs: () => number | null
  /** Returns the number of devices that may use each other's queues; null for none. */
  readonly openQueueClients: () => number | null
}

export type AlertFacts = AlertSources & { readonly store: AlertStore }

/** Collects the facts, without those of devices out of service. */
export async function alertFacts(options: AlertFactsOptions, nowMs: number): Promise<AlertFacts> {
  const { store } = options
  const without = options.pauses.devicesWithoutSignals()
  const isJudged = ({ deviceId }: { readonly deviceId: string }): boolean => !without.has(deviceId)
  return {
    store: withoutDevices(store, without),
    space: await store.space(),
    clockBehindMs: options.clockBehindMs(),
    unanswered: options.unanswered.withAttempts(ALERT_LIMITS.unanswered).filter(isJudged),
    deaf: options.deaf.all().filter(isJudged),
    refusedAnswers: options.refusedAnswers
      .withCount(ALERT_LIMITS.refusedAnswers, nowMs - ALERT_LIMITS.failedMs)
      .filter(isJudged),
    silent: (await options.silent.at(nowMs)).filter(isJudged),
    rejections: await options.rejections.all(),
    openQueueClients: options.openQueueClients(),
    nowMs,
  }
}
