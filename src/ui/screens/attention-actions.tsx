/** Shows the actions on a row of the overview: as buttons, and on a phone in a menu. */

import { Menu, type MenuItem } from '../parts/menu.tsx'
import { QuestionButton } from '../parts/question.tsx'
import type { Alert } from '../state/alerts.ts'
import { useTexts } from '../texts/texts.ts'
import { useAlertActs } from './attention-acts.ts'

interface AttentionActionsProps {
  readonly alert: Alert
  /** True if the alert is over. Its place can still be opened. */
  readonly isOver: boolean
  readonly onChange: () => void
}

export function AttentionActions({ alert, isOver, onChange }: AttentionActionsProps) {
  const acts = useAlertActs(alert, onChange)
  return <ActionButtons acts={isOver ? acts.filter(({ name }) => name === 'open') : acts} />
}

interface Act extends MenuItem {
  readonly name: string
}

interface ActionButtonsProps {
  readonly acts: readonly Act[]
  /** Actions in the menu. Default: those of the buttons. */
  readonly all?: readonly Act[]
}

/** Shows actions as buttons, and in a menu: on a phone, and for what has more actions than buttons. */
export function ActionButtons({ acts, all = acts }: ActionButtonsProps) {
  const common = useTexts('common')
  return (
    <>
      <div class="actions">
        {acts.map((act) => (
          <ActButton key={act.label} act={act} />
        ))}
      </div>
      <Menu label={common.actions} items={all} />
    </>
  )
}

/** Shows one action. The keys of the list find it by `data-act`. */
function ActButton({ act: { name, label, icon: Icon, link, ask, run } }: { act: Act }) {
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
