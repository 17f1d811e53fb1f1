/** Edits the filters of the list of messages. The filters are kept in the URL. */
import { FilterX } from 'lucide-preact'
import { STATUSES } from '../../client/index.ts'
import { links, navigate, type Query } from '../state/location.ts'
import { useTexts } from '../texts/texts.ts'

/** The causes that the list may be filtered by, beside the statuses. */
const CAUSES = ['NOT_ACKNOWLEDGED', 'EXPIRED', 'NOT_FINISHED'] as const

export function MessageFilters({ filters }: { filters: Query }) {
  const t = useTexts('common')
  const list = useTexts('messages')
  const statuses = useTexts('statuses')
  const causes = useTexts('causes')
  const set = (name: string, value: string): void =>
    navigate(links.messages({ ...filters, [name]: value }), { replace: true })
  /** Filters by a status, or by a cause that has a word of its own. */
  const setState = (value: string): void => {
    const isCause = CAUSES.some((name) => name === value)
    const state = isCause ? { cause: value, status: '' } : { cause: '', status: value }
    navigate(links.messages({ ...filters, ...state }), { replace: true })
  }
  const text = (name: 'deviseId' | 'command', label: string) => (
    <label>
      {label}
      <input
        type="search"
        value={filters[name] ?? ''}
        maxLength={255}
        placeholder={list.exact}
        onChange={({ currentTarget }) => set(name, currentTarget.value)}
      />
    </label>
  )
  const time = (name: 'from' | 'to', label: string) => (
    <label>
      {label}
      <input
        type="datetime-local"
        value={localText(filters[name])}
        onChange={({ currentTarget }) => set(name, msText(currentTarget.value))}
      />
    </label>
  )
  return (
    <search class="filters" aria-label={list.filters}>
      {text('deviseId', t.device)}
      {text('command', t.command)}
      <label>
        {t.status}
        <select
          value={filters.cause ?? filters.status ?? ''}
          onChange={({ currentTarget }) => setState(currentTarget.value)}
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
        </select>
      </label>
      {time('from', list.from)}
      {time('to', list.to)}
      {Object.keys(filters).length > 0 && (
        <a class="button quiet" href={links.messages()}>
          <FilterX size={15} aria-hidden="true" /> {list.clear}
        </a>
      )}
    </search>
  )
}

/** Converts milliseconds since 1970 to the value of a `datetime-local` field: local time, to the minute. */
function localText(ms: string | undefined): string {
  if (ms === undefined || !/^\d{1,15}$/.test(ms)) return ''
  const date = new Date(Number(ms))
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Converts the value of a `datetime-local` field to milliseconds since 1970; '' if the field is empty. */
function msText(local: string): string {
  const ms = new Date(local).getTime()
  return local === '' || Number.isNaN(ms) ? '' : String(ms)
}
