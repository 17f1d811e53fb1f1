/** Measures the admin's lists with many stored messages: each filter, and filters that match few messages. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { NO_QUEUE_LIMIT } from './enqueue.ts'
import type { Options } from './rounds.ts'
import { ADAPTERS, dataDirectory, startWaybill, tokensFor } from './server.ts'
import { atMost, median, printTable } from './table.ts'

const WANTED_MS = 50
const KEPT = { ...NO_QUEUE_LIMIT, WAYBILL_HISTORY_DAYS: '0' }
const ROUNDS = 10
/** A list of a million needs no walk to its end. */
const MOST_PAGES = 40
const DAY_MS = 24 * 3_600_000

interface Walk {
  /** One for each page. */
  readonly tookMs: number[]
  readonly rows: number
}

export async function lists({ runs, messages }: Options): Promise<void> {
  const dataDir = dataDirectory()
  const script = fileURLToPath(new URL('fill-history.ts', import.meta.url))
  await promisify(execFile)(process.execPath, ['--import', 'tsx', script, dataDir, String(messages)])
  for (const adapter of ADAPTERS) {
    const server = await startWaybill({ adapter, dataDir, env: KEPT })
    const authorization = `Bearer ${(await tokensFor([server]))(server)}`
    try {
      const rows: string[][] = []
      for (const path of paths(messages)) {
        const first: number[] = []
        for (let i = 0; i < ROUNDS * runs; i++) first.push((await get(server.url, path, authorization)).ms)
        const { tookMs, rows: found } = await walk(server.url, path, authorization)
        rows.push([
          path.replace('/admin/api/', ''),
          median(first).toFixed(1),
          atMost(Math.max(...first, ...tookMs), WANTED_MS, 1),
          String(found),
          String(tookMs.length),
        ])
      }
      const head = ['list', 'median ms', 'longest ms, of all pages too', 'rows', 'pages']
      printTable(`Lists, ${messages.toLocaleString('en')} messages (${adapter})`, head, rows)
    } finally {
      await server.stop()
    }
  }
}

/** Returns the paths to measure. A filter is slowest if it matches nothing, or only the oldest messages. */
function paths(messages: number): string[] {
  const now = Date.now()
  const early = `from=0&to=${now - 29 * DAY_MS}`
  return [
    '',
    `before=${Math.floor(messages / 2)}`,
    ...['NOT_DELIVERED', 'DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR', 'CANCELLED', 'UNKNOWN'].map(
      (status) => `status=${status}`,
    ),
    ...['set-target-temperature', 'rare', 'never'].map((command) => `command=${command}`),
    'status=COMPLETED&command=never',
    'status=NOT_DELIVERED&command=rare',
    ...['deviseId=busy', 'deviseId=d1', 'deviseId=few', 'deviseId=absent'],
    'deviseId=busy&status=CANCELLED',
    'deviseId=busy&command=rare',
    `deviseId=busy&${early}`,
    early,
    `${early}&command=never`,
    `from=${now - 16 * DAY_MS}&to=${now - 15 * DAY_MS}&status=DELIVERED`,
    `from=${now}`,
  ]
    .map((query) => `/admin/api/messages?${query}&limit=500`.replace('?&', '?'))
    .concat('/admin/api/devices?limit=500')
}

async function walk(url: string, path: string, authorization: string): Promise<Walk> {
  const tookMs: number[] = []
  let rows = 0
  let next: string | undefined = path
  while (next !== undefined && tookMs.length < MOST_PAGES) {
    const page = await get(url, next, authorization)
    tookMs.push(page.ms)
    rows += page.rows
    next = page.next
  }
  return { tookMs, rows }
}

/** Measures a request: from its start to the last byte of its answer. */
async function get(url: string, path: string, authorization: string) {
  const begun = performance.now()
  const response = await fetch(url + path, { headers: { authorization } })
  const text = await response.text()
  const ms = performance.now() - begun
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  const next = /^<(.*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
  return { ms, next, rows: (JSON.parse(text) as unknown[]).length }
}
