/** Describes the columns of a table. */
import type { ComponentChildren } from 'preact'

export type Column<Row> = ColumnBase & (RenderedColumn<Row> | IdColumn<Row>)

interface RenderedColumn<Row> {
  /** Returns the content of a cell. Nothing, or '', is shown as a dash. */
  readonly render: (row: Row) => ComponentChildren
}

/** A column of ids, which are cut in the middle if they are long. */
interface IdColumn<Row> {
  readonly id: (row: Row) => string | null
  /** Returns the link of the id. The first column needs none, since it has the link of the row. */
  readonly linkOf?: (row: Row) => string
}

interface ColumnBase {
  /** Names the column in the address, in the choices of the user, and for {@link Sort}. */
  readonly key: string
  readonly title: string
  /** Direction of the first click on the header; absent if the list cannot be sorted by the column. */
  readonly sort?: 'ascending' | 'descending'
  /** `end` for numbers and durations. */
  readonly align?: 'end'
  /** Share of the free width of a column whose texts may be cut. A column without it is as wide as its widest cell. */
  readonly share?: number
  /** Place in the two-line row of a narrow table. Default: it is left out. */
  readonly narrow?: 'title' | 'badge' | 'detail'
  /** True for a column that is hidden until the user chooses it. */
  readonly isOptional?: boolean
}

export interface Sort {
  /** Key of a column. */
  readonly key: string
  readonly isDescending: boolean
}
