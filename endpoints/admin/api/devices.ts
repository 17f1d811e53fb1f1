/** /admin/api/devices: what waits for whom, and who is there. */
import type { Uses } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE } from '../../_errors.ts'
import { Device } from './_answers.ts'
import { page } from './_paging.ts'
import { DeviceQuery, MOST_ROWS, shownDevice } from './_schemas.ts'

export class Default extends Endpoint<Uses<'devices'>> {
  static access = 'MAN'
  static keywords = { GET: DeviceQuery }
  static summary = 'Lists who is a client or has messages, with what waits for it'
  static answers = { GET: Type.Array(Device) }
  static errors = { GET: STORAGE }

  async GET({ after, ...query }: DeviceQuery) {
    const limit = Math.min(query.limit, MOST_ROWS)
    const { items, next } = await this.services.devices.list(after ?? '', limit)
    return page(items.map(shownDevice), this.call.path, { limit }, next === null ? null : { after: next })
  }
}
