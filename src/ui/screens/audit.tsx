/** Lists the audit trail: who changed what, newest first, with filters. */
import { ScrollText } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { AUDIT_ACTIONS } from '../../audit/audit.ts'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Time } from '../parts/time.tsx'
import { type AuditLine, loadAudit } from '../state/audit.ts'
import { useEachTick } from '../state/clock.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'

export function Audit() {
  const t = useTexts('audit')
  const common = useTexts('common')
  const [client, setClient] = useState('')
  const [action, setAction] = useState('')
  const rows = useRef(1)
  const audit = useResource(`audit/${action}/${client}`, () => loadAudit(client, action, rows.current))
  useEachTick(audit.reload)
  const showMore = (shown: number): void => {
    rows.current = shown + 1
    audit.reload()
  }
  return (
    <section aria-labelledby="audit">
      <h2 id="audit">{t.title}</h2>
      <p class="muted">{t.lead}</p>
      <search class="filters" aria-label={t.filters}>
        <label>
          {t.client}
          <input
            type="search"
            value={client}
            placeholder={t.exact}
            maxLength={255}
            onChange={({ currentTarget }) => setClient(currentTarget.value)}
          />
        </label>
        <label>
          {t.action}
          <select value={action} onChange={({ currentTarget }) => setAction(currentTarget.value)}>
            <option value="">{t.any}</option>
            {AUDIT_ACTIONS.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </search>
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
    </section>
  )
}

function AuditTable({ lines }: { lines: readonly AuditLine[] }) {
  const t = useTexts('audit')
  return (
    <div class="card table">
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
