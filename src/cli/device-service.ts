/** `waybill devices service`, `note` and `notes`: take devices out of service, and keep notes about them. */
import { type Command, InvalidArgumentError } from 'commander'
import type { DeviceNote } from '../client/index.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamples } from '../runner/examples.ts'
import { count } from './arguments.ts'
import { type Output, type Remote, remote } from './remote.ts'
import type { Column } from './table.ts'
import { futureTime, localTime } from './times.ts'

interface ServiceFlags {
  readonly reason?: string
  readonly until?: number
  readonly end?: true
}

interface NotesFlags {
  readonly remove?: number
}

export function addServiceCommands(devices: Command, output: Output): void {
  const service = devices
    .command('service <devices...>')
    .description('take devices out of service, so that their messages wait, or with --end return them')
    .option('--reason <text>', 'why the devices are out of service')
    .option('--until <time>', 'time of the end; without it, until --end', until)
    .option('--end', 'return the devices to service')
  remote<ServiceFlags, [readonly string[]]>(service, output, changeService)
  addExamples(service, [
    'devices service pump-1 --reason "the valve is replaced" --until 8h',
    'devices service pump-1 pump-2 --end',
  ])
  const note = devices.command('note <device> <text>').description('add a note about a device')
  remote(note, output, async ({ client, print }, deviceId, text) => {
    const added = await client.devices.addNote(deviceId as string, text as string)
    print(added, `note ${added.id} added`)
  })
  addExamples(note, ['devices note pump-1 "a new valve is ordered"'])
  const notes = devices
    .command('notes <device>')
    .description('list the notes about a device, newest first')
    .option('--remove <id>', 'remove this note instead', count)
  remote<NotesFlags>(notes, output, async ({ client, flags, list, print }, id) => {
    const deviceId = id as string
    if (flags.remove === undefined)
      return list(await client.devices.notes(deviceId), COLUMNS, `there is no note about "${deviceId}"`)
    await client.devices.removeNote(deviceId, flags.remove)
    print({ id: flags.remove }, `note ${flags.remove} removed`)
  })
  addExamples(notes, ['devices notes pump-1', 'devices notes pump-1 --remove 3'])
}

async function changeService(
  { client, flags, print }: Remote<ServiceFlags>,
  deviceIds: readonly string[],
): Promise<void> {
  const { reason, until: untilDate, end } = flags
  if ((reason === undefined) === (end === undefined) || (end && untilDate !== undefined))
    throw new Exit(EXIT.usage, 'give either --reason, to take devices out of service, or --end')
  const service = reason === undefined ? null : { reason, untilDate: untilDate ?? null }
  const changed = await client.devices.changeService(deviceIds, service)
  const unchanged = new Set(deviceIds).size - changed
  const state = service === null ? 'in service' : 'out of service'
  const text = unchanged === 0 ? '' : `; ${unchanged} were so already`
  print({ changed, unchanged }, `${changed} now ${state}${text}`)
}

function until(text: string): number {
  const atMs = futureTime(text, Date.now())
  if (atMs !== null) return atMs
  throw new InvalidArgumentError(
    'Expected a time ahead, such as 8h (from now), 2030-01-31 or 2030-01-31T17:00.',
  )
}

const COLUMNS: readonly Column<DeviceNote>[] = [
  { heading: 'ID', cell: ({ id }) => String(id) },
  { heading: 'TIME', cell: ({ date }) => localTime(date) },
  { heading: 'BY', cell: ({ by }) => by ?? '-' },
  { heading: 'NOTE', cell: ({ text }) => text, isLong: true },
]
