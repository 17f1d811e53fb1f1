/** Shows one row of a table: cells, or two lines in a narrow table. */
import { Component, type ComponentChildren, type JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { navigate } from '../../state/location.ts'
import { useTexts } from '../../texts/texts.ts'
import type { CutId } from '../cut-ids.ts'
import { Id } from '../id.tsx'
import type { MenuItem } from '../menu.tsx'
import type { Column } from './columns.ts'
import type { ShownRow } from './live-rows.ts'
import { NarrowCell } from './narrow-cell.tsx'
import { RowActions } from './row-actions.tsx'

interface RowProps<R> {
  readonly shown: ShownRow<R>
  readonly columns: readonly Column<R>[]
  readonly cuts: ReadonlyMap<string, CutId>
  readonly isNarrow: boolean
  readonly hasButtons: boolean
  readonly link: string | undefined
  readonly menuOf: ((row: R) => readonly MenuItem[]) | undefined
  /** Null for a row that cannot be selected. */
  readonly isSelected: boolean | null
  /** True shows the checkbox of the row. */
  readonly hasBox: boolean
  /** Selects or deselects a row. With `isRange`, the rows between it and the last toggled row change likewise. */
  readonly onToggle: (key: string, isRange?: boolean) => void
}

/**
 * Shows a row, and renders it again only after a change of one of its properties, because a live list changes many
 * times a second.
 */
export class Row<R> extends Component<RowProps<R>> {
  override shouldComponentUpdate(next: RowProps<R>): boolean {
    return (Object.keys(next) as (keyof RowProps<R>)[]).some((name) => next[name] !== this.props[name])
  }

  override render() {
    return <RowContent {...this.props} />
  }
}

function RowContent<R>({
  shown,
  columns,
  cuts,
  isNarrow,
  link,
  isSelected,
  onToggle,
  ...props
}: RowProps<R>) {
  const { menuOf, hasButtons, hasBox } = props
  const t = useTexts('table')
  const { key, row, isGone, isFresh } = shown
  const content = (column: Column<R>, i: number) => contentOf(column, row, cuts, i === 0 ? link : undefined)
  const classes = [
    link !== undefined && 'opens',
    isGone && 'gone',
    isFresh && 'fresh',
    isSelected && 'selected',
  ]
  const press = useLongPress(isNarrow && isSelected !== null ? () => onToggle(key) : undefined)
  return (
    <tr
      class={classes.filter(Boolean).join(' ') || undefined}
      data-row={key}
      aria-selected={isSelected ?? undefined}
      // A later move of the row would play the animation once more.
      onAnimationEnd={({ currentTarget }) => currentTarget.classList.remove('fresh')}
      {...(link !== undefined && opens(link))}
      {...press}
    >
      {hasBox && (
        <td class="box">
          <label class="tick">
            <input
              type="checkbox"
              aria-label={t.select({ row: key })}
              checked={isSelected === true}
              onClick={({ shiftKey }) => onToggle(key, shiftKey)}
            />
          </label>
        </td>
      )}
      {isNarrow ? (
        <NarrowCell columns={columns} content={content} />
      ) : (
        columns.map((column, i) => {
          const Cell = i === 0 ? 'th' : 'td'
          return (
            <Cell key={column.key} scope={i === 0 ? 'row' : undefined} class={cellClass(column)}>
              {content(column, i)}
            </Cell>
          )
        })
      )}
      <td class="menu-cell">
        {menuOf && <RowActions row={key} items={menuOf(row)} hasButtons={hasButtons} />}
      </td>
    </tr>
  )
}

export function cellClass<R>({ align, share }: Column<R>): string | undefined {
  return [align === 'end' && 'number', share !== undefined && 'share'].filter(Boolean).join(' ') || undefined
}

function contentOf<R>(
  column: Column<R>,
  row: R,
  cuts: ReadonlyMap<string, CutId>,
  rowLink: string | undefined,
): ComponentChildren {
  if ('id' in column) {
    const id = column.id(row)
    if (id === null || id === '') return <None />
    const link = rowLink ?? column.linkOf?.(row)
    return <Id id={id} cut={cuts.get(id)} link={link} isRowLink={rowLink !== undefined} />
  }
  const content = column.render(row)
  if (content == null || content === '' || content === false) return <None />
  if (rowLink === undefined) return content
  return (
    <a class="row-link" href={rowLink}>
      {content}
    </a>
  )
}

/** Shows that a cell has no value. */
export function None() {
  const t = useTexts('common')
  return <span class="muted none">{t.none}</span>
}

/** Returns the properties of a row that opens a place. For the keyboard, the row contains a link. */
function opens(link: string): JSX.HTMLAttributes<HTMLTableRowElement> {
  const isOwn = ({ target }: Event): boolean =>
    target instanceof Element && target.closest('a, button, input, label, [popover]') !== null
  return {
    onClick(event) {
      // A selection means that the user wants to copy text.
      if (isOwn(event) || getSelection()?.isCollapsed === false) return
      if (event.ctrlKey || event.metaKey) return void open(link, '_blank', 'noopener')
      // The Back button returns to the focused row.
      event.currentTarget.querySelector<HTMLElement>('.row-link')?.focus({ preventScroll: true })
      navigate(link)
    },
    onAuxClick(event) {
      if (event.button === 1 && !isOwn(event)) open(link, '_blank', 'noopener')
    },
  }
}

/** Milliseconds of a touch on a row that select it. */
const LONG_PRESS_MS = 500

/** Returns the properties of a row that a long press selects. */
function useLongPress(select: (() => void) | undefined): JSX.HTMLAttributes<HTMLTableRowElement> {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  if (!select) return {}
  const stop = (): void => clearTimeout(timer.current ?? undefined)
  return {
    onPointerDown({ pointerType }) {
      stop()
      if (pointerType === 'touch') timer.current = setTimeout(select, LONG_PRESS_MS)
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    onContextMenu: (event) => event.preventDefault(),
  }
}
