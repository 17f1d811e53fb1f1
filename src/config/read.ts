/** Reads the settings of the table from flags, the environment and a file. No other code reads the environment. */
import { delimiter, resolve } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { parseAddress, portProblem } from '../net/address.ts'
import { describeSchema, fromText } from '../web/schema.ts'
import { conflictsOf } from './conflicts.ts'
import { readConfigFile } from './file.ts'
import type { Setting } from './row.ts'
import type { Origin, Settings, Values } from './settings.ts'
import { SETTINGS } from './table.ts'
import { unknownVariables } from './unknown-variables.ts'

export type { Settings }

/** Reports an invalid configuration. The message has one line per problem. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
  }
}

export interface Sources {
  /** Values of the command line, by setting. */
  readonly flags?: Readonly<Partial<Record<keyof Values | 'host' | 'config', unknown>>>
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * Reads each setting from the first source that has it: flag, environment, file, default.
 *
 * @throws {ConfigError} with every problem
 */
export function readSettings({ flags = {}, env = process.env }: Sources = {}): Settings {
  const problems: string[] = []
  const configPath = (flags.config ?? (env.WAYBILL_CONFIG || undefined)) as string | undefined
  const file = configPath === undefined ? new Map<string, unknown>() : readConfigFile(configPath, problems)
  const given = { ...flags, ...hostFlag(flags.host as string | undefined, problems) }
  const settings: Record<string, unknown> = {}
  const origins: Record<string, Origin> = {}
  for (const setting of SETTINGS) {
    const { name, key, env: variable, flag } = setting
    // An empty variable counts as absent: compose files and unit files write `NAME=` for an unset value.
    const fromEnv = (variable && env[variable]) || undefined
    let [origin, source, value]: [Origin, string, unknown] = ['DEFAULT', '', setting.default]
    if (given[name] !== undefined)
      [origin, source, value] = ['FLAG', flag?.split(' ')[0] ?? name, fromFlag(setting, given[name])]
    else if (fromEnv !== undefined)
      [origin, source, value] = ['ENVIRONMENT', variable as string, fromVariable(setting, fromEnv)]
    else if (file.has(key)) [origin, source, value] = ['FILE', `${key} in ${configPath}`, file.get(key)]
    settings[name] = value
    origins[name] = origin
    if (origin !== 'DEFAULT') check(setting, source, value, problems)
  }
  const unknown = [...file.keys()].filter((key) => !SETTINGS.some((setting) => setting.key === key))
  for (const key of unknown)
    problems.push(`${key} in ${configPath}: there is no such setting; "waybill --help" lists all settings`)
  const values = settings as unknown as Values
  problems.push(...conflictsOf(values))
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    ...values,
    dataDir: resolve(values.dataDir),
    origins: origins as Settings['origins'],
    unknownVariables: unknownVariables(env),
  }
}

function check(setting: Setting, source: string, value: unknown, problems: string[]): void {
  const { schema, rule, secret } = setting
  if (!Value.Check(schema, value)) {
    if (value === '') {
      problems.push(`${source}: is empty; give it a value, or remove it`)
      return
    }
    const shown = secret || typeof value === 'object' ? '' : `, not ${JSON.stringify(value)}`
    problems.push(`${source}: expected ${describeSchema(schema)}${shown}`)
    return
  }
  const problem = rule?.(value as never) ?? controlCharacterProblem(value)
  if (problem !== null) problems.push(`${source}: ${problem}`)
}

/** Returns the problem of a text with a control character, such as the CR of a file with Windows line ends. */
function controlCharacterProblem(value: unknown): string | null {
  const found = typeof value === 'string' ? /\p{Cc}/u.exec(value)?.[0] : undefined
  if (found === undefined) return null
  const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return `has the control character U+${code}; remove it. A file with Windows line ends leaves U+000D at the end`
}

function fromFlag({ schema }: Setting, value: unknown): unknown {
  return typeof value === 'string' ? fromText(schema, value) : value
}

function fromVariable({ schema, separator = delimiter }: Setting, text: string): unknown {
  if (schema.type === 'array') return text.split(separator).filter((part) => part !== '')
  return fromText(schema, text)
}

function hostFlag(host: string | undefined, problems: string[]): Partial<Values> {
  if (host === undefined) return {}
  const parsed = parseAddress(host)
  if (parsed) return parsed
  problems.push(
    `--host: ${portProblem(host) ?? `expected HOST:PORT, HOST or PORT, not ${JSON.stringify(host)}`}`,
  )
  return {}
}
