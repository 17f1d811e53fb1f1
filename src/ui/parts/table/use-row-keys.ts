/** Moves the focus between rows with `j` and `k`, selects with `x`, and runs the keys of the list. */
import type { RefObject } from 'preact'
import type { Selection } from '../../state/selection.ts'
import { type KeyAction, useKeys } from '../../state/shortcuts.ts'
import type { ShownRow } from './live-rows.ts'
import { focusRow } from './use-return.ts'

interface Options<R> {
  readonly shown: readonly ShownRow<R>[]
  readonly order: readonly string[]
  readonly selection?: Selection | undefined
  readonly keys?: Readonly<Record<string, (row: R) => void>> | undefined
}

export function useRowKeys<R>(
  root: RefObject<HTMLElement>,
  { shown, order, selection, keys }: Options<R>,
): void {
  /** Returns the key of the focused row; null without one; undefined if the keys belong to another table. */
  const focused = (): string | null | undefined => {
    const table = document.activeElement?.closest('[data-table]') ?? document.querySelector('[data-table]')
    if (table !== root.current) return undefined
    return document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row ?? null
  }
  const move = (step: 1 | -1): KeyAction => {
    return () => {
      const key = focused()
      if (key === undefined || shown.length === 0) return false
      const first = step > 0 ? 0 : shown.length - 1
      const at = key === null ? first : order.indexOf(key) + step
      const next = order[Math.min(Math.max(at, 0), shown.length - 1)] ?? ''
      focusRow(root.current?.querySelector(`[data-row="${CSS.escape(next)}"]`), {})
    }
  }
  const onRow = (run: (row: ShownRow<R>) => void): KeyAction => {
    return () => {
      const key = focused()
      const row = shown.find((each) => each.key === key)
      return row ? run(row) : false
    }
  }
  const own = Object.entries(keys ?? {}).map(([key, run]) => [key, onRow(({ row }) => run(row))])
  useKeys({
    ...Object.fromEntries(own),
    j: move(1),
    k: move(-1),
    ...(selection && { x: onRow(({ key }) => selection.toggle(key, order)) }),
  })
}
