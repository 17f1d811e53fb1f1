/** Lists the refused logins, packets and messages, with the reason of each. */
import { ShieldCheck } from 'lucide-preact'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { useNumberText } from '../parts/numbers.ts'
import type { Column } from '../parts/table/columns.ts'
import { Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import type { Refusal } from '../state/connections.ts'
import type { Resource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'

export function Refusals({ refusals }: { refusals: Resource<readonly Refusal[]> }) {
  const t = useTexts('connections')
  const columns = useColumns()
  return (
    <>
      <p class="muted">{t.refusalsLead}</p>
      <Loaded from={refusals}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={ShieldCheck} title={t.noRefusals}>
              <p>{t.noRefusalsHint}</p>
            </Empty>
          ) : (
            <Table
              name="refusals"
              label={t.refused}
              columns={columns}
              rows={all}
              keyOf={({ firstDate, reason, deviseId, clientId, address }) =>
                [firstDate, reason, deviseId, clientId, address].join('/')
              }
              listKey="refusals"
            />
          )
        }
      </Loaded>
    </>
  )
}

function useColumns(): readonly Column<Refusal>[] {
  const t = useTexts('connections')
  const reasons = useTexts('refusals')
  const number = useNumberText()
  return [
    { key: 'when', title: t.when, render: ({ date }) => <Time at={date} />, narrow: 'title' },
    {
      key: 'reason',
      title: t.reason,
      render: ({ reason }) => <strong title={reason}>{reasons[reason]}</strong>,
      narrow: 'detail',
    },
    {
      key: 'who',
      title: t.who,
      id: ({ deviseId, clientId }) => deviseId || clientId || t.noName,
      share: 2,
      narrow: 'detail',
    },
    {
      key: 'count',
      title: t.count,
      render: ({ count }) => number(count),
      align: 'end',
      narrow: 'badge',
    },
    {
      key: 'address',
      title: t.address,
      render: ({ address, transport }) => (
        <>
          <span class="id">{address}</span> <small class="muted">{transport}</small>
        </>
      ),
      narrow: 'detail',
    },
    {
      key: 'detail',
      title: t.detail,
      render: ({ message }) => (
        <span lang="en" class="muted" title={message}>
          {message}
        </span>
      ),
      share: 4,
    },
  ]
}
