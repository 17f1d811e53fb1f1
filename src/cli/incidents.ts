/** `waybill incidents`: lists the causes that need a person, and changes their states. */
import { type Command, InvalidArgumentError } from 'commander'
import type { Client, components } from '../client/index.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamples, addExamplesTo } from '../runner/examples.ts'
import { count } from './arguments.ts'
import { type Output, type Remote, type RemoteFlags, remote } from './remote.ts'
import type { Column } from './table.ts'
import { date, duration, localTime } from './times.ts'

type Incident = components['schemas']['Incident']
type Changed = components['schemas']['ChangedIncidents']

interface ListFlags {
  readonly history?: true
  readonly limit: number
}

interface NoteFlags {
  readonly note?: string
}

const COLUMNS: readonly Column<Incident>[] = [
  { heading: 'ID', cell: ({ id }) => String(id) },
  { heading: 'CLASS', cell: (incident) => String(incident.class) },
  { heading: 'STATE', cell: ({ state }) => state },
  { heading: 'INCIDENT', cell: ({ key }) => key, isLong: true },
  { heading: 'STARTED', cell: ({ startedDate }) => localTime(startedDate) },
  { heading: 'DEVICES', cell: ({ devices }) => String(devices) },
  { heading: 'MESSAGES', cell: ({ messages }) => String(messages) },
  { heading: 'WAITING', cell: ({ waiting }) => String(waiting) },
  { heading: 'BY', cell: ({ acknowledged }) => acknowledged?.by ?? '-', isLong: true },
  { heading: 'NOTE', cell: ({ acknowledged }) => acknowledged?.note ?? '-', isLong: true },
]

export function addIncidents(program: Command, output: Output): void {
  const incidents = program
    .command('incidents')
    .description('list what needs a person, most urgent first')
    .option('--history', 'incidents that have ended, newest first')
    .option('--limit <n>', 'maximum incidents', count, 50)
  remote<ListFlags, []>(incidents, output, async ({ client, flags, list }) => {
    const query = { limit: flags.limit, ...(flags.history && { state: 'ENDED' as const }) }
    const { items } = await client.call((api) => api.GET('/admin/api/incidents', { params: { query } }))
    await list(items, COLUMNS, flags.history ? 'no incident has ended' : 'no incident is open')
  })
  addExamples(incidents, ['incidents', 'incidents --history --json'])
  const change = <Flags extends object>(
    command: Command,
    word: string,
    run: (client: Client, ids: number[], flags: Flags) => Promise<Changed>,
  ): void => {
    remote<Flags, [id: number]>(command, output, async (context, id) =>
      show(context, id, word, await run(context.client, [id], context.flags)),
    )
  }
  change<NoteFlags>(
    incidents
      .command('ack')
      .argument('<id>', 'id of the incident', count)
      .description('acknowledge an incident for a day, or until it grows')
      .option('--note <text>', 'what people should know'),
    'acknowledged',
    (client, ids, { note }) =>
      client.call((api) => api.POST('/admin/api/incidents/acknowledge', { body: { ids, note } })),
  )
  change<NoteFlags & { readonly until: number }>(
    incidents
      .command('mute')
      .argument('<id>', 'id of the incident', count)
      .description('mute an incident until a date, at most 30 days ahead')
      .requiredOption(
        '--until <time>',
        '"2h" for in 2 hours (s, m, h, d, w), or 2026-01-31T17:00',
        futureTime,
      )
      .option('--note <text>', 'what people should know'),
    'muted',
    (client, ids, { until: untilDate, note }) =>
      client.call((api) => api.POST('/admin/api/incidents/mute', { body: { ids, untilDate, note } })),
  )
  change<{ readonly note: string }>(
    incidents
      .command('resolve')
      .argument('<id>', 'id of the incident', count)
      .description('end an incident; conditions that last do not begin it again')
      .requiredOption('--note <text>', 'what was done'),
    'resolved',
    (client, ids, { note }) =>
      client.call((api) => api.POST('/admin/api/incidents/resolve', { body: { ids, note } })),
  )
  addExamplesTo(incidents, {
    ack: ['incidents ack 12 --note "the mechanic is on the way"'],
    mute: ['incidents mute 12 --until 2h --note "pen test"'],
    resolve: ['incidents resolve 12 --note "a new valve"'],
  })
}

/** Prints the result of a change. @throws {Exit} when the incident was not changed */
function show({ print }: Remote<RemoteFlags>, id: number, word: string, answer: Changed): void {
  const [failed] = answer.failed
  if (failed?.code === 'unknown-incident') throw new Exit(EXIT.notFound, `There is no incident ${id}.`)
  if (failed)
    throw new Exit(EXIT.failure, `Incident ${id} has ended. See it with: waybill incidents --history`)
  print(answer, `${id} ${word}`)
}

/** Parses a point in time ahead: a duration from now, or a date. */
function futureTime(text: string): number {
  const atMs = date(text)
  if (atMs !== null) return atMs
  try {
    return Date.now() + duration(text)
  } catch {
    throw new InvalidArgumentError('Expected a time such as 2h (from now), 2026-01-31 or 2026-01-31T17:00.')
  }
}
