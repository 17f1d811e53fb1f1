/** Lists the audit trail: who changed what, newest first, with filters. */
import { ScrollText } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { AUDIT_ACTIONS } from '../../audit/audit.ts'
import { FilterBar } from '../parts/filter-bar.tsx'
import { FilterField } from '../parts/filter-field.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Time } from '../parts/time.tsx'
import { TimeRange } from '../parts/time-range.tsx'
import { type AuditLine, loadAudit } from '../state/audit.ts'
import { useEachTick } from '../state/clock.ts'
import { links, navigate, type Query, query } from '../state/location.ts'
import { rangeOf } from '../state/range.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'

export function Audit() {
  const t = useTexts('audit')
  const common = useTexts('common')
  const rows = useRef(1)
  const { client = '', action = '', object = '' } = query.value
  const key = JSON.stringify(query.value)
  const load = () => {
    const { fromMs: from, toMs: to } = rangeOf(query.value, Date.now())
    return loadAudit({ client, action, object, from, to }, rows.current)
  }
  const audit = useResource(`audit/${key}`, load)
  useEachTick(audit.reload)
  const showMore = (shown: number): void => {
    rows.current = shown + 1
    audit.reload()
  }
  return (
    <>
      <p class="lead">{t.lead}</p>
      <Filters />
      <Loaded from={audit}>
        {({ items, next }) => (
          <>
            {items.length > 0 ? <AuditTable lines={items} /> : <Empty icon={ScrollText} title={t.empty} />}
            {next !== null && (
              <div class="pager">
                <button type="button" class="quiet" onClick={() => showMore(items.length)}>
                  {common.more}
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

function Filters() {
  const t = useTexts('audit')
  const { client = '', action = '', object = '' } = query.value
  const set = (change: Query): void =>
    navigate(links.system('audit', { ...query.peek(), ...change }), { replace: true })
  const active = [
    ...(client === '' ? [] : [{ text: `${t.client}: ${client}`, remove: () => set({ client: '' }) }]),
    ...(object === '' ? [] : [{ text: `${t.object}: ${object}`, remove: () => set({ object: '' }) }]),
    ...(action === '' ? [] : [{ text: `${t.action}: ${action}`, remove: () => set({ action: '' }) }]),
  ]
  return (
    <FilterBar
      label={t.filters}
      active={active}
      onClear={() => navigate(links.system('audit'), { replace: true })}
    >
      <FilterField
        label={t.object}
        value={object}
        placeholder={t.exact}
        isMain
        onApply={(text) => set({ object: text })}
      />
      <FilterField
        label={t.client}
        value={client}
        placeholder={t.exact}
        onApply={(text) => set({ client: text })}
      />
      <div class="filter-field">
        <label for="audit-action">{t.action}</label>
        <select
          id="audit-action"
          value={action}
          onChange={({ currentTarget }) => set({ action: currentTarget.value })}
        >
          <option value="">{t.any}</option>
          {AUDIT_ACTIONS.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <TimeRange query={query.value} onChange={set} />
    </FilterBar>
  )
}

function AuditTable({ lines }: { lines: readonly AuditLine[] }) {
  const t = useTexts('audit')
  return (
    <div class="card table audit">
      <table>
        <thead>
          <tr>
            <th scope="col">{t.when}</th>
            <th scope="col">{t.client}</th>
            <th scope="col">{t.action}</th>
            <th scope="col">{t.detail}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <Row key={line.id} line={line} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ line }: { line: AuditLine }) {
  const t = useTexts('audit')
  const { date, deviseId, keyId, address, action, object, detail } = line
  const isEmpty = Object.keys(detail).length === 0
  return (
    <tr>
      <td data-label={t.when}>
        <Time at={date} />
      </td>
      <td data-label={t.client}>
        <span class="two-lines">
          <span class="id">{deviseId ?? <span class="muted">{t.noClient}</span>}</span>
          {keyId !== null && <small class="muted">{t.key({ id: keyId })}</small>}
          <small class="id muted">{address ?? t.local}</small>
        </span>
      </td>
      <td data-label={t.action}>
        <span class="two-lines">
          <strong lang="en">{action}</strong>
          <span class="id">{object}</span>
        </span>
      </td>
      <td data-label={t.detail} class="id">
        {!isEmpty && <small>{JSON.stringify(detail)}</small>}
      </td>
    </tr>
  )
}
