/** Shows a form in a dialog. */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'
import { useAction } from './action.ts'
import { Dialog } from './dialog.tsx'

interface DialogFormProps {
  readonly title: string
  /** Label of the button that submits the form. */
  readonly action: string
  readonly class?: string
  /** False while a field has a value that the server would refuse. */
  readonly isValid?: boolean
  /** Submits the values of the form. Its error is shown above the buttons. */
  readonly run: (values: FormData) => Promise<unknown>
  readonly onDone: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/**
 * Shows fields with the buttons Close and submit. Ctrl+Enter submits too. A second submission is ignored while the
 * first runs.
 */
export function DialogForm({
  title,
  action,
  isValid = true,
  run,
  onDone,
  onClose,
  ...props
}: DialogFormProps) {
  const t = useTexts('common')
  const form = useRef<HTMLFormElement>(null)
  const { problem, isBusy, act } = useAction({
    run: () => run(new FormData(form.current as HTMLFormElement)),
    onDone,
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        ref={form}
        class={props.class}
        onSubmit={(event) => {
          event.preventDefault()
          if (isValid) void act()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
        }}
      >
        {props.children}
        <p role="alert" class="problem">
          {problem}
        </p>
        <div class="actions">
          <button type="button" class="quiet" onClick={onClose}>
            {t.close}
          </button>
          <button type="submit" aria-busy={isBusy} disabled={isBusy || !isValid}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
