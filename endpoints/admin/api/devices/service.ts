/** /admin/api/devices/service: takes many devices out of service, or returns them to service. */
import { actorOf } from '../../../../src/audit/actor.ts'
import type { ServiceRequest } from '../../../../src/broker/engine/service-control.ts'
import type { UsesOwn } from '../../../../src/services.ts'
import { Endpoint, HttpError } from '../../../../src/web/endpoint.ts'
import { STORAGE_ERRORS } from '../../../../src/wire/errors.ts'
import { ServiceChangeAnswer, ServicesBody } from '../_device-service.ts'

export { tag } from '../devices.ts'

export class Default extends Endpoint<UsesOwn<'deviceService'>> {
  static access = 'MAN'
  static keywords = { POST: ServicesBody }
  static operationId = { POST: 'changeServiceOfDevices' }
  static summary = 'Take devices out of service, or return them to service, in one commit'
  static responses = { POST: ServiceChangeAnswer }
  static errors = { POST: ['bad-terms', ...STORAGE_ERRORS] }

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
