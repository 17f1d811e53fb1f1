/** Shows the facts, the reasons, the history and the members of an incident. */
import { useState } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { useNumberText } from '../parts/numbers.ts'
import { useProblemText } from '../parts/problem-text.ts'
import { Ago, Time } from '../parts/time.tsx'
import { addIncidentNote, type IncidentDetail } from '../state/incidents.ts'
import { links } from '../state/location.ts'
import { useTexts } from '../texts/texts.ts'
import { IncidentMembers } from './incident-members.tsx'
import { useFacts } from './incident-row.tsx'

interface IncidentCardsProps {
  readonly incident: IncidentDetail
  readonly onChange: () => void
}

export function IncidentCards({ incident, onChange }: IncidentCardsProps) {
  const t = useTexts('incidents')
  const number = useNumberText()
  const { id, reasons } = incident
  return (
    <>
      <Facts incident={incident} />
      <div class="incident">
        <section class="card" aria-labelledby="reasons">
          <h2 id="reasons">{t.reasons}</h2>
          {reasons.length === 0 && <p class="muted">{t.noReasons}</p>}
          <ul class="reasons">
            {reasons.map(({ reason, count }) => (
              <li key={reason}>
                <span>{reason}</span> <b>{number(count)}</b>
              </li>
            ))}
          </ul>
        </section>
        <section class="card" aria-labelledby="lines">
          <h2 id="lines">{t.lines}</h2>
          <Lines lines={incident.lines} />
          <AdminOnly>
            <NoteForm id={id} onChange={onChange} />
          </AdminOnly>
        </section>
      </div>
      <h2>{t.members}</h2>
      <IncidentMembers incident={incident} />
    </>
  )
}

/** Says in one line since when the incident lasts, how large it is, and who takes care of it. */
function Facts({ incident }: { readonly incident: IncidentDetail }) {
  const t = useTexts('incidents')
  const alerts = useTexts('alerts')
  const facts = useFacts(incident)
  const { startedDate, endedDate, reopened, acknowledged, mergedInto } = incident
  return (
    <p class="incident-facts">
      <span>
        {t.started} <Time at={startedDate} /> (<Ago at={startedDate} />)
      </span>
      {endedDate !== null && (
        <span>
          {t.ended} <Time at={endedDate} />
        </span>
      )}
      {facts.map((each) => (
        <span key={each}>{each}</span>
      ))}
      {reopened > 0 && <span>{t.reopened(reopened)}</span>}
      {acknowledged && (
        <span>
          {acknowledged.by === null ? alerts.acknowledged : alerts.acknowledgedBy({ by: acknowledged.by })}
          {acknowledged.note !== null && `: ${acknowledged.note}`}
        </span>
      )}
      {mergedInto !== null && (
        <span>
          <a href={links.incident(mergedInto)}>{t.mergedInto({ id: mergedInto })}</a>
        </span>
      )}
    </p>
  )
}

function Lines({ lines }: Pick<IncidentDetail, 'lines'>) {
  const t = useTexts('incidentLines')
  return (
    <ol class="incident-lines">
      {[...lines].reverse().map(({ id, date, kind, by, text }) => (
        <li key={id}>
          <small class="muted">
            <Time at={date} />
          </small>
          <span>
            <strong>{t[kind]}</strong>
            {by !== null && <span class="id"> {by}</span>}
            {text !== null && <span class="note"> {text}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}

interface NoteFormProps {
  readonly id: number
  readonly onChange: () => void
}

function NoteForm({ id, onChange }: NoteFormProps) {
  const t = useTexts('incidents')
  const problemOf = useProblemText()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const note = text.trim()
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    if (note === '') return
    try {
      await addIncidentNote(id, note)
      setText('')
      setProblem(null)
      onChange()
    } catch (error) {
      setProblem(problemOf(error))
    }
  }
  return (
    <form class="note-form" onSubmit={(event) => void submit(event)}>
      <label>
        {t.newNote}
        <input
          value={text}
          maxLength={2_000}
          autocomplete="off"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit" class="quiet" disabled={note === ''}>
        {t.addNote}
      </button>
      <p role="alert" class="problem">
        {problem}
      </p>
    </form>
  )
}
