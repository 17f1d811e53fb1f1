/**
 * Reads the addresses at which devices reach the server. The host comes from this browser's URL, the ports from the
 * server.
 */
import { call } from './session.ts'
import type { ServerAddresses } from './snippets.ts'

export async function loadServerAddresses(): Promise<ServerAddresses> {
  const { listeners } = await call((api) => api.GET('/admin/api/system'))
  const listener = listeners.find(({ protocol }) => protocol.startsWith('mqtt'))
  const mqtt = listener && {
    host: location.hostname,
    port: Number(new URL(listener.url).port),
    tls: listener.protocol === 'mqtts',
  }
  return { url: location.origin, mqtt: mqtt ?? null }
}
