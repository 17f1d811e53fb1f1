/** Asks for the note of an acknowledgement, the end of a mute, or the reason of a resolution, and changes incidents. */
import { useState } from 'preact/hooks'
import { DialogForm } from '../parts/dialog-form.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { changeIncidents, type IncidentChange } from '../state/incidents.ts'
import { inputTime, timeOf } from '../state/input-time.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

export type IncidentAction = 'acknowledge' | 'mute' | 'resolve'

const DAY_MS = 86_400_000
const MAX_MUTE_MS = 30 * DAY_MS

interface IncidentDialogProps {
  readonly act: IncidentAction
  readonly ids: readonly number[]
  readonly onDone: () => void
  readonly onClose: () => void
}

export function IncidentDialog({ act, ids, onDone, onClose }: IncidentDialogProps) {
  const t = useTexts('incidents')
  const report = useReport()
  const [until, setUntil] = useState(() => inputTime(Date.now() + DAY_MS))
  const hints = { acknowledge: t.acknowledgeHint, mute: t.muteHint, resolve: t.resolveHint }
  async function run(values: FormData): Promise<void> {
    const note = String(values.get('note')).trim()
    report(ids.length, await changeIncidents(ids, changeOf(act, note, timeOf(until) ?? 0)))
  }
  return (
    <DialogForm
      title={t[act]}
      action={t[act]}
      run={run}
      onDone={() => {
        onClose()
        onDone()
      }}
      onClose={onClose}
    >
      <p>{hints[act]}</p>
      {act === 'mute' && (
        <label>
          {t.until}
          <input
            type="datetime-local"
            required
            data-optional
            min={inputTime(Date.now())}
            max={inputTime(Date.now() + MAX_MUTE_MS)}
            value={until}
            onInput={({ currentTarget }) => setUntil(currentTarget.value)}
          />
        </label>
      )}
      <label>
        {t.note}
        <textarea name="note" rows={3} maxLength={2_000} required={act === 'resolve'} />
      </label>
    </DialogForm>
  )
}

function changeOf(act: IncidentAction, text: string, untilDate: number): IncidentChange {
  const note = text === '' ? null : text
  switch (act) {
    case 'acknowledge':
      return { is: 'acknowledge', note }
    case 'mute':
      return { is: 'mute', untilDate, note }
    case 'resolve':
      return { is: 'resolve', note: text }
    default:
      return act satisfies never
  }
}

/** Returns a function that changes incidents and says how many changed. @param onDone called after the change */
export function useIncidentChange(
  onDone: () => void,
): (ids: readonly number[], change: IncidentChange) => Promise<void> {
  const report = useReport()
  const problemOf = useProblemText()
  return async (ids, change) => {
    try {
      report(ids.length, await changeIncidents(ids, change))
    } catch (error) {
      showToast({ text: problemOf(error), tone: 'bad' })
    }
    onDone()
  }
}

/** Returns a function that says how many of the asked incidents changed. */
function useReport(): (asked: number, changed: number) => void {
  const t = useTexts('incidents')
  return (asked, changed) => {
    const left = asked - changed
    const text = left === 0 ? t.changed(changed) : `${t.changed(changed)}. ${t.unchanged(left)}.`
    showToast({ text, tone: left === 0 ? 'good' : 'info' })
  }
}
