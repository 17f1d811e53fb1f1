/** Builds the lists of devices from the parts of the domain. */
import { DeviceDirectory } from '../broker/views/device-directory.ts'
import { DeviceProblems } from '../broker/views/device-problems.ts'
import { Devices } from '../broker/views/devices.ts'
import { SilentDevices } from '../broker/views/silent-devices.ts'
import { UsualAbsences } from '../broker/views/usual-absence.ts'
import type { Settings } from '../config/settings.ts'
import { deviceLogins } from './device-logins.ts'
import type { Domain } from './domain.ts'
import type { OpenTransports } from './open-transports.ts'

export interface DeviceParts extends Domain, Pick<OpenTransports, 'dispatch'>, DeviceLists {
  readonly settings: Pick<Settings, 'maxAttempts'>
}

/** Devices that other views list too. */
export interface DeviceLists {
  readonly directory: DeviceDirectory
  readonly silent: SilentDevices
}

export function deviceLists(
  parts: Pick<Domain, 'storage' | 'clients' | 'presence' | 'clock' | 'broker' | 'statistics' | 'downtime'>,
  { expectedSeconds }: Pick<Settings, 'expectedSeconds'>,
): DeviceLists {
  const { storage, clients, presence, clock, broker, statistics, downtime } = parts
  const { messages, devices: store } = storage
  const directory = new DeviceDirectory({ store, messages, logins: deviceLogins(clients), presence, clock })
  const { deviceSettings: settings } = broker
  const startedAtMs = statistics.startedMs
  return {
    directory,
    silent: new SilentDevices({ settings, presence, directory, downtime, expectedSeconds, startedAtMs }),
  }
}

export function devicesOf(parts: DeviceParts): Devices {
  const { storage, clients, broker, clock, presence, dispatch, settings, directory, silent } = parts
  const { messages, messageLog, devices: store } = storage
  return new Devices({
    store,
    messages,
    messageLog,
    logins: deviceLogins(clients),
    presence,
    sightings: storage.presence,
    nodeId: () => storage.nodes?.cluster.nodeId ?? null,
    gatewayOf: parts.gatewayOf,
    clock,
    directory,
    problems: new DeviceProblems({ store, broker, nowMs: () => clock.wallMs() }),
    settings: broker.deviceSettings,
    pauses: broker.pauses,
    hold: (deviceId) => dispatch.hold(deviceId),
    maxAttempts: settings.maxAttempts,
    silent,
    absences: new UsualAbsences({ store: storage.presence, audit: storage.audit, clock }),
  })
}
