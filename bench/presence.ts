/** Measures what presence, the device log and incidents cost: start, reads, writes while devices poll, a crowd, flapping. */
import { execFile } from 'node:child_process'
import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { PresenceRecorder } from '../src/broker/views/presence-recorder.ts'
import { Sightings } from '../src/broker/views/sightings.ts'
import { DATABASE_FILE } from '../src/store/sqlite/database/directory.ts'
import { openStorage } from '../src/store/sqlite/database.ts'
import { commands, NO_QUEUE_LIMIT } from './enqueue.ts'
import { NO_LIMITS } from './messages.ts'
import { connectCrowd, crowdDirectory } from './mqtt.ts'
import type { Options } from './rounds.ts'
import { dataDirectory, startWaybill, tokensFor } from './server.ts'
import { longest, type Request, requestOf } from './stands.ts'
import { atMost, median, printTable } from './table.ts'
import { written } from './writes.ts'
import { measure } from './wrk.ts'

const DEVICES = 100_000
const ROWS = 1_000_000
const POLLING = 10_000
const MIB = 1_048_576
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WANTED_START_MS = 300
const READS = 20
const CROWD = 10_000
const CROWD_FIRST = 20
const FLAPPING = 100
/** The batch of a minute is written in this time. */
const BATCH_MS = 75_000

type Read = readonly [name: string, path: (nowMs: number) => string, wantedMs: number]

const READ_TIMES: readonly Read[] = [
  [
    'log of a month, 500 entries',
    (now) => `/admin/api/devices/d0/log?from=${now - 30 * DAY_MS}&limit=500`,
    50,
  ],
  ['presence of a month', (now) => `/admin/api/devices/d0/presence?from=${now - 30 * DAY_MS}`, 50],
  [
    'devices not seen for a week, 500',
    () => '/admin/api/devices?details=true&unseenSeconds=604800&limit=500',
    100,
  ],
  ['500 open incidents', () => '/admin/api/incidents?limit=500', 100],
  ['an incident', () => '/admin/api/incidents/1', 100],
  ['hand-over of a day', (now) => `/admin/api/handover?from=${now - DAY_MS}`, 500],
]

export async function presence(options: Options): Promise<void> {
  await startAndReads(options)
  await polls(options)
  await crowd()
  await flapping()
}

async function startAndReads({ runs }: Options): Promise<void> {
  const full = dataDirectory()
  const script = fileURLToPath(new URL('fill-presence.ts', import.meta.url))
  await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    script,
    full,
    String(DEVICES),
    String(ROWS),
  ])
  const directories = { empty: dataDirectory(), full }
  const cpuMs = { empty: [] as number[], full: [] as number[] }
  // The first turn makes the admin, and reads from a cold disk.
  for (let run = 0; run <= runs; run++) {
    for (const name of ['empty', 'full'] as const) {
      const server = await startWaybill({ adapter: 'node', dataDir: directories[name] })
      if (run > 0) cpuMs[name].push(server.cpuMs())
      await server.stop()
    }
  }
  const more = median(cpuMs.full) - median(cpuMs.empty)
  const about = `${DEVICES.toLocaleString('en')} devices, ${ROWS.toLocaleString('en')} rows`
  printTable(
    `Start with ${about}`,
    ['CPU ms, empty', 'CPU ms', 'more'],
    [[String(median(cpuMs.empty)), String(median(cpuMs.full)), atMost(more, WANTED_START_MS, 0)]],
  )
  await reads(full, about)
}

async function reads(dataDir: string, about: string): Promise<void> {
  const loopFile = join(dataDir, 'loop')
  writeFileSync(loopFile, '')
  const loop = `--import=${new URL('loop-delay.js', import.meta.url).href}`
  const server = await startWaybill({
    adapter: 'node',
    dataDir,
    env: { LOOP_FILE: loopFile, NODE_OPTIONS: loop },
  })
  try {
    const request = requestOf(server, `Bearer ${(await tokensFor([server]))(server)}`)
    const rows: string[][] = []
    for (const [name, pathOf, wantedMs] of READ_TIMES) {
      const path = pathOf(Date.now())
      await request(path)
      await longest(server, loopFile)
      const tookMs = await times(request, path)
      const stand = await longest(server, loopFile)
      rows.push([name, atMost(median(tookMs), wantedMs, 1), stand.toFixed(1)])
    }
    printTable(
      `Reads, ${about}, 500 incidents with 10,000 members`,
      ['read', 'ms', 'longest stand, ms'],
      rows,
    )
  } finally {
    await server.stop()
  }
}

