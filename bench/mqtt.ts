/** MQTT beside mosquitto: commands carried, memory of idle connections, a crowd that comes back. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { hash } from 'bcrypt'
import { hashPassword } from '../src/auth/password.ts'
import { openStorage } from '../src/store/sqlite/database.ts'
import { NO_LIMITS } from './messages.ts'
import type { Job, Login } from './mqtt-load.ts'
import type { Options } from './rounds.ts'
import {
  ADMIN_PASSWORD,
  dataDirectory,
  freePort,
  LOAD_CORE,
  residentBytes,
  type Server,
  startRival,
  startServer,
  startWaybill,
} from './server.ts'
import { atLeast, atMost, median, medianRatio, printTable } from './table.ts'

const DEVICES = [1, 50, 1_000]
/** Maximum unacknowledged commands; with more devices than that, one for each device. */
const WINDOW = 128
const WANTED_RATE = 0.65
const CROWD = 2_000
/** Devices whose passwords cost as much to check as the product's. The passwords of the others cost next to nothing. */
const CROWD_FIRST = 200
const CHEAP_ROUNDS = 4
const WANTED_AGAIN_S = 5
/** Pause after the crowd has connected, in which the garbage of its connects is collected. */
const SETTLE_MS = 5_000
/** Pause after a turn, so that work which the server deferred counts as its own cost. */
const REST_MS = 1_000

export interface Broker {
  readonly server: Server
  readonly port: number
  readonly login: Login | null
}

/**
 * A device of Waybill has one unacknowledged command at a time. So the same exchange is the one in which mosquitto's
 * producer too sends a device its next command when the last one is acknowledged; the other is shown beside it.
 */
export async function mqttRates({ runs, seconds }: Options): Promise<void> {
  const ours = await startOurs(dataDirectory())
  const theirs = await startMosquitto()
  const rows: string[][] = []
  try {
    for (const devices of DEVICES) {
      const load = { do: 'commands', devices, seconds } as const
      const window = Math.max(WINDOW, devices)
      const [us, all, single]: [number[], number[], number[]] = [[], [], []]
      for (let run = 0; run < runs; run++) {
        us.push(await rate({ ...load, ...target(ours), queue: true, window }))
        if (!theirs) continue
        all.push(await rate({ ...load, ...target(theirs), queue: false, window }))
        single.push(await rate({ ...load, ...target(theirs), queue: false, window: null }))
      }
      const perSecond = (values: number[]): string =>
        values.length === 0 ? '' : Math.round(median(values)).toLocaleString('en')
      rows.push([
        devices.toLocaleString('en'),
        perSecond(us),
        perSecond(all),
        all.length > 0 ? medianRatio(us, all).toFixed(2) : '',
        perSecond(single),
        single.length > 0 ? atLeast(medianRatio(us, single), WANTED_RATE) : '',
      ])
    }
    printTable(
      'Commands delivered and acknowledged over MQTT a second, QoS 1, each on disk; mosquitto without a queue or a disk',
      ['devices', 'waybill', 'mosquitto, in a stream', 'ratio', 'mosquitto, one at a time each', 'ratio'],
      rows,
    )
  } finally {
    await ours.server.stop()
    await theirs?.server.stop()
  }
}

export async function mqttMemory(): Promise<void> {
  const rows: string[][] = []
  const port = await freePort()
  const bare = async (): Promise<Broker> => ({
    server: await startRival('aedes alone', 'aedes.js', { PORT: String(port) }),
    port,
    login: null,
  })
  for (const start of [() => startOurs(dataDirectory()), bare, startMosquitto]) {
    const broker = await start()
    if (!broker) continue
    const { server } = broker
    try {
      await pause(SETTLE_MS)
      const before = residentBytes(server.pid)
      const load = begin({ do: 'idle', devices: CROWD, ...target(broker) })
      await load.printed
      await pause(SETTLE_MS)
      const each = (residentBytes(server.pid) - before) / CROWD / 1_024
      rows.push([server.name, each.toFixed(1)])
      await load.end()
    } finally {
      await server.stop()
    }
  }
  printTable(
    `Memory of an idle connection with a subscription, ${CROWD.toLocaleString('en')} of them`,
    ['broker', 'KiB each'],
    rows,
  )
}

export async function mqttCrowd(): Promise<void> {
  const dataDir = await crowdDirectory(CROWD, CROWD_FIRST)
  const { first, again } = await connectCrowd({ dataDir, devices: CROWD, first: CROWD_FIRST })
  printTable(
    'Devices connect at once, each with its password',
    ['when', 'devices', 'seconds until the last is in', 'ms each'],
    [
      ['first', String(CROWD_FIRST), (first / 1_000).toFixed(1), (first / CROWD_FIRST).toFixed(1)],
      ['again', String(CROWD), atMost(again / 1_000, WANTED_AGAIN_S, 1), (again / CROWD).toFixed(1)],
    ],
  )
}

