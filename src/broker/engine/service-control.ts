/** Takes devices out of service for people, and returns them to service. Knows no HTTP. */
import { entryOf } from '../../audit/actor.ts'
import type { Actor } from '../../audit/audit.ts'
import type { DeviceService, NewService } from '../contract/device-service.ts'
import type { DeviceStore } from '../contract/device-store.ts'
import type { MaybePromise, MessageStore } from '../contract/store.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { BrokerError } from '../vocabulary/errors.ts'
import type { DispatchPauses } from './dispatch-pauses.ts'

/** Longest time until the end of a time out of service, in milliseconds. */
export const MAX_SERVICE_MS = 31_622_400_000

export interface ServiceControlOptions {
  readonly messages: Pick<MessageStore, 'changeService'>
  readonly devices: Pick<DeviceStore, 'countExpiring'>
  readonly pauses: Pick<DispatchPauses, 'serviceOf'>
  readonly clock: Pick<Clock, 'wallMs'>
}

/** End and reason of a time out of service. */
export type ServiceRequest = Pick<NewService, 'reason' | 'untilMs'>

export class ServiceControl {
  readonly #options: ServiceControlOptions

  constructor(options: ServiceControlOptions) {
    this.#options = options
  }

  /** Returns the time out of service of a device; null if the device is in service. */
  of(deviceId: string): DeviceService | null {
    return this.#options.pauses.serviceOf(deviceId)
  }

  /** Counts the pending messages of a device whose validity ends until a date. @param untilMs null: at any time */
  countExpiring(deviceId: string, untilMs: number | null): MaybePromise<number> {
    return this.#options.devices.countExpiring(deviceId, untilMs)
  }

  /**
   * Takes a device out of service, or changes the end and the reason of that.
   *
   * @throws {BrokerError} bad-terms: the end has passed, or is too far away
   */
  async start(deviceId: string, request: ServiceRequest, by: Actor): Promise<DeviceService> {
    const [outcome] = await this.#change([deviceId], request, by)
    if (!outcome?.service) throw this.#badEnd()
    return outcome.service
  }

  /** Returns a device to service. @throws {BrokerError} in-service */
  async end(deviceId: string, by: Actor): Promise<void> {
    const [outcome] = await this.#change([deviceId], null, by)
    if (outcome?.isChanged) return
    throw new BrokerError('in-service', `Device "${deviceId}" is in service.`, undefined, { id: deviceId })
  }

  /**
   * Takes devices out of service, or with null returns them to service, in one commit.
   *
   * @returns the number of changed devices
   * @throws {BrokerError} bad-terms: the end has passed, or is too far away
   */
  async changeAll(deviceIds: readonly string[], request: ServiceRequest | null, by: Actor): Promise<number> {
    const outcomes = await this.#change(deviceIds, request, by)
    return outcomes.filter(({ isChanged }) => isChanged).length
  }

  #change(deviceIds: readonly string[], request: ServiceRequest | null, by: Actor) {
    const untilMs = request?.untilMs ?? null
    const nowMs = this.#options.clock.wallMs()
    if (untilMs !== null && (untilMs <= nowMs || untilMs > nowMs + MAX_SERVICE_MS)) throw this.#badEnd()
    const service = request && { untilMs, reason: request.reason, by: by.clientId }
    const detail = request ? { reason: request.reason, untilDate: untilMs } : { end: true }
    return this.#options.messages.changeService(
      deviceIds.map((deviceId) => ({
        deviceId,
        service,
        audit: entryOf(by, 'device.service', deviceId, detail),
      })),
    )
  }

  #badEnd(): BrokerError {
    return new BrokerError('bad-terms', '"untilDate" must be ahead, by a year at most.')
  }
}
