/** Where devices reach the server: its host as this browser knows it, its ports as the server says. */
import { call } from './session.ts'
import type { Reach } from './snippets.ts'

export async function loadReach(): Promise<Reach> {
  const { listeners } = await call((api) => api.GET('/admin/api/system'))
  const listener = listeners.find(({ protocol }) => protocol.startsWith('mqtt'))
  const mqtt = listener && {
    host: location.hostname,
    port: Number(new URL(listener.url).port),
    tls: listener.protocol === 'mqtts',
  }
  return { url: location.origin, mqtt: mqtt ?? null }
}
