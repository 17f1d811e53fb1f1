/** Reads the alerts, and acknowledges them. */
import type { components, LiveEvent } from '../../client/index.ts'
import { openAlerts } from './alert-count.ts'
import type { BulkMessages } from './bulk.ts'
import { nowMs } from './clock.ts'
import { isStreamStart } from './live.ts'
import { call, callPage } from './session.ts'

export type Alert = components['schemas']['Alert']
export type Alerts = components['schemas']['Alerts']

export async function loadAlerts(): Promise<Alerts> {
  const alerts = await call((api) =>
    api.GET('/admin/api/alerts', { params: { query: { limit: 500, details: true } } }),
  )
  openAlerts.value = alerts.open
  return alerts
}

/** Returns whether an event may change the alerts. */
export function concernsAlerts(event: LiveEvent): boolean {
  return event.event === 'alert' || isStreamStart(event)
}

/** Acknowledges an alert. @throws {RequestError} 404: the alert is over */
export async function acknowledgeAlert(key: string): Promise<void> {
  const params = { path: { key } }
  await call((api) => api.PUT('/admin/api/alerts/{key}/acknowledgement', { params, body: {} }))
}

export async function reopenAlert(key: string): Promise<void> {
  const params = { path: { key } }
  await call((api) => api.DELETE('/admin/api/alerts/{key}/acknowledgement', { params }))
}

/** Causes of failures with their own alert, beside FAILED. */
const OWN_ALERTS: readonly unknown[] = ['NOT_ACKNOWLEDGED', 'NOT_FINISHED']

/** Returns the messages of a failure alert: by their ids, or by a filter if there are too many. */
export async function failedMessages({ deviseId, sinceDate }: Alert): Promise<BulkMessages> {
  const filter = {
    deviseId: [deviseId ?? ''],
    outcome: 'FAILED' as const,
    resent: false,
    ...(sinceDate !== null && { changedFrom: sinceDate }),
  }
  const query = { ...filter, limit: 500, details: true }
  const { items, next } = await callPage<{ id: number; cause?: unknown }>((api) =>
    api.GET('/admin/api/messages', { params: { query } }),
  )
  if (next !== null) return { filter }
  return { ids: items.filter(({ cause }) => !OWN_ALERTS.includes(cause)).map(({ id }) => id) }
}

/** Returns the messages of an alert about parked commands. */
export function parkedMessages({ deviseId, sinceDate }: Alert): BulkMessages {
  const parked = { deviseId: [deviseId ?? ''], cause: 'NOT_ACKNOWLEDGED' as const }
  return { filter: { ...parked, ...(sinceDate !== null && { changedFrom: sinceDate }) } }
}

/** Returns how long a condition has lasted, in milliseconds. */
export const lastsMs = (since: number | null): number => Math.max(0, nowMs.value - (since ?? nowMs.value))
