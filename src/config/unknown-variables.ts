/** Finds environment variables that resemble settings of this program but are unknown. Reads no value. */
import { closest, distance } from 'fastest-levenshtein'
import { SETTINGS } from './table.ts'

const PREFIX = 'WAYBILL_'

/** Known variables that are not settings of the server: the settings file, and the server and login of the commands. */
const OTHER_VARIABLES = [
  'WAYBILL_CONFIG',
  'WAYBILL_CONTEXT',
  'WAYBILL_URL',
  'WAYBILL_CACERT',
  'WAYBILL_USER',
  'WAYBILL_PASSWORD',
  'WAYBILL_TOKEN',
]

export interface UnknownVariable {
  readonly name: string
  /** Most similar known name; null without one. */
  readonly nearest: string | null
}

/** Returns the unknown variables with the prefix of this program. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): UnknownVariable[] {
  const known = [
    ...SETTINGS.flatMap(({ env: name = [] }: { env?: string | string[] }) => name),
    ...OTHER_VARIABLES,
  ]
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && env[name] !== undefined && !known.includes(name))
    .sort()
    .map((name) => ({ name, nearest: nearestOf(name, known) }))
}

/** Returns the most similar name; null if more than a third of the letters after the prefix differ. */
function nearestOf(name: string, known: readonly string[]): string | null {
  const nearest = closest(name, known)
  return distance(name, nearest) <= Math.max(2, (name.length - PREFIX.length) / 3) ? nearest : null
}
