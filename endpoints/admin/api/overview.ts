/** /admin/api/overview: summarizes the state of the broker. */
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { OverviewAnswer, OverviewQuery, toOverviewAnswer } from './_overview.ts'

export const tag = { name: 'Overview', description: 'State of the broker' }

export class Default extends Endpoint<UsesOwn<'overview'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: OverviewQuery }
  static operationId = { GET: 'getOverview' }
  static summary = 'Show the state of the broker, with alerts'
  static responses = { GET: OverviewAnswer }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ details }: OverviewQuery) {
    return toOverviewAnswer(await this.services.overview.snapshot(), details)
  }
}
