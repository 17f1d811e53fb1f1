/** Draws a chart with uPlot: bars of counts, lines of times on a log scale, or an area. Loaded with the first chart. */
import 'uplot/dist/uPlot.min.css'
import uPlot from 'uplot'
import { type ChartSeries, type Column, gapsOf, type Steps, topOf } from './chart-data.ts'
import { dateFormat } from './formats.ts'

/** Style of a chart: counts as bars, times as lines on a log scale, a level as an area. */
export type ChartKind = 'counts' | 'times' | 'level'

export interface PlotOptions {
  readonly kind: ChartKind
  readonly series: readonly ChartSeries[]
  readonly steps: Steps
  /** Value at which the scale ends; null for the largest value. */
  readonly clip: number | null
  readonly locale: string
  /** Formats a value for the axis and the marks. */
  readonly textOf: (value: number) => string
  /** Called with the time under the pointer in milliseconds, or null. */
  readonly onPoint: (ms: number | null) => void
  readonly onSelect: ((fromMs: number, toMs: number) => void) | null
}

export const HEIGHT = 160
/** Ticks of an axis of times, in milliseconds. */
const TIME_TICKS = [10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 360_000_000]
/** Minimum width of a selection, in pixels. */
const LEAST_DRAG = 8
const FONT_SIZE = 11

export function plot(element: HTMLElement, options: PlotOptions): uPlot {
  return new uPlot(optionsFor(element, options), dataOf(options), element)
}

/** Returns the columns in the order of drawing, with times in seconds. */
export function dataOf({ kind, series, steps }: Pick<PlotOptions, 'kind' | 'series' | 'steps'>) {
  const values = series.map((each) => each.values)
  const times = (values[0] ?? []).map((_, i) => (steps.fromMs + i * steps.stepMs) / 1_000)
  const drawn = kind === 'counts' ? stacked(values) : values
  return [times, ...drawn.map((column) => [...column])] as uPlot.AlignedData
}

/** Stacks the last column on the previous one, so that failed messages stand on completed messages. */
function stacked(values: readonly Column[]): Column[] {
  const [stored = [], completed = [], failed = []] = values
  return [stored, failed.map((each, i) => (each === null ? null : each + (completed[i] ?? 0))), completed]
}

function optionsFor(element: HTMLElement, options: PlotOptions): uPlot.Options {
  const { kind, steps, onPoint, onSelect } = options
  const style = getComputedStyle(element)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const axis = {
    stroke: colour('--pico-muted-color'),
    font: `${FONT_SIZE}px ${style.fontFamily}`,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  }
  const stepS = steps.stepMs / 1_000
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [14, 28, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: onSelect !== null, y: false, setScale: false } },
    hooks: {
      drawClear: [(made) => drawGaps(made, options, colour('--line'))],
      draw: [(made) => drawMarks(made, options, colour)],
      setCursor: [
        (made) => {
          const { left = -1 } = made.cursor
          onPoint(left < 0 ? null : made.posToVal(left, 'x') * 1_000)
        },
      ],
      setSelect: [
        (made) => {
          const { left, width } = made.select
          if (width < LEAST_DRAG) return
          made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          onSelect?.(made.posToVal(left, 'x') * 1_000, made.posToVal(left + width, 'x') * 1_000)
        },
      ],
    },
    scales: {
      x: { range: (_made, min, max) => [min, (max ?? min) + stepS] },
      y:
        kind === 'times'
          ? { distr: 3, range: (_made, min, max) => [Math.max(1, (min || 10) / 2), Math.max(100, max * 2)] }
          : { range: (_made, _min, max) => [0, options.clip ?? Math.max(4, (max ?? 0) * 1.1)] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        space: 64,
        values: (_made, at, _axis, _space, incr) => at.map(tickText(options, incr)),
      },
      {
        ...axis,
        space: 30,
        size: (_made, values) => 14 + 6.4 * Math.max(3, ...(values ?? []).map((text) => text?.length ?? 0)),
        values: (_made, at) => at.map((value) => (value === null ? '' : options.textOf(value))),
        ...(kind === 'times'
          ? { splits: (_made: uPlot, _i: number, min: number, max: number) => ticksWithin(min, max) }
          : {
              incrs: [1, 2, 5]
                .flatMap((n) => [n, n * 10, n * 100, n * 1e3, n * 1e4, n * 1e5, n * 1e6])
                .sort((a, b) => a - b),
            }),
      },
    ],
    series: [
      {},
      ...options.series.map(({ name }, i) => seriesOf(kind, colour, orderedName(options, name, i))),
    ],
  }
}

/** Returns the name whose colour a drawn column has: stacked columns are drawn in another order. */
function orderedName({ kind, series }: PlotOptions, name: string, i: number): string {
  if (kind !== 'counts') return name
  return [series[0], series[2], series[1]][i]?.name ?? name
}

