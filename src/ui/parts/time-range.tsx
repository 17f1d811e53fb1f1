/** Selects a time range: a button that shows it, and a panel with presets and dates. */

import { CalendarClock, ChevronDown } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { nowMs } from '../state/clock.ts'
import type { Query } from '../state/location.ts'
import {
  fieldsOf,
  msOfFields,
  RANGES,
  type Range,
  type RangeName,
  rangeOf,
  rangeQuery,
} from '../state/range.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { dateFormat } from './formats.ts'
import { Popover } from './popover.tsx'

interface TimeRangeProps {
  readonly query: Query
  /** Range of an address that names none; null for any time. */
  readonly standard?: RangeName | null
  /** Called with the parameters of the address. Empty ones leave the address. */
  readonly onChange: (change: Query) => void
}

export function TimeRange({ query, standard = null, onChange }: TimeRangeProps) {
  const t = useTexts('range')
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const range = rangeOf(query, nowMs.value, standard)
  const choose = (change: Query): void => {
    setOpen(false)
    onChange(change)
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class="quiet range"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <CalendarClock size={15} aria-hidden="true" />
        <span>
          <span class="visually-hidden">{t.title}: </span>
          <RangeText range={range} />
        </span>
        <ChevronDown size={14} aria-hidden="true" />
      </button>
      {isOpen && (
        <Popover anchor={button} label={t.title} class="range-panel" onClose={() => setOpen(false)}>
          <div class="range-presets">
            {standard === null && (
              <RangeButton
                isChosen={range.fromMs === null && range.toMs === null}
                label={t.any}
                onChoose={() => choose({ range: '', from: '', to: '' })}
              />
            )}
            {RANGES.map((name) => (
              <RangeButton
                key={name}
                isChosen={range.name === name}
                label={t[name]}
                onChoose={() => choose({ range: name === standard ? '' : name, from: '', to: '' })}
              />
            ))}
          </div>
          <DatesForm range={range} onChange={(change) => choose(rangeQuery(change))} />
        </Popover>
      )}
    </>
  )
}

interface RangeButtonProps {
  readonly isChosen: boolean
  readonly label: string
  readonly onChoose: () => void
}

function RangeButton({ isChosen, label, onChoose }: RangeButtonProps) {
  return (
    <button type="button" class="small quiet" aria-pressed={isChosen} onClick={onChoose}>
      {label}
    </button>
  )
}

/** Shows a range as text, with the time zone. */
export function RangeText({ range: { name, fromMs, toMs } }: { range: Range }) {
  const t = useTexts('range')
  const locale = useLocale()
  if (name === null && fromMs === null && toMs === null) return <>{t.any}</>
  const zone = dateFormat(locale, { timeZoneName: 'short' })
    .formatToParts(fromMs ?? toMs ?? 0)
    .find(({ type }) => type === 'timeZoneName')?.value
  const format = dateFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const dates =
    fromMs === null
      ? t.until({ to: format.format(toMs ?? 0) })
      : toMs === null
        ? t.since({ from: format.format(fromMs) })
        : format.formatRange(fromMs, toMs)
  return (
    <>
      {name === null ? dates : t[name]} <small class="muted">{zone}</small>
    </>
  )
}

function DatesForm({ range, onChange }: { range: Range; onChange: (range: Range) => void }) {
  const t = useTexts('range')
  const [problem, setProblem] = useState<string | null>(null)
  function submit(event: SubmitEvent): void {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const value = (name: string): string => String(form.get(name))
    const fromMs = msOfFields(value('fromDate'), value('fromTime'))
    const toMs = msOfFields(value('toDate'), value('toTime'))
    if (fromMs !== null && toMs !== null && toMs <= fromMs) setProblem(t.wrongOrder)
    else onChange({ name: null, fromMs, toMs })
  }
  return (
    <form class="range-dates" onSubmit={submit}>
      <DateFields name="from" legend={t.from} ms={range.fromMs} />
      <DateFields name="to" legend={t.to} ms={range.toMs} />
      <p role="alert" class="problem">
        {problem}
      </p>
      <button type="submit" class="small">
        {t.apply}
      </button>
    </form>
  )
}

function DateFields({ name, legend, ms }: { name: string; legend: string; ms: number | null }) {
  const t = useTexts('range')
  const { date, time } = fieldsOf(ms)
  return (
    <fieldset>
      <legend>{legend}</legend>
      <input type="date" name={`${name}Date`} defaultValue={date} aria-label={`${legend}: ${t.date}`} />
      <input type="time" name={`${name}Time`} defaultValue={time} aria-label={`${legend}: ${t.time}`} />
    </fieldset>
  )
}
