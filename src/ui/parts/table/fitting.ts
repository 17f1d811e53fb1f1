/** Decides which columns of a table are shown: the columns that the user wants, as far as they fit. */

interface Hideable {
  readonly key: string
  readonly isOptional?: boolean
}

/** Width of a table in pixels below which its rows have two lines. */
export const NARROW_PX = 640
/** Width of a table in pixels from which its rows have room for buttons beside the menu. */
export const BUTTONS_PX = 800
/** Number of columns in a table of {@link NARROW_PX}. */
const FIRST_COLUMNS = 5
/** Additional width per further column: from 1000 pixels on there are ten. */
const PX_PER_COLUMN = 72

/** Estimates the columns that fit. Columns are listed in the order of their weight: the last one is dropped first. */
export function fittingColumns<C>(columns: readonly C[], widthPx: number): readonly C[] {
  if (widthPx >= 1_000) return columns
  return columns.slice(0, FIRST_COLUMNS + Math.max(0, Math.floor((widthPx - NARROW_PX) / PX_PER_COLUMN)))
}

/**
 * Returns the columns that the user wants to see. @param hidden keys of hidden columns; null if the user never chose
 */
export function chosenColumns<C extends Hideable>(
  columns: readonly C[],
  hidden: readonly string[] | null,
): readonly C[] {
  return columns.filter((column, i) => i === 0 || !isHidden(column, hidden))
}

export function isHidden(column: Hideable, hidden: readonly string[] | null): boolean {
  return hidden === null ? column.isOptional === true : hidden.includes(column.key)
}