/** Returns a data directory with clients `d0`, `d1` …. The passwords of the first ones cost as much to check as the product's. */
export async function crowdDirectory(devices: number, first: number): Promise<string> {
  const directory = dataDirectory()
  const storage = openStorage({
    directory,
    durationsMs: [30_000],
    limits: NO_LIMITS,
    onFailure(error) {
      throw error
    },
  })
  // The same two hashes for all: what costs time is to check a password against it.
  const [dear, cheap] = [await hashPassword(ADMIN_PASSWORD), await hash(ADMIN_PASSWORD, CHEAP_ROUNDS)]
  const added = Array.from({ length: devices }, (_, i) =>
    storage.clients.add({
      ...{ deviceId: `d${i}`, passwordHash: i < first ? dear : cheap, role: 'DEVISE', description: '' },
      ...{ devices: [], ownQueueOnly: null, changedAtMs: Date.now() - 60_000 },
    }),
  )
  await Promise.all(added)
  await storage.close()
  return directory
}

export interface Crowd {
  readonly dataDir: string
  readonly devices: number
  /** Number of devices that connect before the others. */
  readonly first: number
  /** The command's file, of another build. */
  readonly program?: string | undefined
  readonly env?: Readonly<Record<string, string>>
}

/** Lets all devices connect at once, twice. Returns the times of the first ones and of all together, in milliseconds. */
export async function connectCrowd({ dataDir, program, env, ...crowd }: Crowd) {
  const ours = await startOurs(dataDir, program, env)
  try {
    const load = { do: 'connect', ...crowd, password: ADMIN_PASSWORD, port: ours.port } as const
    const [first = 0, , again = 0] = ((await begin(load).printed) as { ms: number[] }).ms
    await pause(REST_MS)
    return { first, again, cpuMs: ours.server.cpuMs() }
  } finally {
    await ours.server.stop()
  }
}

/** The product with MQTT, without an interval. @param program the command's file, of another build */
export function startMqtt(program?: string): Promise<Broker> {
  return startOurs(dataDirectory(), program)
}

/** One turn of commands to devices that acknowledge them. Returns the CPU microseconds of each. */
export async function mqttTurn(broker: Broker, devices: number, seconds: number): Promise<number> {
  const { server } = broker
  const before = server.cpuMs()
  const job = { do: 'commands', devices, seconds, queue: true, window: WINDOW, ...target(broker) } as const
  const { done } = (await begin(job).printed) as { done: number }
  await pause(REST_MS)
  return ((server.cpuMs() - before) * 1_000) / done
}

async function startOurs(
  dataDir: string,
  program?: string,
  env?: Readonly<Record<string, string>>,
): Promise<Broker> {
  const port = await freePort()
  const server = await startWaybill({
    adapter: 'node',
    dataDir,
    mqtt: `127.0.0.1:${port}`,
    env: { COMMON_SEND_MESSAGE_PERIOD: '0', ...env },
    program,
  })
  return { server, port, login: { username: 'admin', password: ADMIN_PASSWORD } }
}

/** Null where mosquitto is not installed. */
async function startMosquitto(): Promise<Broker | null> {
  try {
    execFileSync('mosquitto', ['-h'], { stdio: 'ignore' })
  } catch (error) {
    // `mosquitto -h` ends with 3 where it is there.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      console.log('\nmosquitto is left out: it is not installed (apt-get install mosquitto).')
      return null
    }
  }
  const port = await freePort()
  const config = join(dataDirectory(), 'mosquitto.conf')
  const limits = 'max_inflight_messages 0\nmax_queued_messages 0\nset_tcp_nodelay true\nlog_dest stdout\n'
  writeFileSync(config, `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\n${limits}`)
  // Into a pipe it would write only when it ends.
  const argv = ['stdbuf', '-oL', 'mosquitto', '-c', config]
  const url = `mqtt://127.0.0.1:${port}`
  return {
    server: await startServer('mosquitto', { argv, url, listens: 'running' }),
    port,
    login: null,
  }
}

function target({ port, login }: Broker): { port: number; login: Login | null } {
  return { port, login }
}

async function rate(job: Job): Promise<number> {
  const { printed } = begin(job)
  const { perSecond } = (await printed) as { perSecond: number }
  if (perSecond === 0) throw new Error(`nothing was carried: ${JSON.stringify(job)}`)
  return perSecond
}

const LOAD = fileURLToPath(new URL('mqtt-load.ts', import.meta.url))

/** Starts the load; `printed` resolves with what it found. */
function begin(job: Job): { printed: Promise<unknown>; end(): Promise<void> } {
  const argv = ['-c', LOAD_CORE, process.execPath, '--import', 'tsx', LOAD, JSON.stringify(job)]
  const child = spawn('taskset', argv, { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const printed = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)))
    closed.then(([code]) => reject(new Error(`the load ended with ${code}`)), reject)
  })
  return {
    printed,
    async end() {
      child.stdin.end()
      await closed
    },
  }
}
