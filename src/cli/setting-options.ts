/** Derives flags from the settings, for the commands that read settings. */
import { Option } from 'commander'
import type { Values } from '../config/settings.ts'
import { defaultInWords, SETTINGS } from '../config/table.ts'

export type Flags = Record<string, unknown>

/** Flag of the settings file. It is no setting, so it has no row in the table. */
const CONFIG = { flag: '--config <file>', env: 'WAYBILL_CONFIG', meaning: 'YAML file of settings' }

/** Returns one option for each flag of the table (--host sets two settings), and --config. */
export function settingOptions(only?: readonly (keyof Values)[]): Option[] {
  const found = new Map<string, Option>()
  for (const { name, flag, meaning, schema } of SETTINGS) {
    if (flag === undefined || found.has(flag) || (only && !only.includes(name))) continue
    const option = new Option(flag, meaning)
    if (schema.type === 'array')
      option.argParser((value: string, before: string[] = []) => [...before, value])
    // Without the check of Commander: the settings have one for all their sources.
    else if (schema.enum) option.argChoices = schema.enum
    found.set(flag, option)
  }
  return [...found.values(), new Option(CONFIG.flag, CONFIG.meaning)]
}

/** Returns the values of the flags by setting. Commander returns them by flag. */
export function valuesBySetting(flags: Flags): Flags {
  const values: Flags = { host: flags.host, config: flags.config }
  for (const { name, flag } of SETTINGS) {
    if (flag === undefined || flag.startsWith('--host')) continue
    values[name] = flags[new Option(flag).attributeName()]
  }
  return values
}

/** Returns the list of all settings for `waybill --help`. */
export function settingsHelp(): string {
  const config = `  ${CONFIG.flag}, ${CONFIG.env}\n      ${CONFIG.meaning} (default: none)`
  const rows = SETTINGS.map((setting) => {
    const { key, env, flag, meaning } = setting
    const names = [flag, env, key].filter((name) => name !== undefined).join(', ')
    return `  ${names}\n      ${meaning} (default: ${defaultInWords(setting)})`
  })
  return `Settings (flag, environment variable, property in the file of --config):\n${[config, ...rows].join('\n')}`
}
