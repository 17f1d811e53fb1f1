/** Shortens the long ids of a table. */
import { useMemo, useRef } from 'preact/hooks'
import { type CutId, cutIds } from '../cut-ids.ts'
import type { Column } from './columns.ts'

/** Returns the shortened forms of the long ids. The map stays the same object while no form changes. */
export function useCuts<R>(columns: readonly Column<R>[], rows: readonly R[]): ReadonlyMap<string, CutId> {
  const kept = useRef<ReadonlyMap<string, CutId>>(new Map())
  return useMemo(() => {
    const ids = columns.flatMap((column) => ('id' in column ? rows.map((row) => column.id(row) ?? '') : []))
    const cuts = new Map([...cutIds(ids)].filter(([, { tail }]) => tail !== ''))
    const isKept = [...cuts].every(([id, { head }]) => kept.current.get(id)?.head === head)
    if (!isKept) kept.current = cuts
    return kept.current
  }, [rows, columns])
}
