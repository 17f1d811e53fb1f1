/** Lists the members of an incident: the conditions of devices, addresses or the server that belong to it. */
import { useRef } from 'preact/hooks'
import { Loaded } from '../parts/loaded.tsx'
import { useNumberText } from '../parts/numbers.ts'
import type { Column } from '../parts/table/columns.ts'
import { Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import {
  concernsIncident,
  type IncidentDetail,
  type IncidentMember,
  loadMembers,
} from '../state/incidents.ts'
import { links } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'

/** Kinds of incidents that are about one command, which their sentence names. */
const OF_COMMAND: readonly IncidentDetail['kind'][] = ['FAILED', 'PARKED', 'NOT_FINISHED']

export function IncidentMembers({ incident: { id, kind } }: { readonly incident: IncidentDetail }) {
  const t = useTexts('incidents')
  const common = useTexts('common')
  const columns = useColumns().filter(({ key }) => key !== 'command' || !OF_COMMAND.includes(kind))
  const rows = useRef(1)
  const members = useResource(
    `incident-members/${id}`,
    () => loadMembers(id, rows.current),
    (event) => concernsIncident(event, id),
  )
  return (
    <Loaded from={members} height="8rem">
      {({ items, next }) => (
        <>
          <Table
            name="incident-members"
            label={t.members}
            columns={columns}
            rows={items}
            keyOf={({ key }) => key}
            listKey={String(id)}
          />
          {next !== null && (
            <div class="pager">
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  rows.current = items.length + 1
                  members.reload()
                }}
              >
                {common.more}
              </button>
            </div>
          )}
        </>
      )}
    </Loaded>
  )
}

function useColumns(): readonly Column<IncidentMember>[] {
  const t = useTexts('incidents')
  const common = useTexts('common')
  const signals = useTexts('signals')
  const number = useNumberText()
  return [
    {
      key: 'subject',
      title: t.subject,
      id: ({ deviseId, address }) => address ?? deviseId,
      linkOf: ({ deviseId, address }) =>
        address === null && deviseId !== null ? links.device(deviseId) : links.refusals(),
      share: 3,
    },
    {
      key: 'condition',
      title: t.condition,
      render: ({ kind, endedDate }) => (
        <span class={`badge ${endedDate === null ? 'bad' : 'calm'}`}>{signals[kind]}</span>
      ),
      narrow: 'badge',
    },
    { key: 'since', title: t.since, render: ({ sinceDate }) => <Time at={sinceDate} />, narrow: 'detail' },
    { key: 'command', title: common.command, id: ({ command }) => command, share: 2, narrow: 'detail' },
    { key: 'reason', title: t.reason, render: ({ reason }) => reason, share: 2, narrow: 'detail' },
    {
      key: 'message',
      title: t.message,
      render: ({ messageId }) => messageId !== null && <a href={links.message(messageId)}>№ {messageId}</a>,
    },
    {
      key: 'count',
      title: t.count,
      render: ({ count }) => count !== null && number(count),
      align: 'end',
    },
    {
      key: 'ended',
      title: t.ended,
      render: ({ endedDate }) => endedDate !== null && <Time at={endedDate} />,
    },
  ]
}
