/** Edits the filters of the list of messages, which are stored in the address. */

import { STATUSES } from '../../client/index.ts'
import { type ActiveFilter, FilterBar } from '../parts/filter-bar.tsx'
import { FilterField } from '../parts/filter-field.tsx'
import { dateFormat } from '../parts/formats.ts'
import { TimeRange } from '../parts/time-range.tsx'
import { links, navigate, type Query } from '../state/location.ts'
import { MIN_TEXT } from '../state/message-filters.ts'
import { suggestions } from '../state/suggestions.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

/** Causes by which the list may be filtered, in addition to the statuses. */
const CAUSES = ['NOT_ACKNOWLEDGED', 'EXPIRED', 'NOT_FINISHED'] as const

/** @param filters query of the address */
export function MessageFilters({ filters }: { filters: Query }) {
  const list = useTexts('messages')
  const set = (change: Query): void => navigate(links.messages({ ...filters, ...change }), { replace: true })
  const search = filters.search ?? ''
  const isInData = filters.in === 'data'
  return (
    <FilterBar
      label={list.filters}
      active={useActiveFilters(filters, set)}
      onClear={() => navigate(links.messages(), { replace: true })}
    >
      <FilterField
        label={isInData ? list.searchData : list.search}
        value={search}
        load={isInData ? undefined : suggestions('DEVICE')}
        isMain
        onApply={(text) => set({ search: text })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={isInData}
          onChange={({ currentTarget }) => set({ in: currentTarget.checked ? 'data' : '' })}
        />
        {list.inData}
      </label>
      <StatusFilter filters={filters} set={set} />
      <FilterField
        label={list.sender}
        value={filters.senderDeviseId ?? ''}
        load={suggestions('SENDER')}
        onApply={(senderDeviseId) => set({ senderDeviseId })}
      />
      <TimeRange query={filters} onChange={set} />
      {isInData && search !== '' && search.length < MIN_TEXT && (
        <small class="hint">{list.tooShort(MIN_TEXT)}</small>
      )}
    </FilterBar>
  )
}

interface SetProps {
  readonly filters: Query
  readonly set: (change: Query) => void
}

/** Filters by a status, by a cause with its own word, or by any failure. */
function StatusFilter({ filters, set }: SetProps) {
  const t = useTexts('common')
  const list = useTexts('messages')
  const statuses = useTexts('statuses')
  const causes = useTexts('causes')
  const choose = (value: string): void => {
    const isCause = CAUSES.some((name) => name === value)
    const name = value === 'FAILED' ? 'outcome' : isCause ? 'cause' : 'status'
    set({ outcome: '', cause: '', status: '', [name]: value })
  }
  return (
    <label>
      {t.status}
      <select
        value={filters.outcome ?? filters.cause ?? filters.status ?? ''}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
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
        <option value="FAILED">{list.anyFailure}</option>
      </select>
    </label>
  )
}

/** Returns the active filters as text, each with the function that removes it. */
function useActiveFilters(filters: Query, set: SetProps['set']): readonly ActiveFilter[] {
  const t = useTexts('common')
  const list = useTexts('messages')
  const statuses = useTexts('statuses')
  const causes = useTexts('causes')
  const changed = changedText(filters, useLocale())
  const words: Readonly<Record<string, string>> = { ...statuses, ...causes, FAILED: list.anyFailure }
  const named = (label: string, name: string): ActiveFilter[] => {
    const value = filters[name]
    if (value === undefined || value === '') return []
    return [{ text: `${label}: ${words[value] ?? value}`, remove: () => set({ [name]: '' }) }]
  }
  return [
    ...named(filters.in === 'data' ? list.dataContains : list.contains, 'search'),
    ...named(t.device, 'deviseId'),
    ...named(t.command, 'command'),
    ...named(t.status, 'outcome'),
    ...(changed === '' ? [] : [{ text: changed, remove: () => set({ changedFrom: '', changedTo: '' }) }]),
    ...named(t.status, 'cause'),
    ...named(t.status, 'status'),
    ...named(list.sender, 'senderDeviseId'),
    ...(filters.resent === 'false' ? [{ text: list.notResent, remove: () => set({ resent: '' }) }] : []),
  ]
}

/** Returns the range of the last change as text; empty without one. */
function changedText({ changedFrom, changedTo }: Query, locale: string): string {
  const format = dateFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const [from, to] = [changedFrom, changedTo].map((ms) => (ms ? format.format(Number(ms)) : ''))
  return from === '' && to === '' ? '' : `${from} – ${to}`
}
