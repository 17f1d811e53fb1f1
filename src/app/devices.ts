/** Builds the lists of devices from the parts of the domain. */
import { DeviceDirectory } from '../broker/views/device-directory.ts'
import { DeviceProblems } from '../broker/views/device-problems.ts'
import { Devices } from '../broker/views/devices.ts'
import type { Settings } from '../config/settings.ts'
import { deviceLogins } from './device-logins.ts'
import type { Domain } from './domain.ts'
import type { OpenTransports } from './open-transports.ts'

export interface DeviceParts extends Domain, Pick<OpenTransports, 'dispatch'> {
  readonly settings: Pick<Settings, 'maxAttempts'>
}

export function devicesOf(parts: DeviceParts): Devices {
  const { storage, clients, broker, clock, presence, dispatch, settings } = parts
  const { messages, messageLog, devices: store } = storage
  const logins = deviceLogins(clients)
  return new Devices({
    store,
    messages,
    messageLog,
    logins,
    presence,
    sightings: storage.presence,
    isShared: storage.nodes !== undefined,
    clock,
    directory: new DeviceDirectory({ store, messages, logins, presence, clock }),
    problems: new DeviceProblems({ store, broker, nowMs: () => clock.wallMs() }),
    settings: broker.deviceSettings,
    pauses: broker.pauses,
    hold: (deviceId) => dispatch.hold(deviceId),
    maxAttempts: settings.maxAttempts,
    startedAtMs: clock.wallMs(),
  })
}
