/** Asks at a button before its action. The question names its object, and a double click cannot answer it. */
import type { ComponentChildren, RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useKeys } from '../state/shortcuts.ts'
import { useTexts } from '../texts/texts.ts'
import { type ActionProps, useAction, useArmed } from './action.ts'
import { Popover } from './popover.tsx'

interface QuestionProps extends ActionProps {
  readonly anchor: RefObject<HTMLElement>
  /** Label of the button that runs the action. */
  readonly action: string
  /** Label of the button that changes nothing. Default: Close. */
  readonly dismiss?: string | undefined
  readonly isDanger?: boolean | undefined
  readonly onClose: () => void
  /** The question, with number and command. */
  readonly children: ComponentChildren
}

/** Shows a question beside a button as long as it is rendered. */
export function Question({ anchor, action, dismiss, isDanger = false, children, ...props }: QuestionProps) {
  const t = useTexts('common')
  const { problem, isBusy, act } = useAction(props)
  const isArmed = useArmed()
  return (
    <Popover anchor={anchor} role="alertdialog" label={action} class="question" onClose={props.onClose}>
      {children}
      <p role="alert" class="problem">
        {problem}
      </p>
      <div class="actions">
        <button type="button" class="small quiet" data-safe onClick={props.onClose}>
          {dismiss ?? t.close}
        </button>
        <button
          type="button"
          class={`small ${isDanger ? 'danger' : ''}`}
          aria-busy={isBusy}
          aria-disabled={!isArmed}
          disabled={isBusy}
          onClick={() => {
            if (isArmed) void act()
          }}
        >
          {action}
        </button>
      </div>
    </Popover>
  )
}

interface QuestionButtonProps extends Omit<QuestionProps, 'anchor' | 'onClose' | 'children'> {
  readonly class?: string
  /** Content of the button that opens the question. */
  readonly label: ComponentChildren
  readonly question: ComponentChildren
  readonly onAsk?: () => void
  readonly shortcut?: string
  /** Called when the question closes without the action. */
  readonly onClose?: () => void
}

/** Shows a button that asks before it acts. */
export function QuestionButton({
  label,
  question,
  onAsk,
  shortcut,
  onDone,
  onClose,
  ...props
}: QuestionButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  const [isAsking, setAsking] = useState(false)
  const ask = (): void => {
    setAsking(true)
    onAsk?.()
  }
  useKeys(shortcut === undefined ? {} : { [shortcut]: ask })
  return (
    <>
      <button
        ref={button}
        type="button"
        class={props.class ?? 'small quiet'}
        aria-haspopup="dialog"
        aria-keyshortcuts={shortcut}
        aria-expanded={isAsking}
        onClick={ask}
      >
        {label}
      </button>
      {isAsking && (
        <Question
          {...props}
          anchor={button}
          onDone={() => {
            setAsking(false)
            onDone()
          }}
          onClose={() => {
            setAsking(false)
            onClose?.()
          }}
        >
          {question}
        </Question>
      )}
    </>
  )
}
