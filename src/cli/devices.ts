/** `waybill devices`: lists devices, with filters for devices with problems. */
import type { Command } from 'commander'
import type { Client, components } from '../client/index.ts'
import { addExamples } from '../runner/examples.ts'
import { count } from './arguments.ts'
import { addDeviceLog } from './device-log.ts'
import { addServiceCommands } from './device-service.ts'
import { addDeviceCommands } from './device-settings.ts'
import { type Output, remote } from './remote.ts'
import type { Column } from './table.ts'
import { duration, inUnits } from './times.ts'

export type ListedDevice = components['schemas']['Device']

interface Flags {
  readonly search?: string
  readonly online?: true
  readonly offline?: true
  readonly pending?: true
  readonly late?: number | true
  readonly silent?: number | true
  readonly unseen?: number
  readonly parked?: true
  readonly limit: number
}

/** Age of the oldest pending message at which a device is late, equal to the threshold of the alert WAITING_LONG. */
const LATE_MS = 3_600_000
const PAGE = 500

export function addDevices(program: Command, output: Output): void {
  const devices = program
    .command('devices')
    .alias('device')
    .description('list devices; "devices show ID" and "devices set ID" are for one')
    .option('--search <text>', 'only devices with this text in their id')
    .option('--online', 'only devices that are connected')
    .option('--offline', 'only devices that are not connected')
    .option('--pending', 'only devices with pending messages')
    .option('--late [duration]', 'only devices whose oldest pending message is older (default: 1h)', duration)
    .option(
      '--silent [duration]',
      'only devices that were not seen for this time (default: the expectedSeconds that apply to each device)',
      duration,
    )
    .option('--unseen <duration>', 'only devices that were not seen for this time, or never', duration)
    .option('--parked', 'only devices with parked messages')
    .option('--limit <n>', 'maximum devices', count, 200)
  remote<Flags, []>(devices, output, async ({ client, flags, list }) => {
    const { date, startedDate, settings } = await client.call((api) => api.GET('/admin/api/system'))
    const general = settings.find(({ name }) => name === 'app.devices.expected-seconds')?.value
    const expectedSeconds = typeof general === 'number' ? general : 0
    const accepts = filterOf(flags, { nowMs: date, startedAtMs: startedDate, expectedSeconds })
    const parked = flags.parked ? await devicesWithParked(client) : null
    const accepted = (device: ListedDevice): boolean =>
      accepts(device) && (parked === null || parked.has(device.deviseId))
    await list(found(client, flags, accepted), columnsAt(date), 'no device matches')
  })
  addExamples(devices, [
    'devices',
    'devices --late 10m',
    'devices --search pump --silent 1d --json',
    'devices --unseen 7d',
    'devices show pump-1',
  ])
  addDeviceCommands(devices, output)
  addDeviceLog(devices, output)
  addServiceCommands(devices, output)
}

/** Facts about the server, whose clock may differ from the local clock. */
interface ServerFacts {
  readonly nowMs: number
  readonly startedAtMs: number
  /** General value of the setting of devices; 0: none. */
  readonly expectedSeconds: number
}

/** Returns a predicate for the filters that a device record alone decides. */
export function filterOf(
  flags: Omit<Flags, 'limit' | 'unseen'>,
  server: ServerFacts,
): (device: ListedDevice) => boolean {
  const { online, offline, pending, late, silent } = flags
  const lateMs = late === true ? LATE_MS : late
  return (device) =>
    !(online && device.transport === null) &&
    !(offline && device.transport !== null) &&
    !(pending && device.waiting === 0) &&
    (lateMs === undefined || server.nowMs - (device.oldestWaitingDate ?? server.nowMs) > lateMs) &&
    (silent === undefined || isSilent(device, silent, server))
}

/** Returns whether a device was not seen for a time. A device that was never seen counts from the start of the server. */
function isSilent(
  { transport, lastSeenDate, settings }: ListedDevice,
  silent: number | true,
  { nowMs, startedAtMs, expectedSeconds }: ServerFacts,
): boolean {
  // The general value is about devices that were seen before.
  const general = lastSeenDate === null ? 0 : expectedSeconds
  const ms = silent === true ? 1_000 * (settings?.expectedSeconds ?? general) : silent
  // A value of 0 never warns.
  if (silent === true && ms === 0) return false
  return transport === null && nowMs - (lastSeenDate ?? startedAtMs) > ms
}

async function devicesWithParked(client: Client): Promise<ReadonlySet<string>> {
  const query = { status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED', limit: PAGE } as const
  const ids = new Set<string>()
  for await (const { deviseId } of client.messages(query)) ids.add(deviseId)
  return ids
}

async function* found(
  client: Client,
  { search, unseen, limit }: Flags,
  accepted: (device: ListedDevice) => boolean,
): AsyncGenerator<ListedDevice> {
  let left = limit
  for await (const device of allDevices(client, search, unseen)) {
    if (!accepted(device)) continue
    yield device
    if (--left === 0) return
  }
}

async function* allDevices(
  client: Client,
  search: string | undefined,
  unseenMs: number | undefined,
): AsyncGenerator<ListedDevice> {
  const unseenSeconds = unseenMs === undefined ? undefined : Math.ceil(unseenMs / 1_000)
  let after: string | null = ''
  while (after !== null) {
    let link: string | null = null
    const query = { search, unseenSeconds, limit: PAGE, details: true, ...(after !== '' && { after }) }
    yield* await client.call(async (api) => {
      const result = await api.GET('/admin/api/devices', { params: { query } })
      link = result.response.headers.get('link')
      return result
    })
    // RFC 8288 (web linking).
    const next = /^<([^>]*)>; rel="next"$/.exec(link ?? '')?.[1]
    after = next === undefined ? null : new URL(next, 'http://server').searchParams.get('after')
  }
}

function columnsAt(nowMs: number): readonly Column<ListedDevice>[] {
  const age = (atMs: number | null): string => (atMs === null ? '' : inUnits(nowMs - atMs))
  return [
    { heading: 'DEVICE', cell: ({ deviseId }) => deviseId, isLong: true },
    { heading: 'CONNECTED', cell: ({ transport }) => transport ?? '-' },
    { heading: 'SEEN', cell: ({ lastSeenDate }) => age(lastSeenDate) || '-' },
    { heading: 'PENDING', cell: ({ waiting }) => String(waiting) },
    { heading: 'OLDEST', cell: ({ oldestWaitingDate }) => age(oldestWaitingDate) || '-' },
    {
      heading: 'LAST MESSAGE',
      cell: ({ lastMessage: last }) => (last ? `${last.id} ${last.command} ${last.deliveryStatus}` : '-'),
      isLong: true,
    },
  ]
}