function seriesOf(kind: ChartKind, colour: (name: string) => string, name: string): uPlot.Series {
  const own = colour(`--chart-${name}`)
  const bars = uPlot.paths.bars?.({ size: [0.7, 40], align: 1 })
  const stepped = uPlot.paths.stepped?.({ align: 1 })
  switch (kind) {
    case 'counts':
      return { ...(bars && { paths: bars }), fill: own, points: { show: false } }
    case 'level':
      return {
        ...(stepped && { paths: stepped }),
        stroke: own,
        width: 1.5,
        fill: `${own}33`,
        points: { show: false },
      }
    case 'times':
      return {
        stroke: own,
        width: 1.5,
        spanGaps: false,
        points: { size: 4, stroke: own, fill: own, filter: lonely },
      }
  }
}

/** Returns the points of a line without a neighbour, which no line segment shows. */
function lonely(made: uPlot, series: number): number[] {
  const values = made.data[series] ?? []
  return [...values.keys()].filter((i) => values[i] != null && values[i - 1] == null && values[i + 1] == null)
}

function ticksWithin(min: number, max: number): number[] {
  return TIME_TICKS.filter((each) => each >= min && each <= max)
}

/** Returns a function that formats a time at the axis: the date at midnight, else the time of day. */
function tickText({ locale }: PlotOptions, incrS: number) {
  const time = dateFormat(locale, { hour: '2-digit', minute: '2-digit' })
  const date = dateFormat(locale, { day: 'numeric', month: 'short' })
  return (seconds: number): string => {
    const at = new Date(seconds * 1_000)
    const isMidnight = at.getHours() === 0 && at.getMinutes() === 0
    return incrS >= 86_400 || isMidnight ? date.format(at) : time.format(at)
  }
}

/** Hatches the steps without records. */
function drawGaps(made: uPlot, { series, steps }: PlotOptions, colour: string): void {
  const { ctx, bbox } = made
  const columns = series.map((each) => each.values)
  const ratio = devicePixelRatio
  ctx.save()
  ctx.strokeStyle = colour
  ctx.lineWidth = ratio
  for (const [from, to] of gapsOf(columns)) {
    const left = made.valToPos((steps.fromMs + from * steps.stepMs) / 1_000, 'x', true)
    const right = made.valToPos((steps.fromMs + to * steps.stepMs) / 1_000, 'x', true)
    ctx.save()
    ctx.beginPath()
    ctx.rect(left, bbox.top, right - left, bbox.height)
    ctx.clip()
    ctx.beginPath()
    for (let x = left - bbox.height; x < right; x += 7 * ratio) {
      ctx.moveTo(x, bbox.top + bbox.height)
      ctx.lineTo(x + bbox.height, bbox.top)
    }
    ctx.stroke()
    ctx.restore()
  }
  ctx.restore()
}

/** Draws the zero line under the steps with data, and marks with figures on clipped bars. */
function drawMarks(made: uPlot, options: PlotOptions, colour: (name: string) => string): void {
  const { kind, series, steps, clip, textOf } = options
  if (kind === 'times') return
  const { ctx, bbox } = made
  const ratio = devicePixelRatio
  const columns = dataOf({ kind, series, steps }).slice(1) as unknown as Column[]
  const bottom = bbox.top + bbox.height
  ctx.save()
  ctx.fillStyle = colour('--pico-muted-color')
  ctx.font = `${FONT_SIZE * ratio}px ${getComputedStyle(made.root).fontFamily}`
  ctx.textAlign = 'center'
  let lastTextRight = 0
  for (let i = 0; i < (columns[0]?.length ?? 0); i++) {
    const top = topOf(columns, i)
    if (top === null) continue
    const left = made.valToPos((steps.fromMs + i * steps.stepMs) / 1_000, 'x', true)
    const right = made.valToPos((steps.fromMs + (i + 1) * steps.stepMs) / 1_000, 'x', true)
    ctx.fillRect(left, bottom - ratio, right - left, ratio)
    if (clip === null || top <= clip) continue
    const middle = (left + right) / 2
    drawCut(ctx, middle, bbox.top + 5 * ratio, (right - left) * 0.4, ratio, colour('--surface'))
    const text = textOf(top)
    const half = ctx.measureText(text).width / 2
    const at = Math.min(Math.max(middle, bbox.left + half), bbox.left + bbox.width - half)
    if (at - half < lastTextRight) continue
    ctx.fillText(text, at, bbox.top - 3 * ratio)
    lastTextRight = at + half + 4 * ratio
  }
  ctx.restore()
}

/** Draws the mark of a clipped bar: two slanted strokes in the colour of the card. */
function drawCut(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  half: number,
  ratio: number,
  colour: string,
): void {
  ctx.save()
  ctx.strokeStyle = colour
  ctx.lineWidth = 2 * ratio
  for (const down of [0, 4 * ratio]) {
    ctx.beginPath()
    ctx.moveTo(x - half - ratio, y + down + 2 * ratio)
    ctx.lineTo(x + half + ratio, y + down - 2 * ratio)
    ctx.stroke()
  }
  ctx.restore()
}
