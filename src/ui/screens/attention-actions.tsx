/** Shows what a person can do about an alert: open its place, send its commands again, acknowledge it. */
import { Check, RotateCcw, Undo2 } from 'lucide-preact'
import { AdminOnly } from '../parts/admin-only.tsx'
import { useProblemText } from '../parts/loaded.tsx'
import { QuestionButton } from '../parts/question.tsx'
import { type Alert, acknowledgeAlert, failedMessages, parkedMessages, reopenAlert } from '../state/alerts.ts'
import { askBulk } from '../state/bulk.ts'
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

/** Sends failed commands again, or replays parked ones. One failed command is asked for at the button, others in a dialog. */
function Again({ alert, onChange }: ChangeProps) {
  const { kind, deviseId, count } = alert
  if (deviseId === null || count === null) return null
  if (kind === 'FAILED' && count === 1) return <SendOneAgain alert={alert} onChange={onChange} />
  if (kind === 'FAILED' || kind === 'PARKED') return <AllAgain alert={alert} count={count} />
  return null
}

function SendOneAgain({ alert: { deviseId, messageId, command }, onChange }: ChangeProps) {
  const t = useTexts('alerts')
  if (messageId === null) return null
  const params = { path: { id: messageId } }
  const question = t.sendAgainAsk({ command: command ?? '', number: messageId, id: deviseId ?? '' })
  return (
    <span data-act="again">
      <QuestionButton
        label={
          <>
            <RotateCcw size={14} aria-hidden="true" /> {t.sendAgain(1)}
          </>
        }
        action={t.sendAgain(1)}
        question={<p>{question}</p>}
        run={() => call((api) => api.POST('/admin/api/messages/{id}/resend', { params }))}
        onDone={() => {
          showToast({ text: t.sentAgain })
          onChange()
        }}
      />
    </span>
  )
}

function AllAgain({ alert, count }: { alert: Alert; count: number }) {
  const t = useTexts('alerts')
  const problemOf = useProblemText()
  const isParked = alert.kind === 'PARKED'
  async function ask(): Promise<void> {
    try {
      const messages = isParked ? parkedMessages(alert) : await failedMessages(alert)
      askBulk({ action: isParked ? 'REPLAY' : 'RESEND', messages })
    } catch (error) {
      showToast({ text: problemOf(error), tone: 'bad' })
    }
  }
  return (
    <button
      type="button"
      class="small quiet"
      data-act="again"
      aria-haspopup="dialog"
      onClick={() => void ask()}
    >
      <RotateCcw size={14} aria-hidden="true" /> {isParked ? t.replay(count) : t.sendAgain(count)}
    </button>
  )
}
