/** Lists the runs of the servers, from start to end. */
import { Power } from 'lucide-preact'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import type { Column } from '../parts/table/columns.ts'
import { Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { useResource } from '../state/resource.ts'
import { loadRuns, type Run } from '../state/runs.ts'
import { useTexts } from '../texts/texts.ts'

export function Runs() {
  const shell = useTexts('shell')
  const t = useTexts('runs')
  const runs = useResource('runs', loadRuns)
  const columns: readonly Column<Run>[] = [
    {
      key: 'started',
      title: t.started,
      render: ({ startedDate }) => <Time at={startedDate} />,
      narrow: 'title',
    },
    {
      key: 'ended',
      title: t.ended,
      render: ({ endedDate }) => (endedDate === null ? t.running : <Time at={endedDate} />),
      narrow: 'detail',
    },
    { key: 'release', title: t.release, render: ({ release }) => release, share: 1, narrow: 'badge' },
  ]
  return (
    <>
      <Heading title={shell.runs} />
      <Loaded from={runs}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={Power} title={t.none} />
          ) : (
            <Table
              name="runs"
              label={shell.runs}
              columns={columns}
              rows={all}
              keyOf={({ id }) => String(id)}
              listKey="runs"
            />
          )
        }
      </Loaded>
    </>
  )
}
