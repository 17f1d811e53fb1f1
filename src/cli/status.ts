/** `waybill status`: shows in a few lines whether a server is well. Its exit code says so to scripts. */
import type { Command } from 'commander'
import type { components } from '../client/index.ts'
import { addExamples } from './examples.ts'
import { EXIT, Exit } from './exit.ts'
import { type Output, remote } from './remote.ts'
import { type Cell, type Column, pairLines, Table } from './table.ts'
import type { Terminal } from './text.ts'
import { inUnits, localTime } from './times.ts'

type Schemas = components['schemas']
type Alert = Schemas['Attention']

/** Alerts about the server itself. All others are about single devices, messages or clients. */
const URGENT: readonly Alert['kind'][] = [
  'STORAGE_FAILED',
  'DISK_NEARLY_FULL',
  'CLOCK_BEHIND',
  'QUEUE_NEARLY_FULL',
]

export function addStatus(program: Command, output: Output): void {
  const status = program
    .command('status')
    .description(
      `show whether the server is well; exit code ${EXIT.alert} if an alert concerns the server itself`,
    )
  remote(status, output, async ({ client, flags, print, output: { terminal } }) => {
    const system = await client.call((api) => api.GET('/admin/api/system'))
    const query = { details: true }
    const overview = await client.call((api) => api.GET('/admin/api/overview', { params: { query } }))
    const summary = summaryOf(flags.url, system, overview)
    print(summary, inLines(summary, terminal).join('\n'))
    if (summary.urgent > 0) throw new Exit(EXIT.alert)
  })
  addExamples(status, ['status', 'status --json', 'status --url https://waybill.example'])
}

function summaryOf(url: string, system: Schemas['System'], overview: Schemas['Overview']) {
  const { version, nodeVersion, adapter, startedDate, date, listeners, storage } = system
  const { waiting, oldestWaiting, devices, connections, perMinute, attention } = overview
  return {
    ...{ url, version, nodeVersion, adapter },
    ...{ date, startedDate, uptimeSeconds: Math.floor((date - startedDate) / 1000) },
    listeners: listeners.map((listener) => listener.url),
    ...{ waiting, oldestWaiting, devices, connections, perMinute, storage },
    urgent: attention.filter(isUrgent).length,
    attention,
  }
}

const isUrgent = ({ kind }: Alert): boolean => URGENT.includes(kind)

function inLines(summary: ReturnType<typeof summaryOf>, terminal: Terminal | undefined): string[] {
  const { url, version, nodeVersion, adapter, date, startedDate, listeners, attention, urgent } = summary
  const { waiting, oldestWaiting: oldest, devices, connections, perMinute, storage } = summary
  const age =
    oldest && `, the oldest for ${inUnits(date - oldest.date)} (message ${oldest.id} for ${oldest.deviseId})`
  const { directory, databaseBytes, logBytes, freeBytes, diskBytes } = storage
  const counted = attention.length === 0 ? 'none' : `${attention.length}, ${urgent} of them about the server`
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
    ['Alerts', { text: counted, style: urgent > 0 ? 'red' : attention.length > 0 ? 'yellow' : 'green' }],
  ]
  return [...pairLines(pairs, terminal), ...alertLines(attention, date, terminal)]
}

function alertLines(alerts: readonly Alert[], nowMs: number, terminal: Terminal | undefined): string[] {
  if (alerts.length === 0) return []
  const columns: readonly Column<Alert>[] = [
    { heading: 'KIND', cell: (alert) => ({ text: alert.kind, style: isUrgent(alert) ? 'red' : 'yellow' }) },
    { heading: 'FOR', cell: ({ since }) => (since === null ? '-' : inUnits(nowMs - since)) },
    { heading: 'DEVICE', cell: ({ deviseId }) => deviseId ?? '-', isLong: true },
    { heading: 'MESSAGE', cell: ({ messageId }) => String(messageId ?? '-') },
    { heading: 'ADDRESS', cell: ({ address }) => address ?? '-' },
    { heading: 'VALUE', cell: ({ value }) => String(value ?? '-') },
    { heading: 'LIMIT', cell: ({ limit, unit }) => `${limit ?? '-'}${unit ? ` ${unit}` : ''}` },
  ]
  const room = terminal && { ...terminal, columns: terminal.columns - 2 }
  return new Table(columns, room).lines(alerts).map((line) => `  ${line}`)
}

const inBytes = (bytes: number): string =>
  bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
