/** Shows what a person can do about an alert: open its place, send its commands again, acknowledge it. */
import { Check, RotateCcw, Undo2 } from 'lucide-preact'
import { AdminOnly } from '../parts/admin-only.tsx'
import { useProblemText } from '../parts/loaded.tsx'
import { QuestionButton } from '../parts/question.tsx'
import { type Alert, acknowledgeAlert, reopenAlert } from '../state/alerts.ts'
import { links } from '../state/location.ts'
import { call } from '../state/session.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

interface AttentionActionsProps {
  readonly alert: Alert
  /** True if the alert is over. Its place can still be opened. */
  readonly isOver: boolean
  readonly onChange: () => void
}

export function AttentionActions({ alert, isOver, onChange }: AttentionActionsProps) {
  const t = useTexts('alerts')
  return (
    <div class="actions">
      {!isOver && (
        <AdminOnly>
          <Again alert={alert} onChange={onChange} />
        </AdminOnly>
      )}
      <a class="button small quiet" data-open href={placeOf(alert)}>
        {t.open}
      </a>
      {!isOver && (
        <AdminOnly>
          <Acknowledge alert={alert} onChange={onChange} />
        </AdminOnly>
      )}
    </div>
  )
}

/** Returns the place that shows what the alert is about. */
function placeOf({ kind, deviseId }: Alert): string {
  if (kind === 'LOGIN_REFUSED') return links.connections()
  if (deviseId === null) return links.system()
  if (kind === 'PARKED') return links.messages({ deviseId, cause: 'NOT_ACKNOWLEDGED' })
  if (kind === 'NOT_FINISHED') return links.messages({ deviseId, cause: 'NOT_FINISHED' })
  if (kind === 'FAILED') return links.messages({ deviseId, outcome: 'FAILED' })
  return links.device(deviseId)
}

type ChangeProps = Omit<AttentionActionsProps, 'isOver'>

function Acknowledge({ alert: { key, acknowledged }, onChange }: ChangeProps) {
  const t = useTexts('alerts')
  const common = useTexts('common')
  const problemOf = useProblemText()
  const isOpen = acknowledged === null
  async function change(act: (key: string) => Promise<void>): Promise<boolean> {
    try {
      await act(key)
      return true
    } catch (error) {
      showToast({ text: problemOf(error), tone: 'bad' })
      return false
    } finally {
      onChange()
    }
  }
  async function acknowledge(): Promise<void> {
    if (!(await change(acknowledgeAlert))) return
    showToast({
      text: t.acknowledgedToast,
      action: { label: common.undo, run: () => void change(reopenAlert) },
    })
  }
  const Icon = isOpen ? Check : Undo2
  return (
    <button
      type="button"
      class="small quiet"
      data-act="acknowledge"
      onClick={() => void (isOpen ? acknowledge() : change(reopenAlert))}
    >
      <Icon size={14} aria-hidden="true" /> {isOpen ? t.acknowledge : t.reopen}
    </button>
  )
}

/** Sends the failed command of the alert again. */
function Again({ alert: { kind, deviseId, messageId, command, count }, onChange }: ChangeProps) {
  const t = useTexts('alerts')
  if (kind !== 'FAILED' || deviseId === null || messageId === null || count !== 1) return null
  const params = { path: { id: messageId } }
  return (
    <span data-act="again">
      <QuestionButton
        label={
          <>
            <RotateCcw size={14} aria-hidden="true" /> {t.sendAgain(1)}
          </>
        }
        action={t.sendAgain(1)}
        question={<p>{t.sendAgainAsk({ command: command ?? '', number: messageId, id: deviseId })}</p>}
        run={() => call((api) => api.POST('/admin/api/messages/{id}/resend', { params }))}
        onDone={() => {
          showToast({ text: t.sentAgain(1) })
          onChange()
        }}
      />
    </span>
  )
}
