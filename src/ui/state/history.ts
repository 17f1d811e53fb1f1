/** Keeps the content of a screen for each entry of the browser's history, so that Back shows the same place again. */

/** Maximum entries; older entries are dropped. */
const MAX_ENTRIES = 20

interface Kept {
  readonly values: Map<string, unknown>
  /** Scroll position and focused row when the entry was left; null if it was never left. */
  left: { readonly scrollY: number; readonly row: string | null } | null
}

const entries = new Map<string, Kept>()
/** Initial id, different from the ids of an earlier load of the page, whose values are gone. */
let nextId = Date.now()
let current = entered()

history.scrollRestoration = 'manual'

/** Returns the values of the browser's current entry. A new entry gets an id and no values. */
function entered(): Kept {
  const state = history.state as { entry?: string } | null
  const id = state?.entry ?? String(nextId++)
  if (state?.entry === undefined) history.replaceState({ ...state, entry: id }, '')
  const kept = entries.get(id) ?? { values: new Map(), left: null }
  entries.delete(id)
  entries.set(id, kept)
  const [oldest] = entries.keys()
  if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
  return kept
}

/**
 * Stores the position in the entry that is left, and switches to the current entry. Called before the new screen is
 * rendered.
 */
export function changeEntry(): void {
  const row = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row ?? null
  current.left = { scrollY, row }
  current = entered()
  if (current.left === null) scrollTo(0, 0)
}

/** Returns a value kept by the current entry. */
export function keptValue<T>(name: string): T | undefined {
  return current.values.get(name) as T | undefined
}

/** Returns a function that keeps a value in the current entry, even after the entry is left. */
export function keeper(): (name: string, value: unknown) => void {
  const { values } = current
  return (name, value) => void values.set(name, value)
}

/**
 * Returns the row that had the focus when the entry was left, and scrolls there. Null except once after each return.
 */
export function takeReturn(): { readonly row: string | null } | null {
  const { left } = current
  if (left === null) return null
  current.left = null
  scrollTo(0, left.scrollY)
  return left
}
