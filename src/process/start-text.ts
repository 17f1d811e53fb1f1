/** Defines the log line of a listening server, and its form on a terminal. */

export const LISTENING = 'listening'

export interface StartFields {
  readonly http: string
  /** Null when MQTT is off. */
  readonly mqtt: string | null
  /** Address of the admin page; null without the broker, as is `dataDir`. */
  readonly page: string | null
  readonly dataDir: string | null
  /** Shared database, without its password; undefined with SQLite. */
  readonly store?: string
  readonly version: string
}

export const START_FIELDS = [
  'http',
  'mqtt',
  'page',
  'dataDir',
  'store',
  'version',
] as const satisfies (keyof StartFields)[]

export function startText({ http, mqtt, page, dataDir, store, version }: StartFields): string {
  const rows: readonly (readonly [name: string, value: string | null])[] = [
    ['Admin page', page],
    ['Address', page === `${http}/` ? null : http],
    ['MQTT', mqtt],
    ['Data', dataDir ?? store ?? null],
    ['Next', page && 'sign in on the admin page; "waybill --help" lists the commands for scripts'],
    ['Stop', 'Ctrl+C'],
  ]
  const lines = rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `    ${name.padEnd(12)}${value}`)
  return [`Waybill ${version} is ready`, ...lines].join('\n')
}
