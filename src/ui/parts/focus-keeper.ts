/** Keeps the focus on the screen when the focused element is removed: on the next row, or on the heading. */

const FOCUSABLE = 'a[href], button:not([disabled]), input:not([disabled]), select, textarea, [tabindex]'

interface Place {
  readonly element: Element
  /** Rows to move to: the rows after the focused element, then those before it. */
  readonly rows: readonly Element[]
}

let last: Place | null = null

/** Starts to watch the focus below `root`. @returns a function that stops */
export function keepFocus(root: Element): () => void {
  const onFocus = ({ target }: FocusEvent): void => {
    if (target instanceof Element) last = placeOf(target)
  }
  // A click outside all controls removes the focus deliberately.
  const onPointer = (): void => {
    last = null
  }
  const observer = new MutationObserver(restore)
  document.addEventListener('focusin', onFocus)
  document.addEventListener('pointerdown', onPointer)
  observer.observe(root, { childList: true, subtree: true })
  return () => {
    document.removeEventListener('focusin', onFocus)
    document.removeEventListener('pointerdown', onPointer)
    observer.disconnect()
    last = null
  }
}

/** Focuses the element, or its neighbour if the element is gone. */
export function returnFocus(element: Element | null, place = element && placeOf(element)): void {
  if (element instanceof HTMLElement && element.isConnected && element !== document.body) element.focus()
  if (document.activeElement === document.body) focusNear(place)
}

/** Remembers the position of an element, so that the focus can move to its neighbour. */
export function placeOf(element: Element): Place {
  const row = element.closest('tr, li')
  const siblings = [...(row?.parentElement?.children ?? [])]
  const at = row ? siblings.indexOf(row) : -1
  return { element, rows: at < 0 ? [] : [...siblings.slice(at + 1), ...siblings.slice(0, at).reverse()] }
}

function restore(): void {
  if (document.activeElement !== document.body || last === null || last.element.isConnected) return
  focusNear(last)
}

function focusNear(place: Place | null): void {
  const row = place?.rows.find((each) => each.isConnected && each.querySelector(FOCUSABLE))
  const target = row?.querySelector(FOCUSABLE) ?? document.querySelector('main h1') ?? null
  if (target instanceof HTMLElement) target.focus()
}