async function times(request: Request, path: string): Promise<number[]> {
  const tookMs: number[] = []
  for (let read = 0; read < READS; read++) {
    const begun = performance.now()
    await request(path)
    tookMs.push(performance.now() - begun)
  }
  return tookMs
}

/** Returns the builds to compare: name and command's file. */
function buildsOf({ before }: Options): [name: string, program: string | undefined][] {
  return [
    ...(before === null
      ? []
      : [['before', join(resolve(before), 'dist/bin/waybill.js')] as [string, string]]),
    ['this build', undefined],
  ]
}

async function polls(options: Options): Promise<void> {
  const rows: string[][] = []
  for (const [name, program] of buildsOf(options)) {
    const trace = join(mkdtempSync(join(tmpdir(), 'bench-')), 'trace')
    const under = ['strace', '-f', '-y', '--seccomp-bpf', '-o', trace, '-e', 'trace=pwrite64,fsync,fdatasync']
    const dataDir = dataDirectory()
    const server = await startWaybill({ adapter: 'node', dataDir, env: NO_QUEUE_LIMIT, program, under })
    try {
      const token = (await tokensFor([server]))(server)
      const load = (seconds: number) => commands('poll', { token, seconds, devices: POLLING })
      const add = (what: string, minutes: number, start: number): void => {
        const { bytes, syncs } = written(trace, start)
        const hours = (minutes * 60_000) / HOUR_MS
        rows.push([`${what}, ${name}`, (bytes / hours / MIB).toFixed(2), (syncs / hours).toFixed(0)])
      }
      const { size: first } = statSync(trace)
      await measure(server, load(BATCH_MS / 1_000))
      rows.push([`their first poll, ${name}`, (written(trace, first).bytes / MIB).toFixed(2), ''])
      const { size: second } = statSync(trace)
      await measure(server, load(options.minutes * 60))
      add(`an hour in which ${POLLING.toLocaleString('en')} devices poll`, options.minutes, second)
    } finally {
      await server.stop()
    }
  }
  printTable('Writes while devices poll', ['time', 'MiB', 'syncs'], rows)
}

async function crowd(): Promise<void> {
  const dataDir = await crowdDirectory(CROWD, CROWD_FIRST)
  const { again, cpuMs } = await connectCrowd({ dataDir, devices: CROWD, first: CROWD_FIRST })
  printTable(
    `${CROWD.toLocaleString('en')} devices connect at once for the second time`,
    ['seconds', 'CPU seconds in all', 'periods stored'],
    [[(again / 1_000).toFixed(1), (cpuMs / 1_000).toFixed(1), String(rowsOf(dataDir, 'periods'))]],
  )
}

/** Lets devices reconnect each second of an hour, on a held clock. */
async function flapping(): Promise<void> {
  const directory = dataDirectory()
  let nowMs = Date.now()
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs }
  const storage = openStorage({
    directory,
    durationsMs: [30_000],
    limits: NO_LIMITS,
    clock,
    onFailure(error) {
      throw error
    },
  })
  const sightings = new Sightings(clock)
  const parts = { store: storage.presence, sightings, clock, release: 'bench', everyMs: 60_000 }
  const recorder = new PresenceRecorder({ ...parts, keepsLog: true, keepsAddresses: true })
  await recorder.start()
  const names = { transport: 'MQTT', address: '198.51.100.7', session: 'valve', version: '5' }
  for (let second = 0; second < 3_600; second++) {
    nowMs += 1_000
    for (let device = 0; device < FLAPPING; device++) {
      const id = second * FLAPPING + device
      sightings.connected(id, { deviceId: `valve-${device}`, ...names })
      sightings.disconnected(id, 'CLOSED')
    }
    await recorder.flushDue()
  }
  await recorder.close()
  await storage.close()
  const stored = rowsOf(directory, 'periods') + rowsOf(directory, 'device_events')
  const mib = statSync(join(directory, DATABASE_FILE)).size / MIB
  printTable(
    `${FLAPPING} devices that connect each second of an hour`,
    ['rows', 'MiB of the database'],
    [[atMost(stored, 6_200, 0), atMost(mib, 15, 1)]],
  )
}

function rowsOf(directory: string, table: 'periods' | 'device_events'): number {
  const db = new Database(join(directory, DATABASE_FILE), { readonly: true })
  const count = db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0
  db.close()
  return count
}
