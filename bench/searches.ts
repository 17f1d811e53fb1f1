/** Measures searches, counts and suggestions with many messages of 100,000 devices: the longest of twenty requests each. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { NO_QUEUE_LIMIT } from './enqueue.ts'
import type { Options } from './rounds.ts'
import { dataDirectory, startWaybill, tokensFor } from './server.ts'
import { atMost, median, printTable } from './table.ts'

const ROUNDS = 20
/** Milliseconds to the rows of a page, and to those of the first step of a search in data. */
const WANTED_MS = { list: 300, text: 400 }
const DAY_MS = 24 * 3_600_000
const KEPT = { ...NO_QUEUE_LIMIT, WAYBILL_HISTORY_DAYS: '0' }

export async function searches({ messages }: Options): Promise<void> {
  const dataDir = dataDirectory()
  const script = fileURLToPath(new URL('fill-search.ts', import.meta.url))
  await promisify(execFile)(process.execPath, ['--import', 'tsx', script, dataDir, String(messages)])
  const server = await startWaybill({ adapter: 'node', dataDir, env: KEPT })
  const authorization = `Bearer ${(await tokensFor([server]))(server)}`
  try {
    const rows: string[][] = []
    for (const path of paths()) {
      const took: number[] = []
      let found = ''
      for (let i = 0; i < ROUNDS; i++) {
        const begun = performance.now()
        const response = await fetch(server.url + path, { headers: { authorization } })
        found = summaryOf(await response.json(), response)
        took.push(performance.now() - begun)
      }
      const wanted = path.includes('text=') ? WANTED_MS.text : WANTED_MS.list
      const shown = decodeURIComponent(path.replace('/admin/api/', '')).slice(0, 70)
      rows.push([shown, median(took).toFixed(0), atMost(Math.max(...took), wanted, 0), found])
    }
    const head = ['request', 'median ms', 'longest ms', 'found']
    printTable(`Searches, ${messages.toLocaleString('en')} messages, 100,000 devices`, head, rows)
  } finally {
    await server.stop()
  }
}

function paths(): string[] {
  const since = Date.now() - DAY_MS
  const many = Array.from({ length: 20 }, (_, i) => `deviseId=site-${i}/pump-${i * 1_000 + 7}`).join('&')
  const filters = [
    '',
    'status=NOT_DELIVERED',
    'deviseId=site-3/pump-3007',
    many,
    'outcome=FAILED',
    `outcome=FAILED&changedFrom=${since}`,
    `outcome=FAILED&changedFrom=${since}&resent=false`,
    `from=${since - 7 * DAY_MS}&to=${since}&senderDeviseId=shop-3&search=set-3`,
    'search=PUMP-77',
    `search=${encodeURIComponent('Ничего')}`,
    'text=valve 42"',
    'text=needle',
    `text=${encodeURIComponent('НАСОСНАЯ СТАНЦИЯ 7"')}`,
  ]
  return [
    ...filters.map((filter) => `/admin/api/messages?${filter}&limit=50&details=true`),
    ...filters.map((filter) => `/admin/api/messages/count?${filter}`),
    ...['DEVICE&search=777', 'COMMAND&search=set', 'SENDER'].map(
      (kind) => `/admin/api/suggestions?kind=${kind}`,
    ),
    '/admin/api/devices?details=true&limit=100',
    '/admin/api/devices?details=true&limit=100&search=pump-99',
  ].map((path) => path.replace('?&', '?'))
}

function summaryOf(body: unknown, { status, headers }: Response): string {
  if (status !== 200) return `status ${status}`
  const isLast = headers.get('link') === null
  return Array.isArray(body) ? `${body.length} rows${isLast ? ', all' : ''}` : JSON.stringify(body)
}
