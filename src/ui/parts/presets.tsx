/** Shows preset filters of a list as chips with counts, and filters that the user saved in this browser. */

import { BookmarkPlus, X } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { linkTo, path, type Query, query } from '../state/location.ts'
import { deleteFilter, type SavedFilter, savedFilters, saveFilter } from '../state/saved-filters.ts'
import { showToast } from '../state/toasts.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { numberFormat } from './formats.ts'
import { Popover } from './popover.tsx'

export interface Preset {
  readonly label: string
  readonly query: Query
  /** Number of rows; absent while it is unknown. */
  readonly count?: number | undefined
  /** False if there are more than `count`. Default: true. */
  readonly isExact?: boolean | undefined
}

interface PresetsProps {
  /** Name of the list, under which this browser stores its filters. */
  readonly list: string
  readonly presets: readonly Preset[]
}

export function Presets({ list, presets }: PresetsProps) {
  const t = useTexts('filters')
  const locale = useLocale()
  const now = textOf(query.value)
  const saved = savedFilters(list)
  const isSaved =
    now === '' ||
    [...presets.map((each) => textOf(each.query)), ...saved.map((each) => each.query)].includes(now)
  return (
    <div class="chips presets">
      {presets.map(({ label, query: wanted, count, isExact = true }) => {
        const isActive = textOf(wanted) === now
        return (
          <a
            key={label}
            class="chip"
            aria-current={isActive ? 'true' : undefined}
            href={linkTo(path.value, isActive ? {} : wanted)}
          >
            {label}{' '}
            {count !== undefined && <b>{`${numberFormat(locale).format(count)}${isExact ? '' : '+'}`}</b>}
          </a>
        )
      })}
      {saved.map((each) => (
        <SavedChip key={each.name} list={list} filter={each} isActive={each.query === now} />
      ))}
      {!isSaved && <SaveButton onSave={(name) => saveFilter(list, { name, query: now })} label={t.save} />}
    </div>
  )
}

/** Returns a query as text, independent of the order of its members. */
function textOf(values: Query): string {
  const given = Object.entries(values).filter(([, value]) => value !== '')
  return new URLSearchParams(given.sort(([a], [b]) => (a < b ? -1 : 1))).toString()
}

interface SavedChipProps {
  readonly list: string
  readonly filter: SavedFilter
  readonly isActive: boolean
}

function SavedChip({ list, filter, isActive }: SavedChipProps) {
  const t = useTexts('filters')
  const common = useTexts('common')
  const { name } = filter
  const remove = (): void => {
    deleteFilter(list, name)
    showToast({
      text: t.deleted({ name }),
      action: { label: common.undo, run: () => saveFilter(list, filter) },
    })
  }
  return (
    <span class="chip" aria-current={isActive ? 'true' : undefined}>
      <a href={`#${path.value}?${filter.query}`}>{name}</a>
      <button type="button" aria-label={t.delete({ name })} onClick={remove}>
        <X size={13} aria-hidden="true" />
      </button>
    </span>
  )
}

function SaveButton({ label, onSave }: { label: string; onSave: (name: string) => void }) {
  const t = useTexts('filters')
  const button = useRef<HTMLButtonElement>(null)
  const [isAsking, setAsking] = useState(false)
  function submit(event: SubmitEvent): void {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get('name')).trim()
    setAsking(false)
    if (name !== '') onSave(name)
  }
  return (
    <>
      <button ref={button} type="button" class="chip clear" onClick={() => setAsking(true)}>
        <BookmarkPlus size={14} aria-hidden="true" /> {label}
      </button>
      {isAsking && (
        <Popover anchor={button} label={label} onClose={() => setAsking(false)}>
          <form onSubmit={submit}>
            <label>
              {t.name}
              <input name="name" maxLength={40} required autocomplete="off" />
            </label>
            <div class="actions">
              <button type="submit" class="small">
                {t.save}
              </button>
            </div>
          </form>
        </Popover>
      )}
    </>
  )
}
