/** Shows at the bottom of the window how many rows are selected, and the actions on them. */
import { X } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import type { Selection } from '../state/selection.ts'
import { useKeys } from '../state/shortcuts.ts'
import { useTexts } from '../texts/texts.ts'
import { useNumberText } from './numbers.ts'

/** Maximum ids per request to the server. */
const MAX_SELECTED = 500

/** Returns whether more rows are selected individually than an action accepts. */
export function isTooMany({ isAll, keys }: Selection): boolean {
  return !isAll && keys.size > MAX_SELECTED
}

/** Number of rows that match the filters, loaded or not. */
export interface Matching {
  readonly count: number
  /** False if there are more than `count`. */
  readonly isExact: boolean
}

interface SelectionBarProps {
  readonly selection: Selection
  readonly loaded: number
  /** Absent if the list has nothing beyond the loaded rows. */
  readonly matching?: Matching | undefined
  /** Actions on at most {@link MAX_SELECTED} rows, or on all that match. */
  readonly limited: ComponentChildren
  readonly children?: ComponentChildren
}

export function SelectionBar({ selection, loaded, matching, limited, children }: SelectionBarProps) {
  const t = useTexts('table')
  const number = useNumberText()
  const { size } = selection.keys
  useKeys({ Escape: () => size > 0 && selection.clear() })
  if (size === 0) return null
  const count = matching && `${number(matching.count)}${matching.isExact ? '' : '+'}`
  const hasTooMany = isTooMany(selection)
  const isOffered = hasTooMany || (!selection.isAll && size >= loaded && Number(matching?.count) > size)
  return (
    <section class="selection" aria-label={t.selected(size)}>
      <strong role="status">{selection.isAll && count ? t.allSelected({ count }) : t.selected(size)}</strong>
      {isOffered && count && (
        <button type="button" class="small quiet" onClick={selection.selectAll}>
          {t.selectAll({ count })}
        </button>
      )}
      <span class="selection-actions">
        {hasTooMany ? t.tooMany : limited}
        {children}
      </span>
      <button type="button" class="small quiet" onClick={selection.clear}>
        <X size={14} aria-hidden="true" /> {t.clear}
      </button>
    </section>
  )
}
