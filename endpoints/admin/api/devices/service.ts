/**
 * /admin/api/devices/service: takes many devices out of service, or returns them to service. GET and PUT are those of a device
 * with the id `service`, whose path this was before.
 */
import { actorOf } from '../../../../src/audit/actor.ts'
import type { ServiceRequest } from '../../../../src/broker/engine/service-control.ts'
import type { UsesOwn } from '../../../../src/services.ts'
import { Endpoint, HttpError } from '../../../../src/web/endpoint.ts'
import { STORAGE_ERRORS } from '../../../../src/wire/errors.ts'
import { ServiceChangeAnswer, ServicesBody } from '../_device-service.ts'
import type { DeviceQuery } from '../_devices.ts'
import type { DeviceSettingsBody } from '../_schemas.ts'
import { Device } from '../devices.ts'

export { tag } from '../devices.ts'

/** Id of the device that has the path of this module. */
const ID = 'service'

export class Default extends Endpoint<UsesOwn<'deviceService' | 'devices'>> {
  static access = { ...Device.access, POST: 'MAN' }
  static keywords = { ...Device.keywords, POST: ServicesBody }
  static operationId = {
    GET: 'getDeviceWithIdService',
    PUT: 'replaceSettingsOfDeviceWithIdService',
    POST: 'changeServiceOfDevices',
  }
  static summary = {
    GET: 'Show the device with the id "service"',
    PUT: 'Replace all settings of the device with the id "service"',
    POST: 'Take devices out of service, or return them to service, in one commit',
  }
  static responses = { ...Device.responses, POST: ServiceChangeAnswer }
  static errors = { ...Device.errors, POST: ['bad-terms', ...STORAGE_ERRORS] }

  GET({ ...query }: DeviceQuery) {
    return Device.prototype.GET.call(this as never, ID, query)
  }

  PUT({ ...settings }: DeviceSettingsBody) {
    return Device.prototype.PUT.call(this as never, ID, settings)
  }

  async POST({ devices, ...members }: ServicesBody) {
    const deviceIds = [...new Set(devices)]
    const request = requestOf(members)
    const changed = await this.services.deviceService.changeAll(deviceIds, request, actorOf(this.call))
    return { changed, unchanged: deviceIds.length - changed }
  }
}

/** Returns what begins; null for an end. */
function requestOf({ reason, untilDate, end }: Omit<ServicesBody, 'devices'>): ServiceRequest | null {
  const begins = typeof reason === 'string'
  if (begins === (end === true) || (end === true && typeof untilDate === 'number')) {
    const text = 'Give either "reason", to take the devices out of service, or "end": true.'
    throw new HttpError(400, text, { code: 'bad-keyword', params: { name: begins ? 'end' : 'reason' } })
  }
  return begins ? { reason, untilMs: untilDate ?? null } : null
}
