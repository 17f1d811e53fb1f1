/** Shows the statistics of a range as three charts: counts, delivery times and pending messages. */

import type { Statistics } from '../state/statistics.ts'
import { sumOf } from '../state/statistics.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { Chart } from './chart.tsx'
import type { ChartSeries } from './chart-data.ts'
import { numberFormat } from './formats.ts'

interface StatisticsChartsProps {
  readonly statistics: Statistics
  readonly onRange?: (fromMs: number, toMs: number) => void
}

export function StatisticsCharts({ statistics, onRange }: StatisticsChartsProps) {
  const t = useTexts('charts')
  const locale = useLocale()
  const { fromDate, stepMs, deliveryMs, pending } = statistics
  const steps = { fromMs: fromDate, stepMs }
  const number = numberFormat(locale, { maximumFractionDigits: 0 })
  const count = (value: number): string => number.format(value)
  const time = (ms: number): string => shortTime(ms, locale)
  const estimated = (ms: number): string => `≈ ${time(ms)}`
  const counts = (['stored', 'completed', 'failed'] as const).map((name) => {
    return { name, label: t[name], values: statistics[name] }
  })
  const times = (['median', 'p95'] as const).map((name) => {
    return { name, label: t[name], values: deliveryMs[name] }
  })
  const newest = ({ values }: ChartSeries): number | null => values.findLast((each) => each !== null) ?? null
  return (
    <div class="charts">
      <Chart
        title={t.messages}
        kind="counts"
        steps={steps}
        series={counts}
        textOf={count}
        onRange={onRange}
        summaryOf={({ values }) => count(sumOf(values))}
      />
      <Chart
        title={t.delivery}
        kind="times"
        steps={steps}
        series={times}
        textOf={time}
        readingOf={estimated}
        onRange={onRange}
        summaryOf={(series) => {
          const ms = newest(series)
          return ms === null ? '—' : estimated(ms)
        }}
      />
      <Chart
        title={t.pendingTitle}
        kind="level"
        steps={steps}
        series={[{ name: 'pending', label: t.pending, values: pending }]}
        textOf={count}
        onRange={onRange}
        summaryOf={({ values }) => {
          const largest = Math.max(0, ...values.map((each) => each ?? 0))
          return count(largest)
        }}
      />
    </div>
  )
}

const UNITS = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const

/** Formats a time with one unit, such as `1.2 s`. */
export function shortTime(ms: number, locale: string): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? UNITS[3]
  const value = ms / size
  const maximumFractionDigits = value < 10 && unit !== 'millisecond' ? 1 : 0
  const options = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits } as const
  return numberFormat(locale, options).format(value)
}
