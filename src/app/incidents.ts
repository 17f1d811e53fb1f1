/** Builds the recorder of incidents from the parts of the domain. */
import { Recorder } from '../broker/incidents/recorder.ts'
import type { AlertFactsOptions } from '../broker/views/alert-facts.ts'
import type { Settings } from '../config/settings.ts'
import { networkOf } from '../net/address.ts'
import type { Log } from '../process/log.ts'
import type { Domain } from './domain.ts'

interface RecorderParts
  extends Pick<Domain, 'storage' | 'gatewayOf' | 'broker' | 'presence' | 'rejections' | 'clock'> {
  readonly settings: Pick<Settings, 'queueLimit'>
  readonly facts: AlertFactsOptions
  readonly log: Log
  readonly recordingMs?: number | undefined
}

export function recorderOf(parts: RecorderParts): Recorder {
  const { storage, gatewayOf, broker, presence, rejections, clock, settings, facts, log, recordingMs } = parts
  const recorder = new Recorder({
    store: storage.incidents,
    presence: storage.presence,
    facts,
    queues: () => storage.devices.queues(),
    gatewayOf,
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
