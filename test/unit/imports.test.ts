/** The rules on imports: the places from which each place may import. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf, loadedWith, ROOT, SOURCES, sources } from '../_support/import-graph.ts'

/** Folders of `src` that have a transport. */
const TRANSPORTS = readdirSync(join(ROOT, 'src')).filter(
  (name) => name !== 'transport' && existsSync(join(ROOT, 'src', name, 'transport.ts')),
)

/** Packages that one transport alone uses. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = { mqtt: ['aedes', 'mqtt', 'mqtt-packet'] }

/** Places (and packages) that a file may import from. The first rule whose place a file is in holds for it. */
const RULES: readonly [place: string, allowed: readonly string[]][] = [
  ['bin/waybill-web.ts', ['src/runner/', 'src/process/version.ts']],
  ['bin/', ['src/cli', 'src/main.ts', 'src/process/', 'bcrypt', 'close-with-grace']],
  [
    'endpoints/_services.ts',
    [
      'src/app/services.ts',
      'src/app/shared-services.ts',
      'src/auth/grant.ts',
      'src/process/version.ts',
      'src/wire/messages.ts',
      'src/wire/errors.ts',
      'src/web/api-info.ts',
      'src/web/types.ts',
    ],
  ],
  [
    'endpoints/',
    [
      'endpoints/',
      'src/services.ts',
      'src/wire/',
      'src/page/',
      'src/audit/',
      'src/config/meanings.ts',
      'src/app/system.ts',
      'src/app/transports.ts',
      'src/auth/',
      'src/broker/',
      'src/transport/connections.ts',
      'src/web/endpoint.ts',
      'src/web/schema.ts',
      'src/web/types.ts',
      'yaml',
    ],
  ],
  ['src/web/types.ts', []],
  ['src/web/uws', ['src/web/', 'uWebSockets.js']],
  ['src/web/node', ['src/web/', 'src/net/address.ts', 'ws']],
  [
    'src/web/',
    [
      'src/web/',
      'src/auth/held.ts',
      'src/net/address.ts',
      'src/process/log.ts',
      'acorn',
      'ajv-formats',
      '@sinclair/typebox',
      '@fastify/busboy',
      'cookie',
      'cookie',
      'fast-querystring',
      'fastest-levenshtein',
      'mrmime',
    ],
  ],
  ['src/page/', ['src/page/', 'src/web/endpoint.ts']],
  [
    'src/client/',
    [
      'src/client/',
      'src/broker/vocabulary/report-table.ts',
      'src/broker/vocabulary/status.ts',
      'src/broker/vocabulary/term-table.ts',
      'openapi-fetch',
    ],
  ],
  [
    'src/ui/vite.config.ts',
    ['src/ui/lighter-icons.ts', 'src/ui/unused-plots.ts', 'src/ui/unused-styles.ts', 'vite'],
  ],
  ['src/ui/lighter-icons.ts', ['preact', 'vite']],
  ['src/ui/unused-plots.ts', ['vite']],
  ['src/ui/unused-styles.ts', ['vite']],
  [
    'src/ui/',
    [
      'src/ui/',
      'src/client/index.ts',
      'src/audit/audit.ts',
      'preact',
      '@preact/signals',
      'wouter-preact',
      'lucide-preact',
      'uplot',
      '@picocss/pico',
    ],
  ],
  ['src/cli/program.ts', ['src/', 'commander']],
  ['src/cli/commands.ts', ['src/', 'commander']],
  ['src/cli/setting-options.ts', ['src/config/', 'commander']],
  ['src/cli/process-io.ts', ['src/cli/', 'src/process/exit.ts']],
  [
    'src/cli/db.ts',
    ['src/store/', 'src/process/addons.ts', 'src/runner/examples.ts', 'src/process/exit.ts', 'commander'],
  ],
  [
    'src/cli/device-settings.ts',
    [
      'src/process/exit.ts',
      'src/runner/examples.ts',
      'src/cli/',
      'src/client/',
      'src/broker/vocabulary/device-settings.ts',
      'src/web/schema.ts',
      'commander',
    ],
  ],
  [
    'src/cli/audit.ts',
    [
      'src/cli/',
      'src/process/exit.ts',
      'src/runner/examples.ts',
      'src/client/',
      'src/audit/audit.ts',
      'commander',
    ],
  ],
  [
    'src/cli/device-log.ts',
    ['src/cli/', 'src/client/', 'src/runner/examples.ts', 'src/broker/vocabulary/presence.ts', 'commander'],
  ],
  [
    'src/cli/client-password.ts',
    [
      'src/process/exit.ts',
      'src/runner/examples.ts',
      'src/cli/',
      'src/app/reset-password.ts',
      'src/auth/errors.ts',
      'commander',
    ],
  ],
  [
    'src/cli/',
    [
      'src/cli/',
      'src/client/',
      'src/process/exit.ts',
      'src/runner/examples.ts',
      'src/broker/vocabulary/report-table.ts',
      'src/broker/vocabulary/term-table.ts',
      'src/web/endpoint.ts',
      'src/web/json.ts',
      'commander',
      'mqtt',
      'string-width',
    ],
  ],
  ['src/process/log.ts', []],
  ['src/process/', ['src/process/', 'pino', 'pino-pretty']],
  ['src/net/', ['src/net/', 'src/process/', 'src/web/http.ts']],
  ['src/audit/audit.ts', []],
  [
    'src/audit/',
    ['src/audit/', 'src/broker/engine/rejection-lines.ts', 'src/process/log.ts', 'rate-limiter-flexible'],
  ],
  ['src/broker/vocabulary/status.ts', []],
  ['src/broker/vocabulary/link-table.ts', []],
  ['src/broker/vocabulary/presence.ts', []],
  ['src/broker/vocabulary/report-table.ts', []],
  ['src/broker/vocabulary/term-table.ts', []],
  ['src/broker/vocabulary/message.ts', ['src/broker/', 'src/web/schema.ts']],
  ['src/broker/vocabulary/device-settings.ts', ['src/broker/', 'src/web/schema.ts']],
  ['src/auth/held.ts', []],
  [
    'src/broker/',
    ['src/broker/', 'src/audit/', 'src/auth/held.ts', 'src/process/duties.ts', 'src/process/log.ts'],
  ],
  ['src/wire/', ['src/wire/', 'src/web/', 'src/broker/', 'src/auth/', 'csv-parse', 'csv-stringify']],
  [
    'src/auth/',
    [
      'src/auth/',
      'src/audit/',
      'src/net/address.ts',
      'src/process/',
      'bcrypt',
      'jsonwebtoken',
      'lru-cache',
      'rate-limiter-flexible',
    ],
  ],
  ['src/store/postgres/database/url.ts', ['src/net/address.ts', 'pg']],
  [
    'src/store/postgres/',
    [
      'src/store/',
      'src/audit/',
      'src/broker/',
      'src/auth/api-keys.ts',
      'src/auth/clients.ts',
      'src/auth/errors.ts',
      'src/auth/import',
      'src/transport/',
      'src/process/',
      'pg',
    ],
  ],
  [
    'src/store/',
    [
      'src/store/',
      'src/audit/',
      'src/broker/',
      'src/auth/api-keys.ts',
      'src/auth/clients.ts',
      'src/auth/import',
      'src/transport/',
      'src/auth/errors.ts',
      'src/process/',
      'better-sqlite3',
    ],
  ],
  [
    'src/transport/',
    [
      'src/transport/',
      'src/audit/',
      'src/auth/',
      'src/broker/',
      'src/config/settings.ts',
      'src/net/',
      'src/process/duties.ts',
      'src/process/log.ts',
      'src/wire/',
    ],
  ],
  ['src/mqtt/topics.ts', []],
  ...TRANSPORTS.map(rulesOf),
  [
    'src/config/',
    [
      'src/config/',
      'src/net/address.ts',
      'src/net/trusted-proxies.ts',
      'src/auth/',
      'src/mqtt/topics.ts',
      'src/store/drivers.ts',
      'src/web/cors.ts',
      'src/web/schema.ts',
      'fastest-levenshtein',
      'yaml',
      '@sinclair/typebox',
    ],
  ],
  [
    'src/metrics/',
    [
      'src/metrics/',
      'src/broker/',
      'src/transport/connections.ts',
      'src/transport/node-traffic.ts',
      'src/web/by-verb.ts',
      'src/web/types.ts',
      'prom-client',
    ],
  ],
  ['src/services.ts', ['src/']],
  ['src/framework.ts', ['src/web/', 'src/process/log.ts']],
  ['src/index.ts', ['src/framework.ts', 'src/app/shared-services.ts', 'waybill']],
  [
    'src/runner/',
    [
      'src/runner/',
      'src/web/',
      'src/net/address.ts',
      'src/process/exit.ts',
      'src/process/log.ts',
      'chokidar',
      'commander',
      'openapi-typescript',
      'tsx',
    ],
  ],
  ['src/app/', ['src/', 'waybill']],
  ['src/main.ts', ['src/']],
]

