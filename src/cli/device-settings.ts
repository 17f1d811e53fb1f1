/**
 * `waybill devices show` and `set`: show a device and change its settings. The options derive from the table of
 * settings.
 */
import { type Command, Option } from 'commander'
import { DEVICE_SETTING_LIST } from '../broker/vocabulary/device-settings.ts'
import type { components, DeviceService, DeviceSettings } from '../client/index.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamples } from '../runner/examples.ts'
import { fromText } from '../web/schema.ts'
import { type Output, remote } from './remote.ts'
import { pairLines } from './table.ts'
import { localTime } from './times.ts'

/** Value of an option that resets a setting to the general value. */
const GENERAL = 'general'

export function addDeviceCommands(devices: Command, output: Output): void {
  const show = devices.command('show <device>').description('show the state of a device, and its settings')
  remote(show, output, async ({ client, print }, deviceId) => {
    const params = { path: { deviceId: deviceId as string }, query: { details: true } }
    const device = await client.call((api) => api.GET('/admin/api/devices/{deviceId}', { params }))
    print(device, inLines([...statePairs(device), ...settingPairs(device.settings as DeviceSettings)]))
  })
  addExamples(show, ['devices show pump-1', 'devices show pump-1 --json'])
  const set = devices
    .command('set <device>')
    .description(`change the given settings; the value "${GENERAL}" resets a setting`)
  for (const option of options()) set.addOption(option)
  remote<Flags>(set, output, async ({ client, flags, print }, id) => {
    const given = settingsIn(flags)
    if (given.length === 0)
      throw new Exit(EXIT.usage, 'give at least one setting: "waybill devices set --help" lists them')
    const before = await client.deviceSettings(id as string)
    const settings = await client.setDeviceSettings(id as string, { ...before, ...Object.fromEntries(given) })
    print(settings, inLines(settingPairs(settings)))
  })
  addExamples(set, [
    'devices set pump-1 --max-attempts 3 --valid-seconds 3600',
    `devices set pump-1 --expected-seconds ${GENERAL}`,
  ])
}

/** Commander gives flags the wire names of their settings. */
type Flags = Readonly<Record<string, string | undefined>>

function options(): Option[] {
  return DEVICE_SETTING_LIST.map(([, { wireName, schema, unit, meaning, general }]) => {
    const flag = wireName.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const value = unit ?? (schema.type === 'boolean' ? 'true|false' : (schema.enum as string[]).join('|'))
    return new Option(`--${flag} <${value}>`, `${meaning}; ${GENERAL}: ${general ?? 'none'}`)
  })
}

/** Returns the settings given by flags. The server refuses invalid values. */
function settingsIn(flags: Flags): [name: string, value: unknown][] {
  return DEVICE_SETTING_LIST.flatMap(([, { wireName, schema }]) => {
    const text = flags[wireName]
    return text === undefined ? [] : [[wireName, text === GENERAL ? null : fromText(schema, text)]]
  })
}

type Pair = readonly [name: string, value: string]

const inLines = (pairs: readonly Pair[]): string => pairLines(pairs).join('\n')

function settingPairs(settings: DeviceSettings): Pair[] {
  return Object.entries(settings).map(([name, value]) => [name, String(value ?? GENERAL)])
}

function statePairs(device: components['schemas']['Device']): Pair[] {
  const { deviseId, transport, lastSeenDate, waiting, oldestWaitingDate, lastMessage, busyUntilDate } = device
  const { service } = device
  const time = (atMs: number | null | undefined): string => (atMs ? localTime(atMs) : '-')
  return [
    ['Device', deviseId],
    ['Connected', transport ?? '-'],
    ['Seen', time(lastSeenDate)],
    ['Busy until', time(busyUntilDate)],
    ['Out of service', service ? serviceInWords(service) : '-'],
    ['Pending', String(waiting)],
    ['Oldest', time(oldestWaitingDate)],
    [
      'Last message',
      lastMessage ? `${lastMessage.id} ${lastMessage.command} ${lastMessage.deliveryStatus}` : '-',
    ],
  ]
}

function serviceInWords({ sinceDate, untilDate, reason, by }: DeviceService): string {
  const end = untilDate === null ? '' : `, until ${localTime(untilDate)}`
  return `since ${localTime(sinceDate)}${end}${by === null ? '' : `, by ${by}`}: ${reason}`
}
