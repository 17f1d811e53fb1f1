/** Lists the refused logins, packets and messages, with the reason of each. */
import { ShieldCheck } from 'lucide-preact'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Time } from '../parts/time.tsx'
import { useEachTick } from '../state/clock.ts'
import { loadRefusals, type Refusal } from '../state/connections.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'

export function Refusals() {
  const t = useTexts('connections')
  const refusals = useResource('refusals', loadRefusals)
  useEachTick(refusals.reload)
  return (
    <section aria-labelledby="refusals">
      <h2 id="refusals">{t.refusals}</h2>
      <p class="muted">{t.refusalsLead}</p>
      <Loaded from={refusals}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={ShieldCheck} title={t.noRefusals}>
              <p>{t.noRefusalsHint}</p>
            </Empty>
          ) : (
            <RefusalsTable refusals={all} />
          )
        }
      </Loaded>
    </section>
  )
}

function RefusalsTable({ refusals }: { refusals: readonly Refusal[] }) {
  const t = useTexts('connections')
  return (
    <div class="card table">
      <table>
        <thead>
          <tr>
            <th scope="col">{t.when}</th>
            <th scope="col">{t.who}</th>
            <th scope="col">{t.reason}</th>
            <th scope="col">{t.address}</th>
          </tr>
        </thead>
        <tbody>
          {refusals.map((each) => (
            <Row
              key={`${each.firstDate}/${each.reason}/${each.deviseId}/${each.clientId}/${each.address}`}
              refusal={each}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ refusal }: { refusal: Refusal }) {
  const t = useTexts('connections')
  const reasons = useTexts('refusals')
  const { date, count, reason, message, deviseId, clientId, address, transport } = refusal
  return (
    <tr>
      <td data-label={t.when}>
        <span class="two-lines">
          <Time at={date} />
          {count > 1 && <small class="muted">{t.times(count)}</small>}
        </span>
      </td>
      <td data-label={t.who} class="id">
        {deviseId || clientId || <span class="muted">{t.noName}</span>}
      </td>
      <td data-label={t.reason}>
        <span class="two-lines">
          <strong title={reason}>{reasons[reason]}</strong>
          <small class="muted" lang="en">
            {message}
          </small>
        </span>
      </td>
      <td data-label={t.address}>
        <span class="two-lines">
          <span class="id">{address}</span>
          <small class="muted">{transport}</small>
        </span>
      </td>
    </tr>
  )
}
