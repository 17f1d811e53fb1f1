/** Reads from the server when a device was present, and its log. */
import type { components } from '../../client/index.ts'
import { call } from './session.ts'

export type Presence = components['schemas']['Presence']
export type LogEntry = components['schemas']['LogEntry']
export type PresenceSpan = Presence['spans'][number]

const DAY_MS = 86_400_000
/** Entries that the page of a device shows. */
const ROWS = 20

export interface DayOfDevice {
  readonly presence: Presence
  readonly entries: readonly LogEntry[]
}

/** Returns the presence and the log of a device in the last 24 hours. */
export async function loadDay(deviceId: string): Promise<DayOfDevice> {
  const path = { deviceId }
  const from = Date.now() - DAY_MS
  const [presence, entries] = await Promise.all([
    call((api) => api.GET('/admin/api/devices/{deviceId}/presence', { params: { path } })),
    call((api) =>
      api.GET('/admin/api/devices/{deviceId}/log', { params: { path, query: { from, limit: ROWS } } }),
    ),
  ])
  return { presence, entries }
}
