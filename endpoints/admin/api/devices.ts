/** /admin/api/devices: shows devices, their pending messages, presence and settings, and replaces their settings. */
import type { Uses } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { DeviceId } from '../../../src/wire.ts'
import { DeviceAnswer, DeviceSettingsAnswer } from './_answers.ts'
import { LINK_HEADER, page } from './_paging.ts'
import {
  DeviceQuery,
  DeviceSettingsBody,
  MAX_ROWS,
  toDeviceAnswer,
  toDeviceDetailsAnswer,
  toDeviceSettings,
  toDeviceSettingsAnswer,
} from './_schemas.ts'

export class Default extends Endpoint<Uses<'devices'>> {
  static access = 'MAN'
  static positionals = { GET: [DeviceId], PUT: [DeviceId] }
  static keywords = { GET: DeviceQuery, PUT: DeviceSettingsBody }
  static summary = {
    GET: 'List the devices that are clients or have messages, or show one',
    PUT: 'Replace all settings of a device; omitted and null settings get the general value',
  }
  static responses = { GET: Type.Union([Type.Array(DeviceAnswer), DeviceAnswer]), PUT: DeviceSettingsAnswer }
  static replyHeaders = { GET: LINK_HEADER }
  static errors = { GET: STORAGE_ERRORS, PUT: STORAGE_ERRORS }

  async GET(deviceId: string | null = null, { after, search, details, ...query }: DeviceQuery) {
    const { devices } = this.services
    const toAnswer = details ? toDeviceDetailsAnswer : toDeviceAnswer
    if (deviceId !== null) return toAnswer(await devices.get(deviceId))
    const limit = Math.min(query.limit, MAX_ROWS)
    const { items, next } = await devices.list(after ?? '', limit, search)
    const more = next === null ? null : { after: next }
    return page(items.map(toAnswer), this.call.path, { search, limit, details: details || null }, more)
  }

  async PUT(deviceId: string, { ...members }: DeviceSettingsBody) {
    const settings = toDeviceSettings(members)
    await this.services.devices.changeSettings(deviceId, settings)
    return toDeviceSettingsAnswer(settings)
  }
}
