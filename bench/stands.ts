/** Measures how long the event loop stands at most under each kind of work that could hold it. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { DATABASE_FILE } from '../src/store/sqlite/database/directory.ts'
import { NO_QUEUE_LIMIT } from './enqueue.ts'
import type { Options } from './rounds.ts'
import { ADAPTERS, type Adapter, dataDirectory, type Server, startWaybill, tokensFor } from './server.ts'
import { atMost, median, printTable } from './table.ts'

const WANTED_MS = 50
const ENV = { ...NO_QUEUE_LIMIT, WAYBILL_HISTORY_DAYS: '0' }
/** Messages that wait for each of the two devices whose messages are changed all at once. */
const MANY = 10_000
/** Lists that run at the same time. */
const AT_ONCE = 30

export type Request = (path: string, method?: string, body?: unknown) => Promise<string>

/** A kind of work: what it is, and how it is done. */
type Work = readonly [name: string, run: (request: Request) => Promise<unknown>]

const WORKS: readonly Work[] = [
  ['nothing', () => pause(1_000)],
  ['messages, 500', (request) => request('/admin/api/messages?limit=500')],
  [
    'messages of a command that none has',
    (request) => request('/admin/api/messages?command=never&limit=500'),
  ],
  ['devices, 500', (request) => request('/admin/api/devices?limit=500')],
  [`devices, 500, ${AT_ONCE} at once`, (request) => atOnce(() => request('/admin/api/devices?limit=500'))],
  ['devices, 500, with details', (request) => request('/admin/api/devices?limit=500&details=true')],
  ['overview', (request) => request('/admin/api/overview')],
  ['export of all messages', (request) => request('/admin/api/messages/export?format=csv')],
  [
    `cancel ${MANY} of a device`,
    (request) => request('/admin/api/devices/many0/cancel', 'POST', { force: true }),
  ],
  [`cancel ${MANY} as a bulk action`, bulkCancel],
  [
    'replay 500 of 10,000 parked',
    (request) => request('/admin/api/messages/replayAll', 'POST', { limit: 500 }),
  ],
  [
    `${AT_ONCE} wrong logins`,
    (request) =>
      atOnce(() => request('/auth/login', 'POST', { deviseId: 'admin', password: 'wrong' }).catch(() => {})),
  ],
]

/** Works that can be done twice. */
const READS = new Set(WORKS.map(([name]) => name).filter((name) => !/^(cancel|replay) /.test(name)))

export async function stands({ runs, messages }: Options): Promise<void> {
  for (const adapter of ADAPTERS) {
    const found = new Map<string, number[]>(WORKS.map(([name]) => [name, []]))
    for (let run = 0; run < runs; run++) {
      for (const [name, ms] of await measure(adapter, messages)) found.get(name)?.push(ms)
    }
    const rows = [...found].map(([name, all]) => [
      name,
      median(all).toFixed(1),
      atMost(Math.max(...all), WANTED_MS, 1),
    ])
    const title = `Longest stand of the event loop, ${messages.toLocaleString('en')} stored messages (${adapter})`
    printTable(title, ['work', 'median ms', 'longest ms'], rows)
  }
}

async function measure(adapter: Adapter, messages: number): Promise<[name: string, ms: number][]> {
  const dataDir = dataDirectory()
  await fill(dataDir, messages)
  const loopFile = join(dataDir, 'loop')
  writeFileSync(loopFile, '')
  const env = {
    ...ENV,
    LOOP_FILE: loopFile,
    NODE_OPTIONS: `--import=${new URL('loop-delay.js', import.meta.url).href}`,
  }
  const server = await startWaybill({ adapter, dataDir, env })
  try {
    const authorization = `Bearer ${(await tokensFor([server]))(server)}`
    const request = requestOf(server, authorization)
    const found: [name: string, ms: number][] = []
    for (const [name, run] of WORKS) {
      // The first call of a read starts threads and is compiled meanwhile.
      if (READS.has(name)) await run(request)
      await longest(server, loopFile)
      await run(request)
      found.push([name, await longest(server, loopFile)])
    }
    return found
  } finally {
    await server.stop()
  }
}

/** Fills a data directory: messages of a month, 10,000 for each of two devices, and as many parked ones of a third. */
async function fill(dataDir: string, messages: number): Promise<void> {
  const script = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const run = (name: string, ...rest: string[]) =>
    promisify(execFile)(process.execPath, ['--import', 'tsx', script(name), dataDir, ...rest])
  await run('fill-history.ts', String(messages))
  await run('fill.ts', String(3 * MANY), '3', 'many')
  const db = new Database(join(dataDir, DATABASE_FILE))
  db.exec(`UPDATE messages SET status = 'UNKNOWN', cause = 'NOT_ACKNOWLEDGED' WHERE device_id = 'many2'`)
  db.close()
}

/** Returns the longest stand since the last call. */
export async function longest(server: Server, loopFile: string): Promise<number> {
  const lines = () => readFileSync(loopFile, 'utf8').trim().split('\n').filter(Boolean)
  const before = lines().length
  process.kill(server.pid, 'SIGUSR2')
  while (lines().length === before) await pause(5)
  return Number(lines().at(-1))
}

export function requestOf(server: Server, authorization: string): Request {
  return async (path, method = 'GET', body) => {
    const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const response = await fetch(server.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return text
  }
}

async function bulkCancel(request: Request): Promise<void> {
  const filter = { deviseId: 'many1' }
  const { id } = JSON.parse(
    await request('/admin/api/messages/bulk', 'POST', { action: 'CANCEL', filter, force: true }),
  ) as { id: number }
  for (;;) {
    const { state } = JSON.parse(await request(`/admin/api/messages/bulk/${id}`)) as { state: string }
    if (state !== 'RUNNING') return
    await pause(50)
  }
}

function atOnce(run: () => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: AT_ONCE }, run))
}
