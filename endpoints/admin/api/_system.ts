/** Schema of the report on the server, and its conversion. Not a route. */
import type { System } from '../../../src/app/system.ts'
import { TRANSPORTS } from '../../../src/app/transports.ts'
import { MEANING_LANGUAGES } from '../../../src/config/meanings.ts'
import { Choice, type Static, Type } from '../../../src/web/schema.ts'
import { DetailsQuery } from '../../_details.ts'
import { Count, Nullable, TextLike, Time } from '../../_schemas.ts'

export type SystemQuery = Static<typeof SystemQuery>
export const SystemQuery = Type.Object({
  ...DetailsQuery.properties,
  language: Choice(MEANING_LANGUAGES, {
    default: 'en',
    description: 'language of the meanings of the settings',
  }),
})

const Setting = Type.Object(
  {
    name: TextLike('server.port', { description: 'property in the configuration file' }),
    env: Nullable(TextLike('REST_SERVER_PORT')),
    flag: Nullable(TextLike('--host')),
    value: Type.Unknown({ description: 'null for a secret', examples: [8080] }),
    secret: Type.Boolean(),
    origin: Choice(['DEFAULT', 'FILE', 'ENVIRONMENT', 'FLAG']),
    default: TextLike('8080'),
    isDefault: Type.Optional(
      Nullable(
        Type.Boolean({ description: 'with details: the value equals the default; null for a secret' }),
      ),
    ),
    unit: Nullable(TextLike('ms')),
    meaning: TextLike('port to listen on; 0 for any free port'),
  },
  { title: 'Setting' },
)

/** Schemes of the URLs where the server listens. */
const SCHEMES = ['http', 'https', ...TRANSPORTS.flatMap(({ schemes }) => [schemes.plain, schemes.tls])]

export const SystemAnswer = Type.Object(
  {
    version: TextLike('1.0.0'),
    nodeVersion: TextLike('v22.12.0'),
    adapter: Choice(['node', 'uws']),
    startedDate: Time,
    date: Time,
    listeners: Type.Array(Type.Object({ protocol: Choice(SCHEMES), url: TextLike('http://127.0.0.1:8080') })),
    settings: Type.Array(Setting),
    storage: Type.Object({
      directory: TextLike('/var/lib/waybill'),
      databaseBytes: Count,
      logBytes: Count,
      freeBytes: Nullable(Count),
      diskBytes: Nullable(Count),
      failedDate: Nullable(Time),
    }),
    counts: Type.Object({
      messagesAtMost: Type.Integer({ minimum: 0, description: 'newest id - oldest id + 1' }),
      waiting: Count,
      clients: Count,
      templates: Count,
    }),
    process: Type.Optional(
      Type.Object(
        {
          cpuPercent: Type.Number({ minimum: 0, description: 'of one CPU' }),
          memoryBytes: Count,
          lagP99Ms: Nullable(
            Type.Number({ description: 'delay of the event loop; null at the first reading' }),
          ),
          commitP99Ms: Nullable(
            Type.Number({ description: 'time until a commit is durable, to a factor of 2.5' }),
          ),
        },
        { description: 'with details: the load of the process since the last reading' },
      ),
    ),
  },
  { title: 'System' },
)

/** `format` makes generated clients return bytes, not text. */
export const BackupFile = Type.String({ contentMediaType: 'application/vnd.sqlite3', format: 'binary' })

/** @param details true adds the load of the process */
export function toSystemAnswer(system: System, details = false) {
  const { version, nodeVersion, adapter, startedAtMs, atMs, settings, space, failedAtMs } = system
  const { messagesAtMost, waiting, clients, templates } = system
  return {
    version,
    nodeVersion,
    adapter,
    startedDate: startedAtMs,
    date: atMs,
    listeners: system.urls.map((url) => ({ protocol: url.split(':', 1)[0], url })),
    settings: details ? settings : settings.map(({ isDefault: _, ...setting }) => setting),
    storage: {
      directory: space.directory,
      databaseBytes: space.database,
      logBytes: space.log,
      freeBytes: space.free,
      diskBytes: space.disk,
      failedDate: failedAtMs,
    },
    counts: { messagesAtMost, waiting, clients, templates },
    ...(details && { process: system.process }),
  }
}
