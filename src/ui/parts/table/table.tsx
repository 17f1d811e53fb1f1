/** Shows a list as a table: live rows, sort, selectable columns, selection, row actions, keys. */
import { useCallback, useRef } from 'preact/hooks'
import type { Selection } from '../../state/selection.ts'
import { tableChoices } from '../../state/table-choices.ts'
import { useTexts } from '../../texts/texts.ts'
import type { MenuItem } from '../menu.tsx'
import type { Column, Sort } from './columns.ts'
import { BUTTONS_PX, chosenColumns, fittingColumns, NARROW_PX } from './fitting.ts'
import { Head } from './head.tsx'
import { Row } from './row.tsx'
import { useCuts } from './use-cuts.ts'
import { useFitting } from './use-fitting.ts'
import { useHold, useLiveRows } from './use-live-rows.ts'
import { useReturn } from './use-return.ts'
import { useRowKeys } from './use-row-keys.ts'
import { useWidth } from './use-width.ts'

export interface TableProps<R> {
  /** Name under which this browser stores columns and density. */
  readonly name: string
  /** Name for assistive technology. */
  readonly label: string
  /**
   * Columns in the order of their weight: the last one is dropped first in a narrow table. The first one names the row.
   */
  readonly columns: readonly Column<R>[]
  readonly rows: readonly R[]
  readonly keyOf: (row: R) => string
  /**
   * Names filters and sort. Rows under another key replace all rows at once; otherwise rows are held while they are
   * used.
   */
  readonly listKey: string
  readonly linkOf?: (row: R) => string
  /** Maximum rows to show, unless they are held. Default: all. */
  readonly most?: number
  readonly sort?: Sort
  readonly onSort?: (sort: Sort) => void
  /** Shows a checkbox in each row. Absent for a user without permission. */
  readonly selection?: Selection | undefined
  readonly menuOf?: ((row: R) => readonly MenuItem[]) | undefined
  /** Actions for keys on the focused row, such as `r`. */
  readonly keys?: Readonly<Record<string, (row: R) => void>>
}

export function Table<R>(props: TableProps<R>) {
  const { name, label, rows, keyOf, listKey, linkOf, selection, menuOf, most } = props
  const t = useTexts('table')
  const root = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const width = useWidth(root)
  const isNarrow = width < NARROW_PX
  const { hidden, isDense } = tableChoices(name).value
  const chosen = chosenColumns(props.columns, hidden)
  const guessed = isNarrow ? chosen : fittingColumns(chosen, width)
  const columns = useSame(useFitting(root, guessed, { width, hasRows: rows.length > 0 && !isNarrow }))
  const isHeld = useHold(root, (selection?.keys.size ?? 0) > 0)
  const { shown, held, apply } = useLiveRows({ listKey, rows, keyOf, isHeld, most })
  const order = shown.map(({ key }) => key)
  const cuts = useCuts(columns, rows)
  const latest = useRef({ selection, order })
  latest.current = { selection, order }
  const toggle = useCallback((key: string, isRange?: boolean) => {
    latest.current.selection?.toggle(key, latest.current.order, isRange)
  }, [])
  useReturn(body, shown.length > 0, listKey)
  useRowKeys(root, { ...props, shown, order })
  const classes = [
    'card',
    'rows',
    isNarrow && 'stacked',
    isDense && 'dense',
    selection?.keys.size && 'selecting',
  ]
  return (
    <div ref={root} class={classes.filter(Boolean).join(' ')} data-table={name}>
      <p class="held" role="status">
        {held > 0 && (
          <button type="button" class="small" onClick={apply}>
            {t.held(held)}
          </button>
        )}
      </p>
      <table aria-label={label}>
        <Head {...props} all={props.columns} columns={columns} order={order} isNarrow={isNarrow} />
        <tbody ref={body}>
          {shown.map((each) => (
            <Row
              key={each.key}
              shown={each}
              columns={columns}
              cuts={cuts}
              isNarrow={isNarrow}
              hasButtons={width >= BUTTONS_PX}
              link={linkOf?.(each.row)}
              menuOf={menuOf}
              isSelected={selection ? selection.keys.has(each.key) : null}
              hasBox={selection !== undefined && (!isNarrow || selection.keys.size > 0)}
              onToggle={toggle}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Returns the previous array if it has the same elements. */
function useSame<T>(present: readonly T[]): readonly T[] {
  const kept = useRef(present)
  const isSame =
    kept.current.length === present.length && present.every((each, i) => each === kept.current[i])
  if (!isSame) kept.current = present
  return kept.current
}