/** Returns what a transport may import. No transport knows another one. */
function rulesOf(transport: string): [place: string, allowed: readonly string[]] {
  const place = `src/${transport}/`
  const shared = [
    'src/transport/',
    'src/net/',
    'src/auth/',
    'src/process/duties.ts',
    'src/process/log.ts',
    'src/wire/',
  ]
  const broker = [
    'contract/cluster',
    'contract/store',
    'views/rejection-log',
    'vocabulary/errors',
    'vocabulary/message',
  ].map((name) => `src/broker/${name}.ts`)
  return [place, [place, ...shared, ...broker, ...(PACKAGES[transport] ?? [])]]
}

test.each(SOURCES)('%s: its imports → allowed by the rules', (file) => {
  const [, allowed] = RULES.find(([place]) => file.startsWith(place)) ?? []
  if (!allowed) throw new Error(`${file} is in no place of the map: give it a home, or the map a rule`)
  expect(importsOf(file).filter((name) => !allowed.some((each) => name.startsWith(each)))).toEqual([])
})

test('process.env: its readers → src/config/read.ts, the file of contexts for the directories of the system, and the option of tsx', () => {
  const readers = SOURCES.filter((file) => {
    return readFileSync(join(ROOT, file), 'utf8').includes('process.env')
  })
  readers.sort()
  expect(readers).toEqual(['src/cli/context-file.ts', 'src/config/read.ts', 'src/runner/drop-in.ts'])
})

