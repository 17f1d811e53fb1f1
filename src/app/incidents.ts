/** Builds the recorder of incidents from the parts of the domain. */
import { DeviceList } from '../auth/device-list.ts'
import { Recorder } from '../broker/incidents/recorder.ts'
import type { AlertFactsOptions } from '../broker/views/alert-facts.ts'
import type { Settings } from '../config/settings.ts'
import { networkOf } from '../net/address.ts'
import type { Log } from '../process/log.ts'
import type { Domain } from './domain.ts'

interface RecorderParts
  extends Pick<Domain, 'storage' | 'clients' | 'broker' | 'presence' | 'rejections' | 'clock'> {
  readonly settings: Pick<Settings, 'queueLimit'>
  readonly facts: AlertFactsOptions
  readonly log: Log
  readonly recordingMs?: number | undefined
}

export function recorderOf(parts: RecorderParts): Recorder {
  const { storage, clients, broker, presence, rejections, clock, settings, facts, log, recordingMs } = parts
  const recorder = new Recorder({
    store: storage.incidents,
    presence: storage.presence,
    facts,
    queues: () => storage.devices.queues(),
    gatewayOf: gatewaysOf(clients),
    networkOf,
    queueLimitOf: (deviceId) => broker.deviceSettings.of(deviceId).queueLimit ?? settings.queueLimit,
    keepsRejections: storage.nodes !== undefined,
    clock,
    periodMs: recordingMs,
    log,
  })
  broker.onChange((change) => recorder.messageChanged(change))
  broker.deaf.onChange(() => recorder.changed())
  presence.onChange(() => recorder.changed())
  rejections.onRecord(() => recorder.changed())
  return recorder
}

/** Returns the first client whose list of devices covers a device. The lists are read again after each change of a client. */
function gatewaysOf(
  clients: Pick<Domain['clients'], 'all' | 'onUpdate'>,
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
    return lists.find(([, devices]) => devices.covers(deviceId))?.[0] ?? null
  }
}
