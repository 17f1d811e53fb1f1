/** Keeps the selected rows of a list: individual keys, or all that match the filters. */
import { useMemo, useState } from 'preact/hooks'
import { between } from './ranges.ts'

export interface Selection {
  /** Keys of the selected rows, in the order of their selection. */
  readonly keys: ReadonlySet<string>
  /** True if everything that matches the filters is selected, loaded or not. */
  readonly isAll: boolean
  /** Selects or deselects a row. With `isRange`, every row between it and the row of the last call changes likewise. */
  readonly toggle: (key: string, order: readonly string[], isRange?: boolean) => void
  readonly set: (keys: readonly string[]) => void
  readonly selectAll: () => void
  readonly clear: () => void
}

interface State {
  readonly listKey: string
  readonly keys: ReadonlySet<string>
  readonly isAll: boolean
  /** Row of the last call of `toggle`. */
  readonly anchor: string | null
}

/** Returns the selection of a list. @param listKey names the filters. Other filters drop the selection */
export function useSelection(listKey: string): Selection {
  const empty = (): State => ({ listKey, keys: new Set(), isAll: false, anchor: null })
  const [kept, setState] = useState(empty)
  const state = kept.listKey === listKey ? kept : empty()
  return useMemo(
    () => ({
      keys: state.keys,
      isAll: state.isAll,
      toggle: (key, order, isRange = false) =>
        setState((before) => toggled(before.listKey === listKey ? before : empty(), key, order, isRange)),
      set: (keys) => setState({ ...empty(), keys: new Set(keys) }),
      selectAll: () => setState((before) => ({ ...before, isAll: true })),
      clear: () => setState(empty()),
    }),
    [state.keys, state.isAll, listKey],
  )
}

function toggled(before: State, key: string, order: readonly string[], isRange: boolean): State {
  const keys = new Set(before.keys)
  const isSelected = !keys.has(key)
  for (const each of isRange ? between(before.anchor, key, order) : [key]) {
    if (isSelected) keys.add(each)
    else keys.delete(each)
  }
  return { ...before, keys, isAll: false, anchor: key }
}