/** Libraries of features that a server may never use. A server keeps in memory what it loads at its start. */
const LOADED_WHEN_USED = [
  '@fastify/busboy',
  'chokidar',
  'mqtt',
  'openapi-fetch',
  'openapi-typescript',
  'pg',
  'pino-pretty',
  'prom-client',
  'string-width',
  'uWebSockets.js',
  'yaml',
]

test('a server that has started → has loaded no library of a feature that it may never use', () => {
  const loaded = new Set(['bin/waybill.ts', 'src/cli/program.ts', 'src/main.ts', ...sources('endpoints')])
  // A set yields the members that are added meanwhile.
  for (const each of loaded) {
    if (each.endsWith('.ts')) for (const name of loadedWith(each)) loaded.add(name)
  }
  expect(loaded).toContain('acorn')
  expect(LOADED_WHEN_USED.filter((name) => loaded.has(name))).toEqual([])
})

test('Intl: its users → the page and the command line, since its data takes 5 MB of a server', () => {
  const users = SOURCES.filter((file) => {
    return /\bIntl\.|\.toLocale|\.localeCompare/.test(readFileSync(join(ROOT, file), 'utf8'))
  })
  expect(users.filter((file) => !file.startsWith('src/ui/') && !file.startsWith('src/cli/'))).toEqual([])
})

test('a path relative to a module: its users → direct subdirectories of src, as deep as the shared parts of the bundle', () => {
  const users = SOURCES.filter((file) => {
    return /new URL\([^)]*import\.meta\.url/.test(readFileSync(join(ROOT, file), 'utf8'))
  })
  expect(users).toContain('src/process/thread.ts')
  expect(users.filter((file) => !/^src\/\w+\/[^/]+$/.test(file))).toEqual([])
})
