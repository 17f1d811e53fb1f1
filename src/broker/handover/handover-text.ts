/** Writes the hand-over as a text to paste: a heading and lines for each part. Pure. */
import type { HandoverIncident } from '../contract/handover-store.ts'
import type {
  DeviceItem,
  FailureItem,
  FigureItem,
  Handover,
  Part,
  PersonItem,
  ServerItem,
  ServiceItem,
} from './parts.ts'
import type { HandoverWords } from './words.ts'

/** Maximum characters of a text of a device or a person. */
const MAX_TEXT = 200

export interface HandoverTextOptions {
  readonly words: HandoverWords
  /** Minutes of the dates east of UTC. A server loads no time zones: their data takes 5 MB. */
  readonly utcOffset: number
}

export function handoverText(handover: Handover, options: HandoverTextOptions): string {
  const { words, utcOffset } = options
  const lines = new Lines(options)
  const [from, to] = [lines.date(handover.fromMs, true), lines.date(handover.toMs, true)]
  const head = { from, to, zone: zoneOf(utcOffset) }
  const { incidents, failures, devices, service, people, server, figures } = handover
  const parts = [
    lines.part(words.parts.incidents, incidents, (item) => lines.incident(item)),
    lines.part(words.parts.failures, failures, (item) => lines.failure(item)),
    lines.part(words.parts.devices, devices, (item) => lines.device(item)),
    lines.part(words.parts.service, service, (item) => lines.service(item)),
    lines.part(words.parts.people, people, (item) => lines.person(item)),
    lines.part(words.parts.server, { ...server, counts: [] }, (item) => lines.server(item)),
    lines.part(words.parts.figures, { ...figures, counts: [] }, (item) => lines.figure(item)),
  ]
  return `${[filled(words.title, head), ...parts].join('\n\n')}\n`
}

class Lines {
  readonly #words: HandoverWords
  readonly #offsetMs: number

  constructor({ words, utcOffset }: HandoverTextOptions) {
    this.#words = words
    this.#offsetMs = utcOffset * 60_000
  }

  /** Returns a date such as `01-31 17:00`, with the year as `2026-01-31 17:00`. */
  date(atMs: number, hasYear = false): string {
    const date = new Date(atMs + this.#offsetMs).toISOString()
    return date.slice(hasYear ? 0 : 5, 16).replace('T', ' ')
  }

  part<Item>(name: string, { total, counts, items }: Part<Item>, lineOf: (item: Item) => string): string {
    if (total === 0) return `${name}: ${this.#words.nothing}`
    const numbers = counts.map(({ kind, count }) => `${this.#words.counts[kind] ?? kind} ${count}`).join(', ')
    const more = total > items.length ? [filled(this.#words.more, { count: total - items.length })] : []
    const lines = [...items.map(lineOf), ...more].map((line) => `- ${line}`)
    return [numbers === '' ? name : `${name}: ${numbers}`, ...lines].join('\n')
  }

  incident(incident: HandoverIncident): string {
    const { key, state, startedMs, endedMs, mutedUntilMs, devices, messages, waiting, ack, note } = incident
    const until = mutedUntilMs === null ? '' : this.date(mutedUntilMs)
    const stateText = filled(this.#words.states[state], { until, ended: this.#dateOf(endedMs) })
    const since = this.date(startedMs)
    const line = filled(this.#words.incident, { key, state: stateText, since, devices, messages, waiting })
    return line + this.#by(ack?.by ?? null) + quoted(note)
  }

  failure({ command, kind, reason, count, resent, devices, before }: FailureItem): string {
    const kindText = this.#words.counts[kind] ?? kind
    const line = filled(this.#words.failure, { command, kind: kindText, count, devices, before })
    const again = resent === 0 ? '' : `, ${filled(this.#words.resent, { resent })}`
    return line + again + quoted(reason)
  }

  device({ kind, deviceId: device, atMs, sinceMs, count, reason }: DeviceItem): string {
    const values = { device, date: this.date(atMs), since: this.#dateOf(sinceMs), count: count ?? 0 }
    return filled(this.#words.devices[kind], values) + quoted(reason)
  }

  service({ kind, deviceId: device, atMs, untilMs, by, text }: ServiceItem): string {
    const line = filled(this.#words.service[kind], { device, date: this.date(atMs) })
    const hasEnd = untilMs !== null && kind !== 'ENDED'
    const until = hasEnd ? `, ${filled(this.#words.until, { until: this.date(untilMs) })}` : ''
    return line + until + this.#by(by) + quoted(text)
  }

  person({ kind, by, action, count, atMs }: PersonItem): string {
    const values = { by: by ?? '-', action: action ?? '', count: count ?? 0, date: this.date(atMs) }
    return filled(this.#words.people[kind], values)
  }

  server({ kind, atMs, release, before, untilMs }: ServerItem): string {
    const values = { date: this.date(atMs), release: release ?? '', before: before ?? '' }
    const until = untilMs === null ? '' : `, ${filled(this.#words.until, { until: this.date(untilMs) })}`
    return filled(this.#words.server[kind], values) + until
  }

  figure({ kind, value, before }: FigureItem): string {
    const name = this.#words.figures[kind]
    return filled(this.#words.figure, { name, value: value ?? '-', before: before ?? '-' })
  }

  #dateOf(atMs: number | null): string {
    return atMs === null ? '' : this.date(atMs)
  }

  #by(by: string | null): string {
    return by === null ? '' : `, ${filled(this.#words.by, { by })}`
  }
}

/** Returns an offset such as `UTC+01:00`. */
function zoneOf(utcOffset: number): string {
  const minutes = Math.abs(utcOffset)
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  return `UTC${utcOffset < 0 ? '-' : '+'}${hour}:${minute}`
}

function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => oneLine(String(values[name] ?? '')))
}

function quoted(text: string | null): string {
  return text === null ? '' : `: ${oneLine(text)}`
}

/** Returns a text of a device or a person without line breaks, so that it cannot look like another line. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line
}
