/** Reads the alerts, and acknowledges them. */
import type { components, LiveEvent } from '../../client/index.ts'
import { openAlerts } from './alert-count.ts'
import { nowMs } from './clock.ts'
import { isStreamStart } from './live.ts'
import { call } from './session.ts'

export type Alert = components['schemas']['Alert']
export type Alerts = components['schemas']['Alerts']

export async function loadAlerts(): Promise<Alerts> {
  const alerts = await call((api) => api.GET('/admin/api/alerts', { params: { query: { limit: 500 } } }))
  openAlerts.value = alerts.open
  return alerts
}

/** Tells whether an event may change the alerts. */
export function concernsAlerts(event: LiveEvent): boolean {
  return event.event === 'alert' || isStreamStart(event)
}

/** Acknowledges an alert. @throws {RequestError} 404: the alert is over */
export async function acknowledgeAlert(key: string): Promise<void> {
  const params = { path: { key } }
  await call((api) => api.PUT('/admin/api/alerts/{key}/acknowledgement', { params, body: {} }))
}

/** Opens an acknowledged alert again. */
export async function reopenAlert(key: string): Promise<void> {
  const params = { path: { key } }
  await call((api) => api.DELETE('/admin/api/alerts/{key}/acknowledgement', { params }))
}

/** Returns the time for which a condition lasts, in milliseconds. */
export const lastsMs = (since: number | null): number => Math.max(0, nowMs.value - (since ?? nowMs.value))
