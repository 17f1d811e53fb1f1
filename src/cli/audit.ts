/** `waybill audit`: lists who changed what, newest first. */
import { type Command, Option } from 'commander'
import { AUDIT_ACTIONS, type AuditAction } from '../audit/audit.ts'
import type { Client, components } from '../client/index.ts'
import { addExamples } from '../runner/examples.ts'
import { count } from './arguments.ts'
import { type Output, remote } from './remote.ts'
import type { Column } from './table.ts'
import { localTime, pastTime, TIME_FORMS } from './times.ts'

type Line = components['schemas']['AuditLine']

interface Flags {
  readonly client?: string
  readonly action?: AuditAction
  readonly since?: number
  readonly until?: number
  readonly limit: number
}

const PAGE = 500

const COLUMNS: readonly Column<Line>[] = [
  { heading: 'ID', cell: ({ id }) => String(id) },
  { heading: 'TIME', cell: ({ date }) => localTime(date) },
  { heading: 'CLIENT', cell: ({ deviseId }) => deviseId ?? '-', isLong: true },
  { heading: 'ADDRESS', cell: ({ address }) => address ?? '-' },
  { heading: 'ACTION', cell: ({ action }) => action },
  { heading: 'OBJECT', cell: ({ object }) => object ?? '-', isLong: true },
  { heading: 'DETAIL', cell: ({ detail }) => JSON.stringify(detail), isLong: true },
]

export function addAudit(program: Command, output: Output): void {
  const time = (text: string): number => pastTime(text, Date.now())
  const command = program
    .command('audit')
    .description('list who changed what, newest first')
    .option('--client <deviseId>', 'only changes by this client')
    .addOption(new Option('--action <action>', 'only this action').choices(AUDIT_ACTIONS))
    .option('--since <time>', `only lines from this time on: ${TIME_FORMS}`, time)
    .option('--until <time>', 'only lines from before this time', time)
    .option('--limit <n>', 'maximum lines', count, 50)
  remote<Flags>(command, output, ({ client, flags, list }) =>
    list(linesOf(client, flags), COLUMNS, 'no line matches'),
  )
  addExamples(command, ['audit --since 2h', 'audit --client anna --action message.cancel --json'])
}

async function* linesOf(client: Client, flags: Flags): AsyncGenerator<Line> {
  const { client: by, action, since: from, until: to } = flags
  let left = flags.limit
  let before: number | undefined
  while (left > 0) {
    const query = { client: by, action, from, to, before, limit: Math.min(left, PAGE) }
    const lines = await client.call((api) => api.GET('/admin/api/audit', { params: { query } }))
    yield* lines
    if (lines.length < query.limit) return
    left -= lines.length
    before = lines.at(-1)?.id
  }
}
