/** Shows the figures of a chart as a table, newest first. */
import { useLocale, useTexts } from '../texts/texts.ts'
import { type ChartSeries, momentText, type Steps } from './chart-data.ts'

interface ChartTableProps {
  readonly title: string
  readonly series: readonly ChartSeries[]
  readonly steps: Steps
  readonly textOf: (value: number) => string
}

export function ChartTable({ title, series, steps, textOf }: ChartTableProps) {
  const t = useTexts('charts')
  const locale = useLocale()
  const length = series[0]?.values.length ?? 0
  const rows = Array.from({ length }, (_, i) => length - 1 - i)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must have the focus to be scrolled by keys
    <section class="chart-table" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.time}</th>
            {series.map(({ name, label }) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((step) => (
            <tr key={step}>
              <th scope="row">{momentText(steps, step, locale)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{values[step] == null ? '—' : textOf(values[step] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
