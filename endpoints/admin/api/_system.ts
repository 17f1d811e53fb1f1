/** Schema of the report on the server, and the conversion to it. Not a route. */
import type { System } from '../../../src/app/system.ts'
import { TRANSPORTS } from '../../../src/app/transports.ts'
import { Choice, Text, Type } from '../../../src/web/schema.ts'
import { Count, Nullable, Time } from './_answers.ts'

const Setting = Type.Object(
  {
    name: Text({ description: 'property in the configuration file' }),
    env: Nullable(Text()),
    flag: Nullable(Text()),
    value: Type.Unknown({ description: 'null for a secret' }),
    secret: Type.Boolean(),
    origin: Choice(['DEFAULT', 'FILE', 'ENVIRONMENT', 'FLAG']),
    default: Text(),
    unit: Nullable(Text()),
    meaning: Text(),
  },
  { title: 'Setting' },
)

/** Schemes of the URLs where the server listens. */
const SCHEMES = ['http', 'https', ...TRANSPORTS.flatMap(({ schemes }) => [schemes.plain, schemes.tls])]

export const SystemAnswer = Type.Object(
  {
    version: Text(),
    nodeVersion: Text(),
    adapter: Choice(['node', 'uws']),
    startedDate: Time,
    date: Time,
    listeners: Type.Array(Type.Object({ protocol: Choice(SCHEMES), url: Text() })),
    settings: Type.Array(Setting),
    storage: Type.Object({
      directory: Text(),
      databaseBytes: Count,
      logBytes: Count,
      freeBytes: Count,
      diskBytes: Count,
      failedDate: Nullable(Time),
    }),
    counts: Type.Object({
      messagesAtMost: Type.Integer({ minimum: 0, description: 'newest id - oldest id + 1' }),
      waiting: Count,
      clients: Count,
      templates: Count,
    }),
  },
  { title: 'System' },
)

export const BackupFile = Type.String({ contentMediaType: 'application/vnd.sqlite3' })

export function toSystemAnswer(system: System) {
  const { version, nodeVersion, adapter, startedAtMs, atMs, settings, space, failedAtMs } = system
  const { messagesAtMost, waiting, clients, templates } = system
  return {
    version,
    nodeVersion,
    adapter,
    startedDate: startedAtMs,
    date: atMs,
    listeners: system.urls.map((url) => ({ protocol: url.split(':', 1)[0], url })),
    settings,
    storage: {
      directory: space.directory,
      databaseBytes: space.database,
      logBytes: space.log,
      freeBytes: space.free,
      diskBytes: space.disk,
      failedDate: failedAtMs,
    },
    counts: { messagesAtMost, waiting, clients, templates },
  }
}
