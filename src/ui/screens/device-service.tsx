/** Shows that a device is out of service, with the form and the end of it, and the notes about the device. */
import { ScrollText, Trash2, Wrench } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import type { DeviceNote, DeviceService } from '../../client/index.ts'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { DialogForm } from '../parts/dialog-form.tsx'
import { Problem } from '../parts/problem.tsx'
import { Ago, Time } from '../parts/time.tsx'
import {
  addNote,
  countExpiring,
  removeNote,
  returnToService,
  takeOutOfService,
} from '../state/device-service.ts'
import { inputTime, timeOf } from '../state/input-time.ts'
import { mayChange } from '../state/session.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

/** Longest time until the end that the server accepts, in milliseconds. */
const MAX_SERVICE_MS = 31_622_400_000

interface OutOfServiceProps {
  readonly id: string
  readonly service: DeviceService
  readonly onChange: () => void
}

/** Part of the strip of a device. */
export function OutOfService({ id, service, onChange }: OutOfServiceProps) {
  const t = useTexts('device')
  const [problem, setProblem] = useState<unknown>(null)
  const end = (): void => {
    returnToService(id)
      .then(() => showToast({ text: t.serviceEnded }))
      .then(onChange, setProblem)
  }
  return (
    <div class="part">
      <span>
        <strong>{t.outOfServiceSince}</strong> <Time at={service.sinceDate} />
        {service.untilDate !== null && (
          <>
            , {t.until} <Time at={service.untilDate} />
          </>
        )}
        {service.by !== null && `, ${service.by}`}: {service.reason}
      </span>
      <AdminOnly>
        <button type="button" class="small quiet" onClick={end}>
          <Wrench size={14} aria-hidden="true" /> {t.endService}
        </button>
      </AdminOnly>
      {problem !== null && <Problem error={problem} />}
    </div>
  )
}

interface ServiceFormProps {
  readonly id: string
  readonly service: DeviceService | null
  readonly onClose: () => void
}

/** Takes a device out of service, or changes the reason and the end. */
export function ServiceForm({ id, service, onClose }: ServiceFormProps) {
  const t = useTexts('device')
  const [until, setUntil] = useState(inputTime(service?.untilDate ?? null))
  return (
    <DialogForm
      title={service === null ? t.takeOut : t.changeService}
      action={service === null ? t.takeOut : t.changeService}
      run={(values) =>
        takeOutOfService(id, { reason: String(values.get('reason')), untilDate: timeOf(until) })
      }
      onDone={onClose}
      onClose={onClose}
    >
      <p>{t.serviceHint}</p>
      <label>
        {t.serviceReason}
        <input
          name="reason"
          required
          maxLength={500}
          autocomplete="off"
          defaultValue={service?.reason ?? ''}
        />
      </label>
      <label>
        {t.serviceEnd}
        <input
          type="datetime-local"
          min={inputTime(Date.now())}
          max={inputTime(Date.now() + MAX_SERVICE_MS)}
          value={until}
          onInput={(event) => setUntil(event.currentTarget.value)}
        />
      </label>
      <Expiring id={id} untilDate={timeOf(until)} />
    </DialogForm>
  )
}

/** Says how many pending commands expire while the device is out of service. */
function Expiring({ id, untilDate }: { readonly id: string; readonly untilDate: number | null }) {
  const t = useTexts('device')
  const [count, setCount] = useState<number | null>(null)
  useEffect(() => {
    let isShown = true
    setCount(null)
    countExpiring(id, untilDate).then(
      (found) => isShown && setCount(found),
      () => {},
    )
    return () => {
      isShown = false
    }
  }, [id, untilDate])
  if (count === null) return <p role="status" />
  const text = count === 0 ? t.noneExpires : t.mayExpire(count)
  return <p role="status">{text}</p>
}

interface NewestNoteProps {
  readonly notes: readonly DeviceNote[]
  readonly onOpen: () => void
}

/** Part of the strip of a device: its newest note. */
export function NewestNote({ notes, onOpen }: NewestNoteProps) {
  const t = useTexts('device')
  const [newest] = notes
  if (newest === undefined) return null
  return (
    <div class="part">
      <span>
        <ScrollText size={14} aria-hidden="true" /> {newest.text}{' '}
        <small class="muted">
          {newest.by !== null && `${newest.by}, `}
          <Ago at={newest.date} />
        </small>
      </span>
      <button type="button" class="small quiet" onClick={onOpen}>
        {t.allNotes(notes.length)}
      </button>
    </div>
  )
}

interface NoteListProps {
  readonly id: string
  readonly notes: readonly DeviceNote[]
  readonly onChange: () => void
}

/** Lists the notes about a device, and adds and removes them. */
export function NotesDialog({ onClose, ...list }: NoteListProps & { readonly onClose: () => void }) {
  const t = useTexts('device')
  if (!mayChange.value)
    return (
      <Dialog title={t.notes} onClose={onClose}>
        <NoteList {...list} />
      </Dialog>
    )
  return (
    <DialogForm
      title={t.notes}
      action={t.addNote}
      run={(values) => addNote(list.id, String(values.get('text')))}
      onDone={() => {
        list.onChange()
        onClose()
      }}
      onClose={onClose}
    >
      <NoteList {...list} />
      <label>
        {t.newNote}
        <textarea name="text" required maxLength={2000} rows={3} />
      </label>
    </DialogForm>
  )
}

function NoteList({ id, notes, onChange }: NoteListProps) {
  const t = useTexts('device')
  const [problem, setProblem] = useState<unknown>(null)
  if (notes.length === 0) return <p class="muted">{t.noNotes}</p>
  return (
    <>
      <ul>
        {notes.map((note) => (
          <li key={note.id}>
            {note.text}{' '}
            <small class="muted">
              {note.by !== null && `${note.by}, `}
              <Ago at={note.date} />
            </small>{' '}
            <AdminOnly>
              <button
                type="button"
                class="small quiet"
                aria-label={t.removeNote}
                title={t.removeNote}
                onClick={() => void removeNote(id, note.id).then(onChange, setProblem)}
              >
                <Trash2 size={14} aria-hidden="true" />
              </button>
            </AdminOnly>
          </li>
        ))}
      </ul>
      {problem !== null && <Problem error={problem} />}
    </>
  )
}
