/** Keeps filters named by the user, per list, in this browser. */
import { signal } from '@preact/signals'

export interface SavedFilter {
  readonly name: string
  readonly query: string
}

type All = Readonly<Record<string, readonly SavedFilter[]>>

const KEY = 'waybill.filters'
const MAX_FILTERS = 12

const all = signal<All>(restored())

function restored(): All {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as All
  } catch {
    return {}
  }
}

/** Returns the filters of a list, oldest first. */
export function savedFilters(list: string): readonly SavedFilter[] {
  return all.value[list] ?? []
}

/** Saves a filter. Replaces a filter with the same name. */
export function saveFilter(list: string, filter: SavedFilter): void {
  const others = savedFilters(list).filter(({ name }) => name !== filter.name)
  keep(list, [...others, filter].slice(-MAX_FILTERS))
}

export function deleteFilter(list: string, name: string): void {
  keep(
    list,
    savedFilters(list).filter((each) => each.name !== name),
  )
}

function keep(list: string, filters: readonly SavedFilter[]): void {
  all.value = { ...all.peek(), [list]: filters }
  localStorage.setItem(KEY, JSON.stringify(all.peek()))
}
