/** Finds the gateways of devices. */

import type { ClientList } from '../auth/client-list.ts'
import { DeviceList } from '../auth/device-list.ts'

/** Returns the first other client whose list of devices covers a device. The lists are read again after each change of a client. */
export function gatewaysOf(
  clients: Pick<ClientList, 'all' | 'onUpdate'>,
): (deviceId: string) => string | null {
  let lists: readonly (readonly [id: string, devices: DeviceList])[] | null = null
  clients.onUpdate(() => {
    lists = null
  })
  return (deviceId) => {
    lists ??= clients
      .all()
      .filter(({ devices }) => devices.length > 0)
      .map(({ deviceId: id, devices }) => [id, new DeviceList(devices)])
    return lists.find(([id, devices]) => id !== deviceId && devices.covers(deviceId))?.[0] ?? null
  }
}
