/** Lists the actions on an alert, in the order of the buttons. A READER may only open its place. */
import { ArrowRight, Check, RotateCcw, Undo2 } from 'lucide-preact'
import type { MenuItem } from '../parts/menu.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { type Alert, acknowledgeAlert, failedMessages, parkedMessages, reopenAlert } from '../state/alerts.ts'
import { askBulk, type BulkRequest } from '../state/bulk.ts'
import { links } from '../state/location.ts'
import { call, mayChange } from '../state/session.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

export interface AlertAct extends MenuItem {
  readonly name: 'again' | 'open' | 'acknowledge'
}

/** @param onChange called after an action that changes the alert */
export function useAlertActs(alert: Alert, onChange: () => void): readonly AlertAct[] {
  const t = useTexts('alerts')
  const again = useAgain(alert, onChange)
  const acknowledge = useAcknowledge(alert, onChange)
  const open: AlertAct = { name: 'open', label: t.open, icon: ArrowRight, link: placeOf(alert) }
  return mayChange.value ? [...again, open, acknowledge] : [open]
}

/** Returns the place that shows the object of the alert. */
function placeOf({ kind, deviseId }: Alert): string {
  if (kind === 'LOGIN_REFUSED') return links.refusals()
  if (deviseId === null) return links.system()
  if (kind === 'PARKED') return links.messages({ deviseId, cause: 'NOT_ACKNOWLEDGED' })
  if (kind === 'NOT_FINISHED') return links.messages({ deviseId, cause: 'NOT_FINISHED' })
  if (kind === 'FAILED') return links.messages({ deviseId, outcome: 'FAILED' })
  return links.device(deviseId)
}

function useAcknowledge({ key, acknowledged }: Alert, onChange: () => void): AlertAct {
  const t = useTexts('alerts')
  const common = useTexts('common')
  const problemOf = useProblemText()
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
    const undo = { label: common.undo, run: () => void change(reopenAlert) }
    showToast({ text: t.acknowledgedToast, action: undo })
  }
  return acknowledged === null
    ? { name: 'acknowledge', label: t.acknowledge, icon: Check, run: acknowledge }
    : { name: 'acknowledge', label: t.reopen, icon: Undo2, run: () => change(reopenAlert) }
}

/**
 * Returns the actions that send failed commands again, or replay parked commands: one at its button, others in a
 * dialog.
 */
function useAgain(alert: Alert, onChange: () => void): readonly AlertAct[] {
  const t = useTexts('alerts')
  const problemOf = useProblemText()
  const { kind, deviseId, messageId, command, count } = alert
  if (deviseId === null || messageId === null || count === null) return []
  async function ask(request: () => Promise<BulkRequest>): Promise<void> {
    try {
      askBulk(await request())
    } catch (error) {
      showToast({ text: problemOf(error), tone: 'bad' })
    }
  }
  const act = { name: 'again', icon: RotateCcw } as const
  if (kind === 'PARKED') {
    const request = async () => ({ action: 'REPLAY', messages: parkedMessages(alert) }) as const
    return [{ ...act, label: t.replay(count), run: () => ask(request) }]
  }
  if (kind !== 'FAILED') return []
  if (count > 1) {
    const request = async () => ({ action: 'RESEND', messages: await failedMessages(alert) }) as const
    return [{ ...act, label: t.sendAgain(count), run: () => ask(request) }]
  }
  async function resend(): Promise<void> {
    const params = { path: { id: messageId as number } }
    await call((api) => api.POST('/admin/api/messages/{id}/resend', { params }))
    showToast({ text: t.sentAgain })
    onChange()
  }
  const text = t.sendAgainAsk({ command: command ?? '', number: messageId, id: deviseId })
  return [{ ...act, label: t.sendAgain(1), ask: { text }, run: resend }]
}
