/** Shows when a device was present in the last 24 hours, as a bar and as the lines of its log. */

import { numberFormat } from '../parts/formats.ts'
import { Loaded } from '../parts/loaded.tsx'
import { durationText, Time } from '../parts/time.tsx'
import { useEachTick } from '../state/clock.ts'
import { concernsDevice } from '../state/live.ts'
import { type LogEntry, loadDay, type Presence, type PresenceSpan } from '../state/presence.ts'
import { useResource } from '../state/resource.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

export function DevicePresence({ id }: { id: string }) {
  const t = useTexts('presence')
  const day = useResource(
    `device/${id}/presence`,
    () => loadDay(id),
    (event) => concernsDevice(event, id),
  )
  useEachTick(day.reload)
  return (
    <section aria-labelledby="presence">
      <h2 id="presence">{t.title}</h2>
      <Loaded from={day} height="7rem">
        {({ presence, entries }) => (
          <>
            <Bar presence={presence} />
            {entries.length > 0 && <Log entries={entries} />}
          </>
        )}
      </Loaded>
    </section>
  )
}

/** Shows the spans in proportion to their time. The sentence and the table say the same to a screen reader. */
function Bar({ presence: { fromDate, toDate, spans, shares } }: { presence: Presence }) {
  const t = useTexts('presence')
  const locale = useLocale()
  const percent = numberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const parts = Object.entries(shares)
    .filter(([, share]) => share >= 0.0005)
    .map(([state, share]) => `${percent.format(share)} ${t[state as keyof Presence['shares']]}`)
  const width = ({ fromDate: from, toDate: to }: PresenceSpan): string =>
    `${(100 * (to - from)) / (toDate - fromDate)}%`
  return (
    <>
      <p>{parts.join(' · ')}</p>
      <div class="presence-bar" aria-hidden="true">
        {spans.map((span) => (
          <span
            key={span.fromDate}
            class={span.state}
            style={{ width: width(span) }}
            title={`${t[span.state]}, ${durationText(span.toDate - span.fromDate, locale)}`}
          />
        ))}
      </div>
    </>
  )
}

function Log({ entries }: { entries: readonly LogEntry[] }) {
  const t = useTexts('presence')
  return (
    <div class="card table device-log">
      <table>
        <caption class="visually-hidden">{t.log}</caption>
        <thead>
          <tr>
            <th scope="col">{t.when}</th>
            <th scope="col">{t.what}</th>
            <th scope="col">{t.detail}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Row key={entry.id} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ entry }: { entry: LogEntry }) {
  const t = useTexts('presence')
  const { kind, date, isExact, reason, transport, address, by, detail } = entry
  return (
    <tr>
      <td data-label={t.when}>
        <Time at={date} />
        {!isExact && <small class="muted"> {t.notExact}</small>}
      </td>
      <td data-label={t.what}>
        <span class="two-lines">
          <strong>{kind === 'CONNECTED' ? t.opened : kind === 'POLLS' ? t.POLLING : t[kind]}</strong>
          {reason !== null && <small lang={kind === 'OUT_OF_SERVICE' ? undefined : 'en'}>{reason}</small>}
        </span>
      </td>
      <td data-label={t.detail}>
        <span class="two-lines">
          <span class="id">
            {[transport, address, by, detail.via].filter((each) => each != null).join(', ')}
          </span>
          <Detail entry={entry} />
        </span>
      </td>
    </tr>
  )
}

function Detail({ entry: { kind, detail } }: { entry: LogEntry }) {
  const t = useTexts('presence')
  const device = useTexts('device')
  const locale = useLocale()
  const {
    seconds,
    message,
    topic,
    text,
    cause,
    key,
    newer,
    parked,
    untilDate,
    count,
    connects = count,
  } = detail
  const address = (newer as { address: string | null } | undefined)?.address
  const time = typeof seconds === 'number' ? durationText(seconds * 1_000, locale) : null
  const texts = [
    ...(time === null ? [] : [kind === 'BUSY' ? t.pause({ time }) : t.after({ time })]),
    ...(typeof parked === 'number' ? [t.parked({ count: parked })] : []),
    ...[message, topic, text, cause, key, address].filter((each) => typeof each === 'string'),
    ...(typeof connects === 'number' && connects > 1 ? [`${connects} ×`] : []),
  ]
  return (
    <small class="muted">
      {texts.join(', ')}
      {typeof untilDate === 'number' && (
        <>
          {device.until} <Time at={untilDate} />
        </>
      )}
    </small>
  )
}
