/** Asks for a confirmation before an action, and shows the error if the action fails. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'
import { useProblemText } from './loaded.tsx'

interface ConfirmProps {
  readonly title: string
  /** Label of the button that runs the action. */
  readonly action: string
  /** Label of the button that closes the dialog without running the action. Default: Close. */
  readonly dismiss?: string
  readonly isDanger?: boolean
  readonly run: () => Promise<unknown>
  /** Returns the text for an error; undefined for the general text. */
  readonly textFor?: (error: unknown) => string | undefined
  readonly onDone: () => void
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

export function Confirm({ title, action, dismiss, isDanger = false, run, textFor, ...props }: ConfirmProps) {
  const t = useTexts('common')
  const textOf = useProblemText()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function act(): Promise<void> {
    setBusy(true)
    setProblem(null)
    try {
      await run()
      props.onDone()
    } catch (error) {
      setProblem(textFor?.(error) ?? textOf(error))
      setBusy(false)
    }
  }

  return (
    <Dialog title={title} onClose={props.onClose}>
      {props.children}
      <p role="alert" class="problem">
        {problem}
      </p>
      <div class="actions">
        <button type="button" class="quiet" onClick={props.onClose}>
          {dismiss ?? t.close}
        </button>
        <button
          type="button"
          class={isDanger ? 'danger' : ''}
          aria-busy={isBusy}
          disabled={isBusy}
          onClick={() => void act()}
        >
          {action}
        </button>
      </div>
    </Dialog>
  )
}
