/** Decides when the rows of a table are held: under the pointer, with the focus inside, or with selected rows. */
import type { RefObject } from 'preact'
import { useEffect, useReducer, useRef, useState } from 'preact/hooks'
import { type LiveRows, nextRows } from './live-rows.ts'

/** Milliseconds from the end of the use of a table until rows come and go again. */
const RELEASE_MS = 1_000
const EVENTS = ['pointerover', 'pointerleave', 'focusin', 'focusout']

/** Returns whether the rows are held. The button for new rows counts as a row, because it lies above them. */
export function useHold(table: RefObject<HTMLElement>, hasSelection: boolean): boolean {
  const [isUsed, setUsed] = useState(false)
  useEffect(() => {
    const element = table.current
    if (!element) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isPointed = false
    const change = (event: Event): void => {
      if (event.type === 'pointerover') isPointed = isHolding(event.target)
      if (event.type === 'pointerleave') isPointed = false
      const focused = event.type === 'focusin' ? event.target : focusAfter(event)
      const isFocused = element.contains(focused as Node | null) && isHolding(focused)
      clearTimeout(timer)
      if (isPointed || isFocused) setUsed(true)
      else timer = setTimeout(() => setUsed(false), RELEASE_MS)
    }
    for (const type of EVENTS) element.addEventListener(type, change)
    return () => {
      clearTimeout(timer)
      for (const type of EVENTS) element.removeEventListener(type, change)
    }
  }, [])
  return isUsed || hasSelection
}

function isHolding(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('tbody, [data-live-rows], .held') !== null
}

/** Returns the element that has the focus after an event. */
function focusAfter(event: Event): EventTarget | null {
  return event instanceof FocusEvent ? event.relatedTarget : document.activeElement
}

interface Options<Row> {
  readonly listKey: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly isHeld: boolean
  readonly most?: number | undefined
}

/** Returns the rows to show, and a function that shows the held rows at once. */
export function useLiveRows<Row>(options: Options<Row>): LiveRows<Row> & { readonly apply: () => void } {
  const last = useRef<LiveRows<Row> | null>(null)
  const [, render] = useReducer((count: number) => count + 1, 0)
  last.current = nextRows(last.current, options)
  return {
    ...last.current,
    apply() {
      last.current = nextRows(last.current, { ...options, isHeld: false })
      render(0)
    },
  }
}
