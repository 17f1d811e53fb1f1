/** Shows a dialog with the browser's own element, which keeps the focus inside and closes on Escape. */
import { X } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'
import { placeOf, returnFocus } from './focus-keeper.ts'

interface DialogProps {
  readonly title: string
  /** True shows the dialog over the whole height at the side. */
  readonly isSide?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}

const FIELDS = 'input:not([readonly], [type="hidden"]), select, textarea'
const TEXTS =
  'input:not([readonly], [type="hidden"], [type="checkbox"], [type="radio"], [data-optional]), textarea'

/**
 * Shows a dialog as long as it is rendered. The first empty field gets the focus; in a question, the button that
 * changes nothing (`data-safe`). Afterwards the focus returns to the element that had it before, or to its neighbour.
 */
export function Dialog({ title, isSide = false, onClose, children }: DialogProps) {
  const t = useTexts('common')
  const titleId = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const isPressedOutside = useRef(false)
  useLayoutEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    const place = opener && placeOf(opener)
    element?.showModal()
    if (element) (isSide ? element.querySelector('h2') : firstTarget(element))?.focus()
    return () => {
      // An open modal dialog makes the rest of the page inert, so close it before focusing the opener.
      element?.close()
      returnFocus(opener, place)
    }
  }, [])
  // The default action would close the element before it is removed. A dialog that opens in between would close too.
  const cancel = (event: Event): void => {
    event.preventDefault()
    onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog by keyboard
    <dialog
      ref={dialog}
      class={isSide ? 'side' : undefined}
      aria-labelledby={titleId}
      onCancel={cancel}
      onPointerDown={({ target }) => {
        isPressedOutside.current = target === dialog.current
      }}
      onClick={({ target }) => {
        if (isPressedOutside.current && target === dialog.current) onClose()
      }}
    >
      <article>
        <header>
          <h2 id={titleId} tabIndex={isSide ? -1 : undefined}>
            {title}
          </h2>
          <button type="button" class="icon" aria-label={t.close} onClick={onClose}>
            <X size={18} aria-hidden="true" />
          </button>
        </header>
        {children}
      </article>
    </dialog>
  )
}

function firstTarget(dialog: HTMLElement): HTMLElement | null {
  const texts = [...dialog.querySelectorAll<HTMLInputElement>(TEXTS)]
  return (
    texts.find(({ value }) => value === '') ??
    dialog.querySelector<HTMLElement>('[data-safe]') ??
    dialog.querySelector<HTMLElement>(FIELDS) ??
    dialog.querySelector<HTMLElement>('article > :not(header) :is(a[href], button)')
  )
}
