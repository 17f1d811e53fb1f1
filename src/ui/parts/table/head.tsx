/** Shows the header of a table: names, which sort it, the box for all rows, and the menu of columns. */
import { ArrowDown, ArrowUp } from 'lucide-preact'
import type { Selection } from '../../state/selection.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Column, Sort } from './columns.ts'
import { Options } from './options.tsx'
import { cellClass } from './row.tsx'

interface HeadProps<R> {
  readonly name: string
  readonly columns: readonly Column<R>[]
  readonly all: readonly Column<R>[]
  readonly sort?: Sort
  readonly onSort?: (sort: Sort) => void
  readonly selection?: Selection | undefined
  readonly order: readonly string[]
  readonly isNarrow: boolean
}

export function Head<R>(props: HeadProps<R>) {
  const { columns, sort, onSort, selection, order, isNarrow } = props
  // Until something is selected, the rows of a narrow table have no boxes.
  const isFolded = isNarrow && selection !== undefined && selection.keys.size === 0
  const total = columns.reduce((sum, { share = 0 }) => sum + share, 0)
  return (
    <thead>
      <tr>
        {selection && !isFolded && (
          <th class="box">
            <AllBox selection={selection} order={order} />
          </th>
        )}
        {isNarrow ? (
          <th class="row-lines">{isFolded && <AllBox selection={selection} order={order} />}</th>
        ) : (
          columns.map((column) => {
            const isSorted = sort?.key === column.key
            const direction = sort?.isDescending ? 'descending' : 'ascending'
            const width = column.share === undefined ? undefined : `${(100 * column.share) / total}%`
            return (
              <th
                key={column.key}
                scope="col"
                class={cellClass(column)}
                style={{ width }}
                aria-sort={isSorted ? direction : undefined}
              >
                {column.sort && onSort ? (
                  <SortButton column={column} sort={isSorted ? sort : undefined} onSort={onSort} />
                ) : (
                  column.title
                )}
              </th>
            )
          })
        )}
        <th class="menu-cell">
          <Options {...props} columns={props.all} />
        </th>
      </tr>
    </thead>
  )
}

interface SortButtonProps<R> {
  readonly column: Column<R>
  /** Present if the list is sorted by this column. */
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort) => void
}

function SortButton<R>({ column, sort, onSort }: SortButtonProps<R>) {
  const isDescending = sort ? !sort.isDescending : column.sort === 'descending'
  const Icon = sort?.isDescending ? ArrowDown : ArrowUp
  return (
    <button type="button" class="sort" onClick={() => onSort({ key: column.key, isDescending })}>
      {column.title}
      <Icon size={14} aria-hidden="true" class={sort ? '' : 'unsorted'} />
    </button>
  )
}

function AllBox({ selection, order }: { selection: Selection; order: readonly string[] }) {
  const t = useTexts('table')
  const selected = order.filter((key) => selection.keys.has(key)).length
  const isWhole = selected === order.length && selected > 0
  return (
    <label class="tick">
      <input
        type="checkbox"
        aria-label={t.selectLoaded}
        checked={isWhole}
        ref={(box) => {
          if (box) box.indeterminate = selected > 0 && !isWhole
        }}
        onClick={() => (isWhole ? selection.clear() : selection.set(order))}
      />
    </label>
  )
}
