/** A question before something is done, and what went wrong when it was. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'
import { useProblemText } from './loaded.tsx'

interface ConfirmProps {
  readonly title: string
  /** What the button says that does it. */
  readonly action: string
  readonly isDanger?: boolean
  readonly run: () => Promise<unknown>
  /** Our words for an error, where there are better ones than the server's. */
  readonly textFor?: (error: unknown) => string | undefined
  readonly onDone: () => void
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

export function Confirm({ title, action, isDanger = false, run, textFor, ...props }: ConfirmProps) {
  const t = useTexts('words')
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
          {t.cancel}
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
