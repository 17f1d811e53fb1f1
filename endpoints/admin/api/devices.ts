/** /admin/api/devices: what waits for whom, and who is there. */
import type { Uses } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { page } from './_paging.ts'
import { DeviceQuery, MOST_ROWS, shownDevice } from './_schemas.ts'

export class Default extends Endpoint<Uses<'devices'>> {
  static access = 'MAN'
  static keywords = { GET: DeviceQuery }

  async GET({ after, ...query }: DeviceQuery) {
    const limit = Math.min(query.limit, MOST_ROWS)
    const { items, next } = await this.services.devices.list(after ?? '', limit)
    return page(items.map(shownDevice), this.call.path, { limit }, next === null ? null : { after: next })
  }
}
