/** Describes the columns of a table. */
import type { ComponentChildren } from 'preact'

export type Column<Row> = ColumnBase & (RenderedColumn<Row> | IdColumn<Row>)

interface RenderedColumn<Row> {
  /** Returns the content of a cell. Nothing, or '', is shown as a dash. */
  readonly render: (row: Row) => ComponentChildren
}

/** Column of ids. Long ids are shortened in the middle. */
interface IdColumn<Row> {
  readonly id: (row: Row) => string | null
  /** Returns the link of the id. The first column needs none, because it has the link of the row. */
  readonly linkOf?: (row: Row) => string
}

interface ColumnBase {
  /** Name of the column in the address, in the choices of the user, and for {@link Sort}. */
  readonly key: string
  readonly title: string
  /** Direction of the first click on the header; absent if the list cannot be sorted by the column. */
  readonly sort?: 'ascending' | 'descending'
  /** `end` for numbers and durations. */
  readonly align?: 'end'
  /**
   * Share of the free width of a column whose texts may be cut. A column without a share is as wide as its widest cell.
   */
  readonly share?: number
  /** Place in the two-line row of a narrow table. Default: omitted. */
  readonly narrow?: 'title' | 'badge' | 'detail'
  /** True for a column that is hidden until the user chooses it. */
  readonly isOptional?: boolean
}

export interface Sort {
  readonly key: string
  readonly isDescending: boolean
}
