/** Shows incidents as a table, with actions on one or several of them. */
import { BellOff, Check, CircleCheck, Flag, Undo2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Empty } from '../parts/loaded.tsx'
import type { MenuItem } from '../parts/menu.tsx'
import { useNumberText } from '../parts/numbers.ts'
import { SelectionBar } from '../parts/selection-bar.tsx'
import type { Column } from '../parts/table/columns.ts'
import { Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import type { Incident, IncidentTab } from '../state/incidents.ts'
import { links } from '../state/location.ts'
import { useSelection } from '../state/selection.ts'
import { mayChange } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'
import { type IncidentAction, IncidentDialog, useIncidentChange } from './incident-dialog.tsx'
import { IncidentSentence } from './incident-sentence.tsx'
import { IncidentState } from './incident-state.tsx'

interface IncidentListProps {
  readonly tab: IncidentTab
  readonly incidents: readonly Incident[]
  readonly onChange: () => void
}

export function IncidentList({ tab, incidents, onChange }: IncidentListProps) {
  const frame = useTexts('shell')
  const selection = useSelection(tab)
  const [asked, setAsked] = useState<{ act: IncidentAction; ids: readonly number[] } | null>(null)
  const reopen = useIncidentChange(() => {
    selection.clear()
    onChange()
  })
  const columns = useColumns(tab)
  const actsOf = useActs(tab, (act, ids) =>
    act === 'reopen' ? reopen(ids, { is: 'reopen' }) : setAsked({ act, ids }),
  )
  const maySelect = mayChange.value && tab !== 'history'
  const selected = incidents.filter(({ id }) => selection.keys.has(String(id))).map(({ id }) => id)
  if (incidents.length === 0) return <NoIncidents tab={tab} />
  return (
    <>
      <Table
        name="incidents"
        label={frame.incidents}
        columns={columns}
        rows={incidents}
        keyOf={({ id }) => String(id)}
        listKey={tab}
        linkOf={({ id }) => links.incident(id)}
        selection={maySelect ? selection : undefined}
        menuOf={maySelect ? ({ id }) => actsOf([id]) : undefined}
        keys={maySelect ? { e: ({ id }) => setAsked({ act: 'acknowledge', ids: [id] }) } : {}}
      />
      {maySelect && (
        <SelectionBar
          selection={selection}
          loaded={incidents.length}
          limited={actsOf(selected).map(({ label, icon: Icon, run }, i) => (
            <button key={label} type="button" class={i === 0 ? 'small' : 'small quiet'} onClick={run}>
              <Icon size={14} aria-hidden="true" /> {label}
            </button>
          ))}
        />
      )}
      {asked && (
        <IncidentDialog
          {...asked}
          onDone={() => {
            selection.clear()
            onChange()
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

/** Returns a function that lists the actions on incidents of a tab. */
function useActs(tab: IncidentTab, run: (act: IncidentAction | 'reopen', ids: readonly number[]) => unknown) {
  const t = useTexts('incidents')
  return (ids: readonly number[]): readonly MenuItem[] => [
    tab === 'muted'
      ? { label: t.reopen, icon: Undo2, run: () => run('reopen', ids) }
      : { label: t.acknowledge, icon: Check, isButton: true, run: () => run('acknowledge', ids) },
    ...(tab === 'muted' ? [] : [{ label: t.mute, icon: BellOff, run: () => run('mute', ids) }]),
    { label: t.resolve, icon: Flag, run: () => run('resolve', ids) },
  ]
}

function useColumns(tab: IncidentTab): readonly Column<Incident>[] {
  const t = useTexts('incidents')
  const number = useNumberText()
  const amount = (value: number) => (value === 0 ? '' : number(value))
  const sentence: Column<Incident> = {
    key: 'incident',
    title: t.title,
    render: (incident) => (
      <span class="sentence">
        <IncidentSentence incident={incident} />
      </span>
    ),
    share: 5,
  }
  const state: Column<Incident> = {
    key: 'state',
    title: t.state,
    render: (incident) => <IncidentState incident={incident} />,
    narrow: 'badge',
  }
  const since: Column<Incident> = {
    key: 'since',
    title: t.since,
    render: ({ startedDate }) => <Time at={startedDate} />,
    narrow: 'detail',
  }
  const failures: Column<Incident> = {
    key: 'failures',
    title: t.failures,
    render: ({ messages }) => amount(messages),
    align: 'end',
  }
  const devices: Column<Incident> = {
    key: 'devices',
    title: t.devices,
    render: ({ devices }) => amount(devices),
    align: 'end',
    isOptional: true,
  }
  if (tab === 'history') {
    const ended: Column<Incident> = {
      key: 'ended',
      title: t.ended,
      render: ({ endedDate }) => <Time at={endedDate} />,
      narrow: 'detail',
    }
    return [sentence, since, ended, failures, devices]
  }
  const waiting: Column<Incident> = {
    key: 'waiting',
    title: t.waiting,
    render: ({ waiting }) => amount(waiting),
    align: 'end',
  }
  const note: Column<Incident> = {
    key: 'note',
    title: t.note,
    render: ({ acknowledged }) =>
      acknowledged && [acknowledged.by, acknowledged.note].filter((each) => each !== null).join(': '),
    share: 2,
    narrow: 'detail',
  }
  return [sentence, state, since, waiting, note, failures, devices]
}

function NoIncidents({ tab }: { readonly tab: IncidentTab }) {
  const t = useTexts('incidents')
  const titles = { open: t.noneOpen, muted: t.noneMuted, history: t.noneEnded }
  return (
    <Empty icon={CircleCheck} title={titles[tab]}>
      {tab === 'open' && <p>{t.noneOpenHint}</p>}
    </Empty>
  )
}
