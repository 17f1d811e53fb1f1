/** Edits the filters of the list of messages. The filters are kept in the URL. */
import { STATUSES } from '../../client/index.ts'
import { type ActiveFilter, FilterBar } from '../parts/filter-bar.tsx'
import { FilterField } from '../parts/filter-field.tsx'
import { TimeRange } from '../parts/time-range.tsx'
import { suggestedDevices } from '../state/draft.ts'
import { links, navigate, type Query } from '../state/location.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

/** The causes that the list may be filtered by, beside the statuses. */
const CAUSES = ['NOT_ACKNOWLEDGED', 'EXPIRED', 'NOT_FINISHED'] as const

/** @param filters query of the address */
export function MessageFilters({ filters }: { filters: Query }) {
  const t = useTexts('common')
  const list = useTexts('messages')
  const statuses = useTexts('statuses')
  const causes = useTexts('causes')
  const set = (change: Query): void => navigate(links.messages({ ...filters, ...change }), { replace: true })
  /** Filters by a status, or by a cause that has a word of its own. */
  const setState = (value: string): void => {
    const isCause = CAUSES.some((name) => name === value)
    set(isCause ? { cause: value, status: '' } : { cause: '', status: value })
  }
  const words: Readonly<Record<string, string>> = { ...statuses, ...causes }
  const state = filters.cause ?? filters.status ?? ''
  const locale = useLocale()
  const failedText = [list.failed, changedText(filters, locale)].join(' ').trim()
  const active: (ActiveFilter | false)[] = [
    filters.deviseId !== undefined && {
      text: `${t.device}: ${filters.deviseId}`,
      remove: () => set({ deviseId: '' }),
    },
    filters.command !== undefined && {
      text: `${t.command}: ${filters.command}`,
      remove: () => set({ command: '' }),
    },
    filters.outcome === 'FAILED' && {
      text: failedText,
      remove: () => set({ outcome: '', changedFrom: '', changedTo: '' }),
    },
    state !== '' && { text: `${t.status}: ${words[state] ?? state}`, remove: () => setState('') },
  ]
  return (
    <FilterBar
      label={list.filters}
      active={active.filter((each) => each !== false)}
      onClear={() => navigate(links.messages(), { replace: true })}
    >
      <FilterField
        label={t.device}
        value={filters.deviseId ?? ''}
        placeholder={list.exact}
        load={suggestedDevices}
        isMain
        onApply={(deviseId) => set({ deviseId })}
      />
      <FilterField
        label={t.command}
        value={filters.command ?? ''}
        placeholder={list.exact}
        onApply={(command) => set({ command })}
      />
      <label>
        {t.status}
        <select value={state} onChange={({ currentTarget }) => setState(currentTarget.value)}>
          <option value="">{list.anyStatus}</option>
          {STATUSES.map((name) => (
            <option key={name} value={name}>
              {statuses[name]}
            </option>
          ))}
          {CAUSES.map((name) => (
            <option key={name} value={name}>
              {causes[name]}
            </option>
          ))}
        </select>
      </label>
      <TimeRange query={filters} onChange={set} />
    </FilterBar>
  )
}

/** Returns the range of the last change in words; empty without one. */
function changedText({ changedFrom, changedTo }: Query, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const [from, to] = [changedFrom, changedTo].map((ms) => (ms ? format.format(Number(ms)) : ''))
  return from === '' && to === '' ? '' : `${from} – ${to}`
}
