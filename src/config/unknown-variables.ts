/** Finds environment variables that look like those of this program but are not. Reads no value. */
import { closest, distance } from 'fastest-levenshtein'
import { SETTINGS } from './table.ts'

const PREFIX = 'WAYBILL_'

/** Variables that are not settings of the server: its file of settings, and the server and login of the commands. */
const OTHER_VARIABLES = [
  ...['WAYBILL_CONFIG', 'WAYBILL_CONTEXT', 'WAYBILL_URL', 'WAYBILL_CACERT'],
  ...['WAYBILL_USER', 'WAYBILL_PASSWORD', 'WAYBILL_TOKEN'],
]

export interface UnknownVariable {
  readonly name: string
  /** The most similar known name; null when none is similar. */
  readonly nearest: string | null
}

/** Returns the variables with the prefix of this program that it does not know. */
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

/** Returns the most similar name; null when more than a third of the letters behind the prefix differ. */
function nearestOf(name: string, known: readonly string[]): string | null {
  const nearest = closest(name, known)
  return distance(name, nearest) <= Math.max(2, (name.length - PREFIX.length) / 3) ? nearest : null
}
