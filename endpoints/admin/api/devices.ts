/** /admin/api/devices: what waits for whom, who is there, and the settings of each. */
import type { Uses } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE } from '../../../src/wire/errors.ts'
import { DeviceId } from '../../../src/wire.ts'
import { Device, DeviceSettings } from './_answers.ts'
import { LINK, page } from './_paging.ts'
import {
  DeviceQuery,
  MOST_ROWS,
  NewDeviceSettings,
  shownDevice,
  shownDeviceDetails,
  shownSettings,
  toDeviceSettings,
} from './_schemas.ts'

export class Default extends Endpoint<Uses<'devices'>> {
  static access = 'MAN'
  static positionals = { GET: [DeviceId], PUT: [DeviceId] }
  static keywords = { GET: DeviceQuery, PUT: NewDeviceSettings }
  static summary = {
    GET: 'Lists who is a client or has messages, with what waits for it, or tells of one device',
    PUT: 'Replaces all settings of a device; what is left out or null has the general value',
  }
  static responses = { GET: Type.Union([Type.Array(Device), Device]), PUT: DeviceSettings }
  static replyHeaders = { GET: LINK }
  static errors = { GET: STORAGE, PUT: STORAGE }

  async GET(deviceId: string | null = null, { after, search, details, ...query }: DeviceQuery) {
    const { devices } = this.services
    const shown = details ? shownDeviceDetails : shownDevice
    if (deviceId !== null) return shown(await devices.get(deviceId))
    const limit = Math.min(query.limit, MOST_ROWS)
    const { items, next } = await devices.list(after ?? '', limit, search)
    const more = next === null ? null : { after: next }
    return page(items.map(shown), this.call.path, { search, limit, details: details || null }, more)
  }

  async PUT(deviceId: string, { ...members }: NewDeviceSettings) {
    const settings = toDeviceSettings(members)
    await this.services.devices.changeSettings(deviceId, settings)
    return shownSettings(settings)
  }
}
