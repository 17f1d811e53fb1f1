/** Shows the columns of a row in two lines, for a narrow table: name and badge, then details. */
import type { ComponentChildren } from 'preact'
import type { Column } from './columns.ts'

interface NarrowCellProps<R> {
  readonly columns: readonly Column<R>[]
  readonly content: (column: Column<R>, index: number) => ComponentChildren
}

export function NarrowCell<R>({ columns, content }: NarrowCellProps<R>) {
  const at = (place: Column<R>['narrow']): readonly number[] =>
    columns.flatMap((column, i) => (column.narrow === place || (i === 0 && place === 'title') ? [i] : []))
  const shown = (i: number) => {
    const column = columns[i]
    return column && <span key={column.key}>{content(column, i)}</span>
  }
  return (
    <th scope="row" class="row-lines">
      <div class="row-line">
        <span class="line-title">{at('title').map(shown)}</span>
        {at('badge').map(shown)}
      </div>
      <div class="row-line row-details">{at('detail').map(shown)}</div>
    </th>
  )
}
