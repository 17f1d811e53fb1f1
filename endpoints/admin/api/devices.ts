/** /admin/api/devices: shows devices, their pending messages and their presence. */
import type { Uses } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { DeviceId } from '../../../src/wire.ts'
import { DeviceAnswer } from './_answers.ts'
import { LINK_HEADER, page } from './_paging.ts'
import { DeviceQuery, MAX_ROWS, toDeviceAnswer } from './_schemas.ts'

export class Default extends Endpoint<Uses<'devices'>> {
  static access = 'MAN'
  static positionals = { GET: [DeviceId] }
  static keywords = { GET: DeviceQuery }
  static summary = 'List the devices that are clients or have messages, or show one'
  static responses = { GET: Type.Union([Type.Array(DeviceAnswer), DeviceAnswer]) }
  static replyHeaders = { GET: LINK_HEADER }
  static errors = { GET: STORAGE_ERRORS }

  async GET(deviceId: string | null = null, { after, search, ...query }: DeviceQuery) {
    const { devices } = this.services
    if (deviceId !== null) return toDeviceAnswer(await devices.get(deviceId))
    const limit = Math.min(query.limit, MAX_ROWS)
    const { items, next } = await devices.list(after ?? '', limit, search)
    const more = next === null ? null : { after: next }
    return page(items.map(toDeviceAnswer), this.call.path, { search, limit }, more)
  }
}
