/** The filters of the list of messages: a form that writes into the address. */
import { FilterX } from 'lucide-preact'
import { STATUSES } from '../../client/index.ts'
import { go, links, type Query } from '../state/location.ts'
import { useTexts } from '../texts/texts.ts'

export function MessageFilters({ filters }: { filters: Query }) {
  const t = useTexts('words')
  const own = useTexts('messages')
  const statuses = useTexts('statuses')
  const set = (name: string, value: string): void =>
    go(links.messages({ ...filters, [name]: value }), { replace: true })
  const text = (name: 'deviseId' | 'command', label: string) => (
    <label>
      {label}
      <input
        type="search"
        value={filters[name] ?? ''}
        maxLength={255}
        placeholder={own.exact}
        onChange={({ currentTarget }) => set(name, currentTarget.value.trim())}
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
    <search class="filters" aria-label={own.filters}>
      {text('deviseId', t.device)}
      {text('command', t.command)}
      <label>
        {t.status}
        <select
          value={filters.status ?? ''}
          onChange={({ currentTarget }) => set('status', currentTarget.value)}
        >
          <option value="">{own.anyStatus}</option>
          {STATUSES.map((name) => (
            <option key={name} value={name}>
              {statuses[name]}
            </option>
          ))}
        </select>
      </label>
      {time('from', own.from)}
      {time('to', own.to)}
      {Object.keys(filters).length > 0 && (
        <a class="button quiet" href={links.messages()}>
          <FilterX size={15} aria-hidden="true" /> {own.clear}
        </a>
      )}
    </search>
  )
}

/** Milliseconds since 1970 as what `datetime-local` wants: local, to the minute. */
function localText(ms: string | undefined): string {
  if (ms === undefined || !/^\d{1,15}$/.test(ms)) return ''
  const date = new Date(Number(ms))
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function msText(local: string): string {
  const ms = new Date(local).getTime()
  return local === '' || Number.isNaN(ms) ? '' : String(ms)
}
