/** Classifies clients as logins of devices or of persons, for the lists of devices. */
import type { ClientList } from '../auth/client-list.ts'
import type { DeviceLogins } from '../broker/views/device-directory.ts'

export function deviceLogins(clients: Pick<ClientList, 'all' | 'byDevice' | 'onUpdate'>): DeviceLogins {
  return {
    kindOf(deviceId) {
      const client = clients.byDevice(deviceId)
      if (!client) return null
      return client.role === 'DEVISE' ? 'device' : 'person'
    },
    *devices() {
      for (const { deviceId, role } of clients.all()) if (role === 'DEVISE') yield deviceId
    },
    descriptionOf: (deviceId) => clients.byDevice(deviceId)?.description ?? '',
    onEveryChange: (listener) =>
      clients.onUpdate(({ before, after }) => {
        for (const deviceId of new Set([before?.deviceId, after?.deviceId])) {
          if (deviceId !== undefined) listener(deviceId)
        }
      }),
  }
}
