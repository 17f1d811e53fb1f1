/** Drops columns until a table fits into its place, with readable texts. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Column } from './columns.ts'

/** Width in pixels below which a column that takes the free width is too narrow to read. */
const READABLE_PX = 96
/** Columns in the narrowest table. */
const LEAST = 3

/**
 * Returns the columns that fit, measured before the browser paints. The last one is dropped first.
 *
 * With another width, or another number of columns, all of them are tried again.
 *
 * @param width width of the table's place in pixels
 * @param hasRows false while there is nothing to measure
 */
export function useFitting<R>(
  root: RefObject<HTMLElement>,
  columns: readonly Column<R>[],
  { width, hasRows }: { readonly width: number; readonly hasRows: boolean },
): readonly Column<R>[] {
  const count = columns.length
  const [fit, setFit] = useState({ width, count, left: count })
  const left = fit.width === width && fit.count === count ? fit.left : count
  useLayoutEffect(() => {
    const table = root.current?.querySelector('table')
    if (table && hasRows && left > LEAST && isCrowded(table)) setFit({ width, count, left: left - 1 })
  }, [width, count, left, hasRows])
  return columns.slice(0, left)
}

function isCrowded(table: HTMLTableElement): boolean {
  const shares = [...table.querySelectorAll<HTMLElement>('thead .share')]
  const place = table.parentElement?.clientWidth ?? Number.POSITIVE_INFINITY
  return table.offsetWidth > place || shares.some(({ offsetWidth }) => offsetWidth < READABLE_PX)
}
