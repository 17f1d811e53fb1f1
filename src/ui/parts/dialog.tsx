/** A dialog: the browser's own, so that the focus stays inside, Escape closes it, and the focus goes back. */
import { X } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const t = useTexts('words')
  const titleId = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // The browser would choose the button that closes it.
    dialog.current?.querySelector<HTMLElement>('input:not([readonly]), select, textarea')?.focus()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  // Taken away, not closed first: what is opened in the moment between the two would be closed with it.
  const leave = (event: Event): void => {
    event.preventDefault()
    onClose()
  }
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onCancel={leave} onClose={onClose}>
      <article>
        <header>
          <h2 id={titleId}>{title}</h2>
          <button type="button" class="icon" aria-label={t.close} onClick={onClose}>
            <X size={18} aria-hidden="true" />
          </button>
        </header>
        {children}
      </article>
    </dialog>
  )
}
