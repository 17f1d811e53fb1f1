/** Shows the actions on an alert: as buttons, and on a phone in a menu. */

import { Menu } from '../parts/menu.tsx'
import { QuestionButton } from '../parts/question.tsx'
import type { Alert } from '../state/alerts.ts'
import { useTexts } from '../texts/texts.ts'
import { type AlertAct, useAlertActs } from './attention-acts.ts'

interface AttentionActionsProps {
  readonly alert: Alert
  /** True if the alert is over. Its place can still be opened. */
  readonly isOver: boolean
  readonly onChange: () => void
}

export function AttentionActions({ alert, isOver, onChange }: AttentionActionsProps) {
  const common = useTexts('common')
  const acts = useAlertActs(alert, onChange)
  const possible = isOver ? acts.filter(({ name }) => name === 'open') : acts
  return (
    <>
      <div class="actions">
        {possible.map((act) => (
          <ActButton key={act.name} act={act} />
        ))}
      </div>
      <Menu label={common.actions} items={possible} />
    </>
  )
}

/** Shows one action. The keys of the list find it by `data-act`. */
function ActButton({ act: { name, label, icon: Icon, link, ask, run } }: { act: AlertAct }) {
  if (link !== undefined) {
    return (
      <a class="button small quiet" data-act={name} href={link}>
        {label}
      </a>
    )
  }
  const content = (
    <>
      <Icon size={14} aria-hidden="true" /> {label}
    </>
  )
  if (ask) {
    return (
      <span data-act={name}>
        <QuestionButton
          label={content}
          action={label}
          question={<p>{ask.text}</p>}
          run={async () => run?.()}
          onDone={() => {}}
        />
      </span>
    )
  }
  return (
    <button type="button" class="small quiet" data-act={name} onClick={() => void run?.()}>
      {content}
    </button>
  )
}
