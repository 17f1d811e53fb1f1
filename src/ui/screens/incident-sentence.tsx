/** Says in a sentence what an incident is about. Its device, command, gateway or address stands out, and is shortened. */
import { cutId } from '../parts/cut-ids.ts'
import { numberText } from '../parts/numbers.ts'
import { type Incident, subjectOf } from '../state/incidents.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

/** Place of the subject in a sentence. A counted text keeps it, because it has only a count. */
const PLACE = '{id}'

/** Returns a function that gives the sentence of an incident, with {@link PLACE} for its subject. */
function usePattern(): (incident: Incident) => string {
  const t = useTexts('incident')
  const locale = useLocale()
  const counted = (text: string, count: number): string =>
    text.replace(String(count), numberText(count, locale))
  return (incident) => {
    const { kind, key, devices, messages } = incident
    switch (kind) {
      case 'OUTAGE':
      case 'FAILED':
      case 'PARKED':
      case 'NOT_FINISHED':
        return counted(t[kind](devices), devices)
      case 'ADDRESS':
        return counted(t.ADDRESS(messages), messages)
      case 'AWAY':
        return key === 'AWAY' ? counted(t.MANY_AWAY(devices), devices) : t.AWAY({ id: PLACE })
      case 'FLAPPING':
        return t.FLAPPING({ id: PLACE })
      case 'DEVICE':
        return ofDevice(incident, t)
      default:
        return t[kind]
    }
  }
}

function ofDevice({ signals }: Incident, t: ReturnType<typeof useTexts<'incident'>>): string {
  const has = (...kinds: readonly Incident['signals'][number][]): boolean =>
    kinds.some((each) => signals.includes(each))
  const id = PLACE
  if (has('DEVICE_DEAF', 'NOT_ACKNOWLEDGED')) return t.UNANSWERED({ id })
  if (has('FAILED', 'PARKED', 'NOT_FINISHED')) return t.FAILING({ id })
  if (has('ANSWERS_REFUSED')) return t.ANSWERS_REFUSED({ id })
  if (has('QUEUE_NEARLY_FULL')) return t.QUEUE_NEARLY_FULL({ id })
  return has('WAITING_LONG') ? t.WAITING_LONG({ id }) : t.DEVICE({ id })
}

/** Returns a function that gives the sentence of an incident as text. */
export function useSentence(): (incident: Incident) => string {
  const patternOf = usePattern()
  return (incident) => patternOf(incident).replace(PLACE, () => subjectOf(incident))
}

export function IncidentSentence({ incident }: { readonly incident: Incident }) {
  const patternOf = usePattern()
  const pattern = patternOf(incident)
  const at = pattern.indexOf(PLACE)
  if (at < 0) return <>{pattern}</>
  return (
    <>
      {pattern.slice(0, at)}
      <Subject id={subjectOf(incident)} />
      {pattern.slice(at + PLACE.length)}
    </>
  )
}

function Subject({ id }: { readonly id: string }) {
  const { head, tail } = cutId(id)
  if (tail === '') return <span class="id">{id}</span>
  return (
    <span class="id" title={id}>
      <span aria-hidden="true">
        {head}…{tail}
      </span>
      <span class="visually-hidden">{id}</span>
    </span>
  )
}
