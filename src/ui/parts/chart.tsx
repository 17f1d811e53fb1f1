/** Draws a chart of three counts over time. The numbers are shown as text too. */
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import type { components } from '../../client/index.ts'
import { isDark } from '../state/preferences.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

type Series = components['schemas']['Series']

const NAMES = ['stored', 'completed', 'failed'] as const
const HEIGHT = 150

export function Chart({ title, series }: { title: string; series: Series }) {
  const t = useTexts('overview')
  const locale = useLocale()
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const [at, setAt] = useState<number | null>(null)
  const dark = isDark()

  // uPlot cannot change colours or formats, so another theme or language makes a new chart.
  useEffect(() => {
    const element = place.current as HTMLDivElement
    const made = new uPlot(optionsFor(element, locale, series.step / 1000, setAt), dataOf(series), element)
    plot.current = made
    const watcher = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    watcher.observe(element)
    return () => {
      watcher.disconnect()
      made.destroy()
    }
  }, [dark, locale, series.step])
  useEffect(() => plot.current?.setData(dataOf(series)), [series])

  const numbers = (name: (typeof NAMES)[number]): number =>
    at === null ? series[name].reduce((sum, each) => sum + each, 0) : (series[name][at] ?? 0)
  const labels = { stored: t.stored, completed: t.completed, failed: t.failedSeries }
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
        <p>
          {at !== null && <strong>{timeOf(series.from + at * series.step, locale)}</strong>}
          {NAMES.map((name) => (
            <span key={name} class={name}>
              {numbers(name)} {labels[name]}
            </span>
          ))}
        </p>
      </figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  )
}

function timeOf(ms: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }).format(ms)
}

/** Returns the data of three layers: sent messages behind, failed messages stacked on completed ones in front. */
function dataOf({ from, step, stored, completed, failed }: Series): uPlot.AlignedData {
  const times = stored.map((_, i) => (from + i * step) / 1000)
  return [times, [...stored], failed.map((each, i) => each + (completed[i] ?? 0)), [...completed]]
}

/**
 * @param step seconds per item
 * @param onCursor called with the index of the item under the mouse, or null if there is none
 */
function optionsFor(
  element: HTMLElement,
  locale: string,
  step: number,
  onCursor: (at: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const axis = {
    stroke: colour('--pico-muted-color'),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  }
  const paths = uPlot.paths.bars?.({ size: [0.7, 40], align: 1 })
  const bar = (name: string): uPlot.Series => ({
    ...(paths && { paths }),
    fill: colour(name),
    points: { show: false },
  })
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 28, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] },
    scales: {
      x: { range: (_plot, min, max) => [min, max + step] },
      y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.1)] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: 60,
        values: (_plot, seconds) => seconds.map((each) => timeOf(each * 1000, locale)),
      },
      {
        ...axis,
        size: 40,
        space: 30,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6],
      },
    ],
    series: [{}, bar('--chart-stored'), bar('--chart-failed'), bar('--chart-completed')],
  }
}
