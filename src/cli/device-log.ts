/** `waybill devices log`: lists what happened to a device, newest first, or prints it as it happens. */
import { type Command, Option } from 'commander'
import { LOG_KINDS, type LogKind } from '../broker/vocabulary/presence.ts'
import type { Client, components } from '../client/index.ts'
import { addExamples } from '../runner/examples.ts'
import { count } from './arguments.ts'
import { type Output, type Remote, remote } from './remote.ts'
import { type Column, Table } from './table.ts'
import { inUnits, localTime, pastTime, TIME_FORMS } from './times.ts'
import { connectionNotes } from './watch.ts'

type Entry = components['schemas']['LogEntry']

interface Flags {
  readonly since?: number
  readonly kind?: LogKind
  readonly limit?: number
  readonly follow?: true
  readonly count?: number
}

const PAGE = 500
const LISTED = 50
/** Entries before those that happen while the log is followed. */
const LISTED_BEFORE = 10

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
    .option('--limit <n>', `maximum entries (default: ${LISTED}, with --follow ${LISTED_BEFORE})`, count)
    .option('--follow', 'print the entries oldest first, then each new one, until Ctrl-C')
    .option('--count <n>', 'with --follow: stop after this number of new entries', count)
  remote<Flags>(command, output, (given, id) =>
    given.flags.follow
      ? follow(given, id as string)
      : given.list(entriesOf(given.client, id as string, given.flags), COLUMNS, 'no entry matches'),
  )
  addExamples(command, [
    'devices log pump-1 --since 24h',
    'devices log pump-1 --kind REFUSED --json',
    'devices log pump-1 --follow',
    'devices log pump-1 --follow --kind CONNECTED --limit 1 --count 1',
  ])
}

/** Prints the newest entries, then each new one. What was lost while the connection was lost is read from the log. */
async function follow(
  { client, flags, print, note, output }: Remote<Flags & { url: string }>,
  deviceId: string,
): Promise<void> {
  const table = new Table(COLUMNS, output.terminal)
  const printed = new PrintedEntries()
  const show = (entry: Entry): boolean => {
    const isNew = printed.add(entry)
    if (isNew) print(entry, table.lines([entry]).join('\n'))
    return isNew
  }
  const list = async (limit: number): Promise<void> => {
    const entries: Entry[] = []
    for await (const entry of entriesOf(client, deviceId, { ...flags, limit })) entries.unshift(entry)
    for (const entry of entries) if (printed.oldest === null || entry.id > printed.oldest) show(entry)
  }
  const onState = connectionNotes(flags.url, note)
  let isListed = false
  let left = flags.count ?? Number.POSITIVE_INFINITY
  for await (const { event, data } of client.subscribe({ events: ['log'], devices: [deviceId], onState })) {
    if (event !== 'log') {
      if (!isListed || event === 'gap') await list(isListed ? PAGE : (flags.limit ?? LISTED_BEFORE))
      isListed = true
      continue
    }
    const { deviseId: _deviceId, ...entry } = data as Entry & { readonly deviseId: string }
    if ((flags.kind ?? entry.kind) !== entry.kind || !show(entry)) continue
    if (--left === 0) return
  }
}

/** Maximum entries that are remembered. */
const MAX_PRINTED = 1_000

/** Remembers which entries were printed. An entry that counts equal events is printed again when its count grows. */
class PrintedEntries {
  /** Id of the oldest entry of the first list; null before it. */
  oldest: string | null = null
  readonly #texts = new Set<string>()

  /** Returns false if the entry was printed before. */
  add({ id, detail }: Entry): boolean {
    // The time at the begin of an id may change by a millisecond when the entry is stored.
    const text = `${id.slice(id.indexOf('-'))} ${detail.count}`
    if (this.#texts.has(text)) return false
    this.oldest ??= id
    this.#texts.add(text)
    const [first] = this.#texts
    if (this.#texts.size > MAX_PRINTED) this.#texts.delete(first as string)
    return true
  }
}

async function* entriesOf(client: Client, deviceId: string, flags: Flags): AsyncGenerator<Entry> {
  const { since: from, kind, limit = LISTED } = flags
  let left = limit
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
