/** /admin/api/overview: how the broker is doing, at a glance. */
import type { Uses } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { STORAGE } from '../../../src/wire/errors.ts'
import { OverviewAnswer, shownOverview } from './_overview.ts'

export class Default extends Endpoint<Uses<'overview'>> {
  static access = 'MAN'
  static summary = 'Tells how the broker is doing, and what needs a human'
  static responses = { GET: OverviewAnswer }
  static errors = { GET: STORAGE }

  async GET() {
    return shownOverview(await this.services.overview.snapshot())
  }
}
