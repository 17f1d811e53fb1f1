/** Shows columns of numbers over time: as a drawing, as text at one moment, and as a table. */

import { ChartNoAxesColumn, Scaling, Table2 } from 'lucide-preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { isDark } from '../state/preferences.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { type ChartSeries, clipAt, momentText, type Steps, selectedRange, stepAt } from './chart-data.ts'
import { type ChartKind, dataOf, HEIGHT, plot } from './chart-plot.ts'
import { ChartTable } from './chart-table.tsx'

export interface ChartProps {
  readonly title: string
  readonly kind: ChartKind
  readonly series: readonly ChartSeries[]
  readonly steps: Steps
  /** Formats a value for the axis and the marks. */
  readonly textOf: (value: number) => string
  /** Formats a value for a moment and the table. Default: `textOf`. */
  readonly readingOf?: (value: number) => string
  /** Returns the text of a whole series, while no moment is selected. */
  readonly summaryOf: (series: ChartSeries) => string
  readonly onRange?: ((fromMs: number, toMs: number) => void) | undefined
}

export function Chart(props: ChartProps) {
  const { title, kind, series, steps, textOf, summaryOf, onRange, readingOf = textOf } = props
  const t = useTexts('charts')
  const locale = useLocale()
  const [at, setAt] = useState<number | null>(null)
  const [isWhole, setWhole] = useState(false)
  const [isTable, setTable] = useState(false)
  const length = series[0]?.values.length ?? 0
  const columns = series.map(({ values }) => values)
  const limit = kind === 'counts' ? clipAt(columns) : null
  const clip = isWhole ? null : limit
  const shown = at !== null && at < length ? at : null
  const text = (each: ChartSeries): string => {
    if (shown === null) return summaryOf(each)
    const value = each.values[shown]
    return value == null ? '—' : readingOf(value)
  }
  return (
    <figure class="card chart">
      <figcaption>
        <div>
          <h2>{title}</h2>
          {limit !== null && (
            <Tool icon={Scaling} name={t.wholeScale} isOn={isWhole} onToggle={() => setWhole(!isWhole)} />
          )}
          <Tool
            icon={isTable ? ChartNoAxesColumn : Table2}
            name={t.table}
            isOn={isTable}
            onToggle={() => setTable(!isTable)}
          />
        </div>
        <p>
          {series.map((each) => (
            <span key={each.name} style={{ '--swatch': `var(--chart-${each.name})` }}>
              <b>{text(each)}</b> {each.label}
            </span>
          ))}
          <span class="moment">{shown !== null && momentText(steps, shown, locale)}</span>
        </p>
      </figcaption>
      {isTable ? (
        <ChartTable title={title} series={series} steps={steps} textOf={readingOf} />
      ) : (
        <Plot
          title={title}
          kind={kind}
          series={series}
          steps={steps}
          clip={clip}
          textOf={textOf}
          onRange={onRange}
          at={shown}
          onMove={setAt}
          valueText={
            shown === null
              ? series.map((each) => `${summaryOf(each)} ${each.label}`).join(', ')
              : `${momentText(steps, shown, locale)}: ${series.map((each) => `${text(each)} ${each.label}`).join(', ')}`
          }
        />
      )}
    </figure>
  )
}

interface ToolProps {
  readonly icon: typeof Table2
  readonly name: string
  readonly isOn: boolean
  readonly onToggle: () => void
}

function Tool({ icon: Icon, name, isOn, onToggle }: ToolProps) {
  return (
    <button type="button" class="small quiet tool" aria-pressed={isOn} title={name} onClick={onToggle}>
      <Icon size={15} aria-hidden="true" />
      <span class="visually-hidden">{name}</span>
    </button>
  )
}

interface PlotProps extends Pick<ChartProps, 'title' | 'kind' | 'series' | 'steps' | 'textOf' | 'onRange'> {
  readonly clip: number | null
  readonly at: number | null
  readonly onMove: (at: number | null) => void
  readonly valueText: string
}

/** Draws the chart. Arrow keys select a moment, like the pointer. */
function Plot({ title, kind, series, steps, clip, textOf, onRange, at, onMove, valueText }: PlotProps) {
  const locale = useLocale()
  const dark = isDark()
  const place = useRef<HTMLDivElement>(null)
  const made = useRef<uPlot | null>(null)
  const length = series[0]?.values.length ?? 0
  const latest = useRef({ series, steps, clip, onMove, onRange, length })
  latest.current = { series, steps, clip, onMove, onRange, length }
  const shape = `${dark} ${locale} ${steps.stepMs} ${series.map(({ label }) => label).join()}`

  // uPlot cannot change colours, formats or scales, so another shape needs a new chart.
  useEffect(() => {
    const element = place.current as HTMLDivElement
    const chart = plot(element, {
      kind,
      locale,
      textOf,
      get clip() {
        return latest.current.clip
      },
      get series() {
        return latest.current.series
      },
      get steps() {
        return latest.current.steps
      },
      onPoint: (ms) =>
        latest.current.onMove(ms === null ? null : stepAt(ms, latest.current.steps, latest.current.length)),
      onSelect: (fromMs, toMs) => {
        const range = selectedRange(fromMs, toMs, latest.current.steps)
        if (range) latest.current.onRange?.(range.fromMs, range.toMs)
      },
    })
    made.current = chart
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    watcher.observe(element)
    return () => {
      watcher.disconnect()
      chart.destroy()
    }
  }, [shape])
  const data = useMemo(() => dataOf({ kind, series, steps }), [series, steps.fromMs])
  useEffect(() => made.current?.setData(data), [data, clip])

  function move(event: KeyboardEvent): void {
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: (at ?? length) - 1,
      ArrowRight: (at ?? -1) + 1,
      Home: 0,
      End: length - 1,
    }
    const to = moves[event.key]
    if (event.key === 'Escape' && at !== null) onMove(null)
    else if (to === undefined) return
    else show(Math.min(Math.max(0, to), length - 1))
    event.preventDefault()
    event.stopPropagation()
  }
  /** Moves the cursor line to a step. */
  function show(step: number): void {
    const chart = made.current
    onMove(step)
    if (chart)
      chart.setCursor(
        { left: chart.valToPos((steps.fromMs + (step + 0.5) * steps.stepMs) / 1_000, 'x'), top: 0 },
        false,
      )
  }
  return (
    <div
      ref={place}
      class="plot"
      role="slider"
      tabIndex={0}
      aria-label={title}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, length - 1)}
      aria-valuenow={at ?? 0}
      aria-valuetext={valueText}
      onKeyDown={move}
      onBlur={() => onMove(null)}
    />
  )
}
