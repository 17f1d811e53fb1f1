/** /admin/api/overview: how the broker is doing, at a glance. */
import type { Uses } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { OverviewAnswer, toOverviewAnswer } from './_overview.ts'

export class Default extends Endpoint<Uses<'overview'>> {
  static access = 'MAN'
  static summary = 'Tells how the broker is doing, and what needs a human'
  static responses = { GET: OverviewAnswer }
  static errors = { GET: STORAGE_ERRORS }

  async GET() {
    return toOverviewAnswer(await this.services.overview.look())
  }
}
