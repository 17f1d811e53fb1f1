/** Restores scroll position and focus of a list after the Back button. */
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { takeReturn } from '../../state/history.ts'

/** Restores the position once the rows are there. */
export function useReturn(body: RefObject<HTMLElement>, hasRows: boolean, listKey: string): void {
  useLayoutEffect(() => {
    if (!hasRows) return
    const left = takeReturn()
    if (left?.row == null) return
    focusRow(body.current?.querySelector(`[data-row="${CSS.escape(left.row)}"]`))
  }, [hasRows, listKey])
}

/** Focuses the link of a row, or else the first focusable element in it. */
export function focusRow(
  row: Element | null | undefined,
  options: FocusOptions = { preventScroll: true },
): void {
  const target =
    row?.querySelector<HTMLElement>('.row-link') ?? row?.querySelector<HTMLElement>('a, button, input')
  target?.focus(options)
}
