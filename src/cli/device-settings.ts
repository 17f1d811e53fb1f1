/** `waybill device`: shows and changes the settings of a device. Its options follow from the table of those settings. */
import { type Command, Option } from 'commander'
import { DEVICE_SETTING_LIST } from '../broker/device-settings.ts'
import type { DeviceSettings } from '../client/index.ts'
import { fromText } from '../web/schema.ts'
import { EXIT, Exit } from './exit.ts'
import { type Output, remote } from './remote.ts'

/** Value of an option that resets a setting to the general value. */
const GENERAL = 'general'

export function addDevice(program: Command, output: Output): void {
  const device = program.command('device').description('show and change the settings of a device')
  remote(
    device.command('show <device>').description('show all settings of a device'),
    output,
    async ({ client, print }, id) => {
      const settings = await client.deviceSettings(id as string)
      print(settings, inLines(settings))
    },
  )
  const set = device
    .command('set <device>')
    .description(`change the given settings; the value "${GENERAL}" resets a setting`)
  for (const option of options()) set.addOption(option)
  remote<Flags>(set, output, async ({ client, flags, print }, id) => {
    const given = settingsIn(flags)
    if (given.length === 0)
      throw new Exit(EXIT.usage, 'give at least one setting: "waybill device set --help" lists them')
    const before = await client.deviceSettings(id as string)
    const settings = await client.setDeviceSettings(id as string, { ...before, ...Object.fromEntries(given) })
    print(settings, inLines(settings))
  })
}

/** Commander names the value of a flag as the setting is named on the wire. */
type Flags = Readonly<Record<string, string | undefined>>

function options(): Option[] {
  return DEVICE_SETTING_LIST.map(([, { wireName, schema, unit, meaning, general }]) => {
    const flag = wireName.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const value = unit ?? (schema.type === 'boolean' ? 'true|false' : (schema.enum as string[]).join('|'))
    return new Option(`--${flag} <${value}>`, `${meaning}; ${GENERAL}: ${general ?? 'none'}`)
  })
}

/** Returns the settings that were given. The server refuses a text that is no value of its setting. */
function settingsIn(flags: Flags): [name: string, value: unknown][] {
  return DEVICE_SETTING_LIST.flatMap(([, { wireName, schema }]) => {
    const text = flags[wireName]
    return text === undefined ? [] : [[wireName, text === GENERAL ? null : fromText(schema, text)]]
  })
}

function inLines(settings: DeviceSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}\t${value ?? GENERAL}`)
    .join('\n')
}
