/** Shows a dialog with the browser's own element, which keeps the focus inside and closes on Escape. */
import { X } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Shows a dialog as long as it is rendered. The focus then returns to the element that had it before. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const t = useTexts('common')
  const titleId = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // Without this, the browser would focus the button that closes the dialog.
    dialog.current?.querySelector<HTMLElement>('input:not([readonly]), select, textarea')?.focus()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  // The default action would close the element before it is removed. A dialog that opens in between would close too.
  const cancel = (event: Event): void => {
    event.preventDefault()
    onClose()
  }
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onCancel={cancel} onClose={onClose}>
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
