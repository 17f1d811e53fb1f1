/** Sums up the counts of a range and of the time of the same length before. Pure. */
import type { StatisticsRow } from '../contract/statistics-store.ts'
import { deliveryPercentile, sumBuckets } from '../vocabulary/delivery-buckets.ts'
import type { FigureItem, HandoverSources } from './parts.ts'

export function figureItems({
  figures,
  figuresFromMs,
}: Pick<HandoverSources, 'figures' | 'figuresFromMs'>): FigureItem[] {
  const now = figures.filter(({ atMs }) => atMs >= figuresFromMs)
  const before = figures.filter(({ atMs }) => atMs < figuresFromMs)
  const figure = (kind: FigureItem['kind'], ofRows: (rows: readonly StatisticsRow[]) => number | null) => {
    return { kind, value: ofRows(now), before: ofRows(before) }
  }
  const total = (name: 'stored' | 'completed' | 'failed') => (rows: readonly StatisticsRow[]) =>
    rows.length === 0 ? null : rows.reduce((sum, row) => sum + row[name], 0)
  return [
    figure('STORED', total('stored')),
    figure('COMPLETED', total('completed')),
    figure('FAILED', total('failed')),
    figure('MEDIAN_DELIVERY_MS', medianOf),
  ]
}

function medianOf(rows: readonly StatisticsRow[]): number | null {
  let buckets: readonly number[] | null = null
  for (const { deliveries } of rows) if (deliveries !== null) buckets = sumBuckets(buckets, deliveries)
  return buckets && deliveryPercentile(buckets, 0.5)
}
