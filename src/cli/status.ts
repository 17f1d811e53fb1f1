/** `waybill status`: shows the health of a server in a few lines. Its exit code reports it to scripts. */
import type { Command } from 'commander'
import type { components } from '../client/index.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamples } from '../runner/examples.ts'
import { type ShownAlert, withAcknowledgements } from './alert-acknowledgements.ts'
import { type Output, remote } from './remote.ts'
import { type Cell, type Column, pairLines, Table } from './table.ts'
import type { Styled, Terminal } from './text.ts'
import { inUnits, localTime } from './times.ts'

type Schemas = components['schemas']

/** Alerts about the server itself. All others concern single devices, messages or clients. */
const URGENT: readonly ShownAlert['kind'][] = [
  'STORAGE_FAILED',
  'DISK_NEARLY_FULL',
  'CLOCK_BEHIND',
  'QUEUE_NEARLY_FULL',
]

export function addStatus(program: Command, output: Output): void {
  const status = program
    .command('status')
    .description(
      `show whether the server is well; exit code ${EXIT.alert} if an open alert concerns the server itself`,
    )
  remote(status, output, async ({ client, flags, print, output: { terminal } }) => {
    const system = await client.call((api) => api.GET('/admin/api/system'))
    const query = { details: true }
    const overview = await client.call((api) => api.GET('/admin/api/overview', { params: { query } }))
    const attention = await withAcknowledgements(client, overview.attention)
    const summary = summaryOf(flags.url, system, overview, attention)
    print(summary, inLines(summary, terminal).join('\n'))
    if (summary.urgent > 0) throw new Exit(EXIT.alert)
  })
  addExamples(status, ['status', 'status --json', 'status --url https://waybill.example'])
}

function summaryOf(
  url: string,
  system: Schemas['System'],
  overview: Schemas['Overview'],
  attention: readonly ShownAlert[],
) {
  const { version, nodeVersion, adapter, startedDate, date, listeners, storage } = system
  const { waiting, oldestWaiting, devices, connections, perMinute } = overview
  return {
    url,
    version,
    nodeVersion,
    adapter,
    date,
    startedDate,
    uptimeSeconds: Math.floor((date - startedDate) / 1000),
    listeners: listeners.map((listener) => listener.url),
    waiting,
    oldestWaiting,
    devices,
    connections,
    perMinute,
    storage,
    urgent: attention.filter(isUrgent).length,
    attention,
  }
}

const isUrgent = ({ kind, acknowledged }: ShownAlert): boolean =>
  acknowledged === null && URGENT.includes(kind)

function inLines(summary: ReturnType<typeof summaryOf>, terminal: Terminal | undefined): string[] {
  const { url, version, nodeVersion, adapter, date, startedDate, listeners, attention, urgent } = summary
  const { waiting, oldestWaiting: oldest, devices, connections, perMinute, storage } = summary
  const age =
    oldest && `, the oldest for ${inUnits(date - oldest.date)} (message ${oldest.id} for ${oldest.deviseId})`
  const { directory, databaseBytes, logBytes, freeBytes, diskBytes } = storage
  const open = attention.filter(({ acknowledged }) => acknowledged === null).length
  const counts = [
    open === 0 ? 'none' : `${open}, ${urgent} of them about the server`,
    ...(open === attention.length ? [] : [`${attention.length - open} acknowledged`]),
  ]
  const pairs: [string, Cell][] = [
    ['Server', url],
    ['Version', `${version}, Node ${nodeVersion}, adapter ${adapter}`],
    ['Uptime', `${inUnits(date - startedDate)}, since ${localTime(startedDate)}`],
    ['Listens', listeners.join(', ')],
    ['Pending', `${waiting}${age ?? ''}`],
    ['Devices', `${devices.online} connected, ${devices.seenInHour} seen within an hour`],
    ['Connections', String(connections)],
    ['Rate', `${perMinute} messages a minute`],
    ['Data', `${directory}, ${inBytes(databaseBytes + logBytes)}`],
    ...(freeBytes === null || diskBytes === null
      ? []
      : [['Disk', `${inBytes(freeBytes)} free of ${inBytes(diskBytes)}`] satisfies [string, Cell]]),
    ['Alerts', { text: counts.join(', '), style: urgent > 0 ? 'red' : open > 0 ? 'yellow' : 'green' }],
  ]
  return [...pairLines(pairs, terminal), ...alertLines(attention, date, terminal)]
}

const ACKNOWLEDGED: Column<ShownAlert> = {
  heading: 'ACKNOWLEDGED',
  cell: ({ acknowledged }) => (acknowledged === null ? '-' : `by ${acknowledged.by ?? 'anonymous'}`),
  isLong: true,
}

function styleOf(alert: ShownAlert): Styled['style'] {
  if (isUrgent(alert)) return 'red'
  return alert.acknowledged === null ? 'yellow' : 'dim'
}

function alertLines(alerts: readonly ShownAlert[], nowMs: number, terminal: Terminal | undefined): string[] {
  if (alerts.length === 0) return []
  const columns: readonly Column<ShownAlert>[] = [
    { heading: 'KIND', cell: (alert) => ({ text: alert.kind, style: styleOf(alert) }) },
    { heading: 'FOR', cell: ({ since }) => (since === null ? '-' : inUnits(nowMs - since)) },
    { heading: 'DEVICE', cell: ({ deviseId }) => deviseId ?? '-', isLong: true },
    { heading: 'MESSAGE', cell: ({ messageId }) => String(messageId ?? '-') },
    { heading: 'ADDRESS', cell: ({ address }) => address ?? '-' },
    ...(alerts.every(({ acknowledged }) => acknowledged === null) ? [] : [ACKNOWLEDGED]),
    { heading: 'VALUE', cell: ({ value }) => String(value ?? '-') },
    { heading: 'LIMIT', cell: ({ limit, unit }) => `${limit ?? '-'}${unit ? ` ${unit}` : ''}` },
  ]
  const room = terminal && { ...terminal, columns: terminal.columns - 2 }
  return new Table(columns, room).lines(alerts).map((line) => `  ${line}`)
}

const inBytes = (bytes: number): string =>
  bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
