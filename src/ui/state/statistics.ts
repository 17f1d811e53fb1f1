/** Reads counts over time, for all devices or for one. */
import type { components } from '../../client/index.ts'
import { messageChange } from './live.ts'
import { type Range, rangeOf, rangeQuery } from './range.ts'
import { type Resource, useResource } from './resource.ts'
import { call } from './session.ts'

export type Statistics = components['schemas']['Statistics']

/** Columns of counts, without the delivery times. */
export type CountName = 'stored' | 'delivered' | 'completed' | 'failed' | 'cancelled' | 'pending'

/**
 * Reads the statistics of a range, and reads them again when a message changes. Statistics of one device, for which the
 * server reads up to 10,000 messages, are reloaded only on demand.
 */
export function useStatistics(range: Range, deviseId?: string): Resource<Statistics> {
  const key = JSON.stringify(['statistics', deviseId, rangeQuery(range)])
  return useResource(
    key,
    () => {
      // A range with a name moves with the clock.
      const { fromMs, toMs } = rangeOf(rangeQuery(range), Date.now())
      const query = {
        ...(fromMs !== null && { from: fromMs }),
        ...(toMs !== null && { to: toMs }),
        ...(deviseId !== undefined && { deviseId }),
      }
      return call((api) => api.GET('/admin/api/statistics', { params: { query } }))
    },
    (event) => deviseId === undefined && messageChange(event) !== null,
  )
}

/** Returns the sum of a column. A step without records counts as zero. */
export function sumOf(column: readonly (number | null)[]): number {
  return column.reduce<number>((sum, each) => sum + (each ?? 0), 0)
}
