/** Asks for a confirmation in a dialog before an action, and shows the error if the action fails. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'
import { type ActionProps, useAction, useArmed } from './action.ts'
import { Dialog } from './dialog.tsx'

interface ConfirmProps extends ActionProps {
  readonly title: string
  /** Label of the button that runs the action. */
  readonly action: string
  /** Label of the button that closes the dialog without running the action. Default: Close. */
  readonly dismiss?: string
  readonly isDanger?: boolean
  /** A text, such as an id, that the user must type before the action can run. */
  readonly typed?: string
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

export function Confirm({ title, action, dismiss, isDanger = false, typed, ...props }: ConfirmProps) {
  const t = useTexts('common')
  const { problem, isBusy, act } = useAction(props)
  const isArmed = useArmed()
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text === typed

  function submit(event: SubmitEvent): void {
    event.preventDefault()
    if (isArmed && isTyped) void act()
  }

  return (
    <Dialog title={title} onClose={props.onClose}>
      <form onSubmit={submit}>
        {props.children}
        {typed !== undefined && (
          <label>
            {t.typeToConfirm({ id: typed })}
            <input
              class="id"
              value={text}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
        )}
        <p role="alert" class="problem">
          {problem}
        </p>
        <div class="actions">
          <button type="button" class="quiet" data-safe onClick={props.onClose}>
            {dismiss ?? t.close}
          </button>
          <button
            type="submit"
            class={isDanger ? 'danger' : ''}
            aria-busy={isBusy}
            aria-disabled={!isArmed}
            disabled={isBusy || !isTyped}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
