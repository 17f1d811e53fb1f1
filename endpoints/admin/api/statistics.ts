/** /admin/api/statistics: returns counts per minute and per hour. */
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { StatisticsAnswer, StatisticsQuery, toStatisticsAnswer, toStatisticsQuery } from './_statistics.ts'

export const tag = { name: 'Statistics', description: 'Counts by the minute and by the hour' }

export class Default extends Endpoint<UsesOwn<'statistics'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: StatisticsQuery }
  static operationId = { GET: 'getStatistics' }
  static summary = 'Show counts, delivery times and pending messages over time'
  static responses = { GET: StatisticsAnswer }
  static errors = { GET: ['bad-range', ...STORAGE_ERRORS] }

  async GET({ ...query }: StatisticsQuery) {
    const { statistics } = this.services
    return toStatisticsAnswer(await statistics.report(toStatisticsQuery(query, statistics.nowMs())))
  }
}
