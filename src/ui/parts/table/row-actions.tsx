/** Shows the actions of a row: its menu, and buttons for immediate actions. */
import { useTexts } from '../../texts/texts.ts'
import { Menu, type MenuItem } from '../menu.tsx'
import { QuestionButton } from '../question.tsx'

interface RowActionsProps {
  readonly row: string
  readonly items: readonly MenuItem[]
  /** True if the row has room for buttons. */
  readonly hasButtons: boolean
}

export function RowActions({ row, items, hasButtons }: RowActionsProps) {
  const t = useTexts('table')
  const stands = ({ isButton, ask }: MenuItem): boolean =>
    hasButtons && isButton === true && ask !== undefined
  const inMenu = items.filter((each) => !stands(each))
  return (
    <>
      {items.filter(stands).map((each) => (
        <ActionButton key={each.label} item={each} />
      ))}
      {inMenu.length > 0 && <Menu label={t.actions({ row })} items={inMenu} />}
    </>
  )
}

function ActionButton({ item }: { item: MenuItem }) {
  return (
    <QuestionButton
      class="small quiet row-action"
      label={
        <>
          <item.icon size={14} aria-hidden="true" /> {item.label}
        </>
      }
      question={<p>{item.ask?.text}</p>}
      action={item.label}
      dismiss={item.ask?.dismiss}
      isDanger={item.isDanger}
      run={async () => item.run?.()}
      textFor={item.textFor}
      onDone={() => {}}
    />
  )
}
