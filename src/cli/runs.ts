/** `waybill runs`: lists the runs of the servers, newest first. */
import type { Command } from 'commander'
import type { components } from '../client/index.ts'
import { addExamples } from '../runner/examples.ts'
import { count } from './arguments.ts'
import { type Output, remote } from './remote.ts'
import type { Column } from './table.ts'
import { inUnits, localTime, pastTime, TIME_FORMS } from './times.ts'

type Run = components['schemas']['Run']

interface Flags {
  readonly since?: number
  readonly limit: number
}

const COLUMNS: readonly Column<Run>[] = [
  { heading: 'ID', cell: ({ id }) => String(id) },
  { heading: 'NODE', cell: ({ node }) => (node === null ? '-' : String(node)) },
  { heading: 'RELEASE', cell: ({ release }) => release },
  { heading: 'STARTED', cell: ({ startedDate }) => localTime(startedDate) },
  { heading: 'ALIVE', cell: ({ aliveDate }) => localTime(aliveDate) },
  { heading: 'DURATION', cell: ({ startedDate, aliveDate }) => inUnits(aliveDate - startedDate) },
  { heading: 'END', cell: ({ how }) => how ?? '-' },
]

export function addRuns(program: Command, output: Output): void {
  const time = (text: string): number => pastTime(text, Date.now())
  const command = program
    .command('runs')
    .description('list the runs of the servers, newest first; LOST is a crash or a power cut')
    .option(
      '--since <time>',
      `only runs that lasted after this time (default: 30 days ago): ${TIME_FORMS}`,
      time,
    )
    .option('--limit <n>', 'maximum runs', count, 50)
  remote<Flags>(command, output, async ({ client, flags, list }) => {
    const { since: from = Date.now() - 30 * 86_400_000, limit } = flags
    const query = { from, limit }
    const runs = await client.call((api) => api.GET('/admin/api/runs', { params: { query } }))
    await list(runs, COLUMNS, 'no run matches')
  })
  addExamples(command, ['runs', 'runs --since 7d --json'])
}
