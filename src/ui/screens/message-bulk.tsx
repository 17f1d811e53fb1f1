/** Offers actions on the selected messages, or on all that match the filters. */
import { Repeat, RotateCcw, Undo2 } from 'lucide-preact'
import { ExportMenu } from '../parts/export-menu.tsx'
import type { Matching } from '../parts/selection-bar.tsx'
import { isTooMany, SelectionBar } from '../parts/selection-bar.tsx'
import { askBulk, type BulkAction, type BulkMessages } from '../state/bulk.ts'
import type { MessageConditions } from '../state/continued-search.ts'
import type { Selection } from '../state/selection.ts'
import { useTexts } from '../texts/texts.ts'

interface MessageBulkProps {
  readonly selection: Selection
  readonly loaded: number
  readonly matching: Matching | undefined
  readonly filters: MessageConditions
}

const ACTIONS = [
  ['RESEND', Repeat, 'resendTitle'],
  ['REPLAY', RotateCcw, 'replayTitle'],
  ['CANCEL', Undo2, 'cancelTitle'],
] as const

export function MessageBulk({ selection, loaded, matching, filters }: MessageBulkProps) {
  const t = useTexts('bulk')
  const actions = ACTIONS.map(([action, Icon, label]) => (
    <button
      key={action}
      type="button"
      class={action === 'CANCEL' ? 'small danger' : 'small'}
      onClick={() => askSelected(action, selection, filters)}
    >
      <Icon size={14} aria-hidden="true" /> {t[label]}
    </button>
  ))
  return (
    <SelectionBar
      selection={selection}
      loaded={loaded}
      matching={matching}
      limited={
        <>
          {actions}
          <ExportMenu conditions={() => (selection.isAll ? filters : { id: idsOf(selection) })} />
        </>
      }
    />
  )
}

function idsOf({ keys }: Selection): number[] {
  return [...keys].map(Number)
}

/** Asks for an action on the selected messages, unless they exceed the maximum, which the bar shows. */
export function askSelected(action: BulkAction, selection: Selection, filters: MessageConditions): void {
  if (isTooMany(selection)) return
  const messages: BulkMessages = selection.isAll
    ? { filter: filters as Extract<BulkMessages, { filter?: unknown }>['filter'] }
    : { ids: idsOf(selection) }
  askBulk({ action, messages, onSelect: (ids) => selection.set(ids.map(String)) })
}
