/** `waybill devices log`: lists what happened to a device, newest first. */
import { type Command, Option } from 'commander'
import { LOG_KINDS, type LogKind } from '../broker/vocabulary/presence.ts'
import type { Client, components } from '../client/index.ts'
import { addExamples } from '../runner/examples.ts'
import { count } from './arguments.ts'
import { type Output, remote } from './remote.ts'
import type { Column } from './table.ts'
import { inUnits, localTime, pastTime, TIME_FORMS } from './times.ts'

type Entry = components['schemas']['LogEntry']

interface Flags {
  readonly since?: number
  readonly kind?: LogKind
  readonly limit: number
}

const PAGE = 500

const COLUMNS: readonly Column<Entry>[] = [
  { heading: 'TIME', cell: ({ date, isExact }) => `${localTime(date)}${isExact ? '' : ' ?'}` },
  { heading: 'KIND', cell: ({ kind }) => kind },
  { heading: 'REASON', cell: ({ reason }) => reason ?? '-' },
  { heading: 'NODE', cell: ({ node }) => (node === null ? '-' : String(node)) },
  { heading: 'ADDRESS', cell: ({ address }) => address ?? '-' },
  { heading: 'BY', cell: ({ by }) => by ?? '-', isLong: true },
  { heading: 'DETAIL', cell: detailOf, isLong: true },
]

export function addDeviceLog(devices: Command, output: Output): void {
  const time = (text: string): number => pastTime(text, Date.now())
  const command = devices
    .command('log <device>')
    .description('list what happened to a device, newest first; "?" marks a time that is not exact')
    .option('--since <time>', `only entries from this time on (default: 30 days ago): ${TIME_FORMS}`, time)
    .addOption(new Option('--kind <kind>', 'only entries of this kind').choices(LOG_KINDS))
    .option('--limit <n>', 'maximum entries', count, 50)
  remote<Flags>(command, output, ({ client, flags, list }, id) =>
    list(entriesOf(client, id as string, flags), COLUMNS, 'no entry matches'),
  )
  addExamples(command, ['devices log pump-1 --since 24h', 'devices log pump-1 --kind REFUSED --json'])
}

async function* entriesOf(client: Client, deviceId: string, flags: Flags): AsyncGenerator<Entry> {
  const { since: from, kind } = flags
  let left = flags.limit
  let before: string | undefined
  while (left > 0) {
    const query = { from, kind: kind === undefined ? [] : [kind], before, limit: Math.min(left, PAGE) }
    const params = { path: { deviceId }, query }
    const entries = await client.call((api) => api.GET('/admin/api/devices/{deviceId}/log', { params }))
    yield* entries
    if (entries.length < query.limit) return
    left -= entries.length
    before = entries.at(-1)?.id
  }
}

function detailOf({ kind, detail }: Entry): string {
  const { seconds, via, ...rest } = detail
  const parts = [
    typeof via === 'string' ? `via ${via}` : '',
    typeof seconds === 'number' ? `${kind === 'BUSY' ? 'for' : 'after'} ${inUnits(seconds * 1_000)}` : '',
    Object.keys(rest).length > 0 ? JSON.stringify(rest) : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}
