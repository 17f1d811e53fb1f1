/** Leaves out columns until a table is no wider than its place, and its texts can be read. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Column } from './columns.ts'

/** Width in pixels below which a column that takes the free width is too narrow to read. */
const READABLE_PX = 96
/** Columns that stay in the narrowest table. */
const LEAST = 3

/**
 * Returns the columns that fit, measured before the browser paints. The last one leaves first.
 *
 * @param width width of the table's place in pixels; with another one, all columns are tried again
 * @param hasRows false while there is nothing to measure
 */
export function useFitting<R>(
  root: RefObject<HTMLElement>,
  columns: readonly Column<R>[],
  { width, hasRows }: { readonly width: number; readonly hasRows: boolean },
): readonly Column<R>[] {
  const [fit, setFit] = useState({ width, left: columns.length })
  const left = fit.width === width ? Math.min(fit.left, columns.length) : columns.length
  useLayoutEffect(() => {
    const table = root.current?.querySelector('table')
    if (table && hasRows && left > LEAST && isCrowded(table)) setFit({ width, left: left - 1 })
  }, [width, left, hasRows])
  return columns.slice(0, left)
}

function isCrowded(table: HTMLTableElement): boolean {
  const shares = [...table.querySelectorAll<HTMLElement>('thead .share')]
  const place = table.parentElement?.clientWidth ?? Number.POSITIVE_INFINITY
  return table.offsetWidth > place || shares.some(({ offsetWidth }) => offsetWidth < READABLE_PX)
}
