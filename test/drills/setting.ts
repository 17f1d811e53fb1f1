/** A setting: requests that take longer than this time are logged. */
import { expect } from 'vitest'
import { added, type Drill, OPERATE } from './_support/drill.ts'

export const SETTING: Drill = {
  change: 'a setting',
  name: 'setting',
  goal: { changed: 2, created: 0 },
  beyond: 'one file has the meanings of all settings in Russian',
  edits: {
    'src/config/table.ts': [
      [
        "  row({\n    name: 'logRequests',",
        `  row({
    name: 'logSlowMs',
    key: 'log.slow-requests',
    env: 'LOG_SLOW_REQUESTS',
    flag: '--log-slow <ms>',
    schema: integer(0, 86_400_000),
    default: 0,
    unit: 'ms',
    meaning: 'log each HTTP request that takes at least this time; 0: none',
  }),
  row({
    name: 'logRequests',`,
      ],
    ],
    'src/config/meanings.ts': [
      added(
        "  'log.level': 'Наименьший уровень записей в журнале; debug записывает каждый шаг каждого сообщения',\n",
        "  'log.slow-requests': 'Записывать запросы HTTP, которые длятся не меньше этого времени; 0 — не записывать',\n",
      ),
    ],
    'src/app/request-log.ts': [
      [
        'export function requestLog({ logRequests, logLevel }: Settings, log: Log): Observe[] {\n  if (!logRequests) return []\n',
        `export function requestLog(settings: Settings, log: Log): Observe[] {
  return [...slowLog(settings, log), ...fullLog(settings, log)]
}

function slowLog({ logSlowMs }: Settings, log: Log): Observe[] {
  if (logSlowMs === 0) return []
  return [
    ({ method, path }, status, ms) => {
      if (ms >= logSlowMs) log.info({ method, path, status, ms: Math.round(ms) }, 'slow HTTP request')
    },
  ]
}

function fullLog({ logRequests, logLevel }: Settings, log: Log): Observe[] {
  if (!logRequests) return []\n`,
      ],
    ],
    'test/unit/config.test.ts': [added('    logRequests: false,\n', '    logSlowMs: 0,\n')],
  },
  written: [OPERATE],
  args: ['--log-slow', '1'],
  served: {
    'a request that takes longer → a line of the log': async (server) => {
      // A login computes a hash, which takes far longer than a millisecond.
      const line = await server.process.logged(({ path }) => path === '/auth/login')
      expect(line).toMatchObject({ msg: 'slow HTTP request', method: 'POST', status: 200 })
    },
  },
}
