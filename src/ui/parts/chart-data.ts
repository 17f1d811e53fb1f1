/** Prepares columns of numbers for a chart: steps, gaps, and the scale. Does not draw. */
import { dateFormat } from './formats.ts'

/** One item per step. Null means no records. */
export type Column = readonly (number | null)[]

export interface ChartSeries {
  /** Name of the colour: `--chart-NAME`. */
  readonly name: string
  readonly label: string
  readonly values: Column
}

export interface Steps {
  /** Start of the first step, in milliseconds since 1970. */
  readonly fromMs: number
  readonly stepMs: number
}

/** Share of the steps that the scale shows in full. */
const SHOWN_SHARE = 0.98
const ROOM = 1.5
/** Minimum upper end of a scale of counts. */
const LEAST_TOP = 4

/**
 * Returns the value at which the scale of counts ends, so that few high steps do not flatten all others; null for no
 * limit.
 */
export function clipAt(columns: readonly Column[]): number | null {
  const steps = columns[0]?.length ?? 0
  const tops = Array.from({ length: steps }, (_, i) => topOf(columns, i)).filter((each) => each !== null)
  tops.sort((a, b) => a - b)
  const usual = tops[Math.ceil(SHOWN_SHARE * tops.length) - 1] ?? 0
  const limit = Math.max(LEAST_TOP, usual * ROOM)
  return usual > 0 && (tops.at(-1) ?? 0) > limit ? limit : null
}

/** Returns the largest value of a step; null without records. */
export function topOf(columns: readonly Column[], step: number): number | null {
  const values = columns.map((column) => column[step]).filter((each) => each != null)
  return values.length === 0 ? null : Math.max(...values)
}

/** Returns the runs of steps without data: the first step of each, and the step after it. */
export function gapsOf(columns: readonly Column[]): readonly (readonly [from: number, to: number])[] {
  const steps = columns[0]?.length ?? 0
  const gaps: [number, number][] = []
  for (let step = 0; step < steps; step++) {
    if (columns.some((column) => column[step] != null)) continue
    const last = gaps.at(-1)
    if (last?.[1] === step) last[1] = step + 1
    else gaps.push([step, step + 1])
  }
  return gaps
}

/** Returns the index of the step that contains a time, within the chart. */
export function stepAt(ms: number, { fromMs, stepMs }: Steps, steps: number): number {
  return Math.min(Math.max(0, Math.floor((ms - fromMs) / stepMs)), steps - 1)
}

/** Returns the times that a selection covers, rounded to steps; null if it is too short to be intended. */
export function selectedRange(
  fromMs: number,
  toMs: number,
  steps: Steps,
): { readonly fromMs: number; readonly toMs: number } | null {
  const start = steps.fromMs + Math.floor((fromMs - steps.fromMs) / steps.stepMs) * steps.stepMs
  const end = steps.fromMs + Math.ceil((toMs - steps.fromMs) / steps.stepMs) * steps.stepMs
  return end > start ? { fromMs: start, toMs: end } : null
}

/** Formats a step as text: its start, with the date if the step is long or not today. */
export function momentText({ fromMs, stepMs }: Steps, step: number, locale: string): string {
  const ms = fromMs + step * stepMs
  const isToday = new Date(ms).toDateString() === new Date().toDateString()
  return dateFormat(locale, {
    ...(!isToday && { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(ms)
}
