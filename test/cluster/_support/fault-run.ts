/** One fault run: starts nodes, devices and producers, injects faults for a time, heals everything, and checks the promises. */
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { inject } from 'vitest'
import { NODE_TIMES } from '../../../src/store/postgres/nodes/node.ts'
import { ADMIN_PASSWORD } from '../../_support/broker.ts'
import { seeded, seedOfRun } from '../../_support/random.ts'
import { tokenOf, withToken } from '../../_support/rest.ts'
import { ClusterNode } from './cluster-node.ts'
import { type DeviceOptions, FaultDevice, type Login } from './devices.ts'
import { EventReaders } from './event-readers.ts'
import { FaultGateway } from './gateway.ts'
import { listOf, unannounced, violationsOf } from './invariants.ts'
import { PATIENCE_MS } from './mqtt-link.ts'
import { wrongOverviews } from './overviews.ts'
import { PollingDevice } from './polling-devices.ts'
import { wrongPresence } from './presence.ts'
import { Producers } from './producers.ts'
import { RunRecords } from './records.ts'
import { droppedOf, lineOf, type RunReport } from './report.ts'
import type { RunStore } from './run-store.ts'

/** A step that breaks something and repairs it. */
export type Fault = (run: FaultRun) => Promise<void>

export interface FaultRunOptions extends Partial<DeviceOptions> {
  readonly name: string
  readonly store: RunStore
  readonly nodes: number
  readonly faults: readonly Fault[]
  /** Maximum pause between two faults. */
  readonly gapMs?: number
  /** Number of the devices that use MQTT. */
  readonly devices?: number
  /** Number of the devices that poll over REST. */
  readonly pollers?: number
  /** Number of the devices behind one gateway; none by default. */
  readonly behindGateway?: number
  readonly producers?: number
  readonly perSecond?: number
  /** Share of the producers that use MQTT; a third by default. */
  readonly mqttShare?: number
  readonly seconds?: number
  /** Makes two runs have the same choices; `SEED`, or a random one, by default. */
  readonly seed?: number
  /** Pacing interval of the nodes. */
  readonly intervalMs?: number
  readonly env?: Readonly<Record<string, string>>
  /** Environment of one node. */
  readonly envOf?: (node: number) => Readonly<Record<string, string>>
  /** Changes the database after the nodes have started, as a control does. */
  readonly prepare?: () => Promise<void>
  /** Damages the database after the nodes have ended, so that the checks have something to find. */
  readonly beforeReading?: () => void
}

/** Duration of the faults of a run. `SECONDS=600` makes a long one. */
const SECONDS = Number(process.env.SECONDS ?? 6)
const INTERVAL_MS = 20
/** Duration of a fault that outlasts the lease of a node. */
export const LEASE_AND_MORE_MS = NODE_TIMES.leaseMs + 2_000
const ATTEMPT_MS = 2_000
/** Number of devices with a login of their own, so that they have periods. The others use that of the admin. */
const OWN_LOGINS = 6
/** Violations that are printed in full. */
const SHOWN = 8
/** Time within which all queues must be empty after the faults. */
const DRAIN_MS = 45_000
/** Time within which all final statuses must have reached their producers then. */
const ANNOUNCE_MS = 5_000

export class FaultRun {
  readonly nodes: readonly ClusterNode[]
  readonly records = new RunRecords()
  readonly seed: number
  readonly random: () => number
  readonly store: RunStore
  devices: readonly FaultDevice[] = []
  #pollers: readonly PollingDevice[] = []
  /** Ids of the devices behind the gateway. */
  readonly #behind: readonly string[]
  #gateway: FaultGateway | null = null
  token = ''
  readonly #options: FaultRunOptions

  constructor(options: FaultRunOptions) {
    const { env, envOf = () => ({}), store } = options
    this.#options = options
    this.seed = options.seed ?? nextSeed(options.name)
    this.random = seeded(this.seed)
    this.store = store
    const settings = {
      COMMON_SEND_MESSAGE_PERIOD: String(options.intervalMs ?? INTERVAL_MS),
      COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: String(ATTEMPT_MS),
      COMMON_MAX_ATTEMPTS: '0',
      ...env,
    }
    this.#behind = Array.from({ length: options.behindGateway ?? 0 }, (_, i) => `site-${i}`)
    this.nodes = Array.from(
      { length: options.nodes },
      (_, i) => new ClusterNode(i, store, { ...settings, ...envOf(i) }),
    )
  }

  /** Performs the run, prints its row, and returns it. */
  async perform(): Promise<RunReport> {
    const { name, seconds = SECONDS, producers = 9, perSecond = 120, mqttShare = 1 / 3 } = this.#options
    await this.#start()
    const load = new Producers(this, {
      devices: [...this.devices.map(({ id }) => id), ...this.#pollers.map(({ id }) => id), ...this.#behind],
      ...{ producers, perSecond, mqttShare },
    })
    const readers = new EventReaders(this.records)
    await readers.start(this.nodes, this.token)
    await load.start()
    const faults = await this.#break(performance.now() + seconds * 1000)
    await this.#heal()
    await load.stop()
    const drainMs = await this.#drain()
    const expected = this.#gateway
      ? { devices: null, connections: this.devices.length + 1 + load.connected }
      : { devices: this.devices.length, connections: this.devices.length + load.connected }
    this.records.unexpected.push(...(await wrongOverviews(this.nodes, this.token, expected)))
    this.records.unexpected.push(...(await wrongPresence(this.#first, this.token, this.records.heard)))
    await this.#untilAnnounced()
    load.close()
    readers.close()
    for (const device of this.devices) device.stop()
    this.#gateway?.stop()
    await Promise.all(this.#pollers.map((device) => device.stop()))
    await Promise.all(this.nodes.map((node) => node.end('SIGTERM')))
    this.records.unexpected.push(...this.nodes.flatMap(({ problems }) => problems))
    this.#options.beforeReading?.()
    const stored = await this.store.read()
    const report: RunReport = {
      ...{ name, seed: this.seed, seconds, faults, drainMs },
      submitted: this.records.submissions.length,
      answered: this.records.submissions.filter(({ isAnswered }) => isAnswered).length,
      dispatched: stored.attempts.length,
      dropped: droppedOf(this.records, stored),
      violations: violationsOf(this.records, stored, this.#options.intervalMs ?? INTERVAL_MS),
    }
    process.stderr.write(`${lineOf(report)}\n`)
    appendFileSync(inject('faultReports'), `${JSON.stringify(report)}\n`)
    for (const text of listOf(report.violations).slice(0, SHOWN)) process.stderr.write(`  ${text}\n`)
    return report
  }

  /** Returns any value of a list. */
  pick<T>(list: readonly T[]): T | null {
    return list[Math.floor(this.random() * list.length)] ?? null
  }

  /** Returns a node that runs, perhaps paused; null while there is none. */
  pickNode(): ClusterNode | null {
    return this.pick(this.nodes.filter(({ isRunning }) => isRunning))
  }

  /** Waits for a random time. */
  wait(fromMs: number, toMs: number): Promise<void> {
    return pause(fromMs + this.random() * (toMs - fromMs))
  }

  async #start(): Promise<void> {
    const {
      devices = 54,
      pollers = 6,
      acknowledgesWithinMs = 30,
      forgets = 0.02,
      patienceMs = PATIENCE_MS,
    } = this.#options
    // Several nodes start at once with a new schema: one of them creates it, and one the admin.
    await Promise.all(this.nodes.map((node) => node.start()))
    await this.#options.prepare?.()
    this.token = await tokenOf(this.#first.url, 'admin', ADMIN_PASSWORD)
    const options = { acknowledgesWithinMs, forgets, patienceMs }
    const ids = Array.from({ length: devices }, (_, i) => `device-${i}`)
    const logins = await Promise.all(ids.slice(0, OWN_LOGINS).map((id) => this.#createLogin(id)))
    const admin = { username: 'admin', password: this.token }
    this.devices = ids.map((id, i) => new FaultDevice(id, this, options, logins[i] ?? admin))
    await Promise.all(this.devices.map((device) => device.connect()))
    this.#pollers = Array.from({ length: pollers }, (_, i) => new PollingDevice(`poller-${i}`, this, options))
    for (const device of this.#pollers) device.start()
    if (this.#behind.length > 0) this.#gateway = await this.#startGateway(options)
  }

  async #startGateway(options: DeviceOptions): Promise<FaultGateway> {
    const { username, password: token } = await this.#createLogin('gateway', ['site-*'])
    const { records, random } = this
    const world = { records, random, token, pickNode: () => this.pickNode() }
    const gateway = new FaultGateway(username, this.#behind, world, options)
    await gateway.connect()
    return gateway
  }

  /** Creates a client. Returns its login, with a token. */
  async #createLogin(deviseId: string, devices: readonly string[] = []): Promise<Login> {
    const { url } = this.#first
    const client = { deviseId, password: ADMIN_PASSWORD, role: 'DEVISE', devices }
    const { status, text } = await withToken(url, this.token).post('/admin/api/clients', client)
    if (status !== 201) throw new Error(`The client ${deviseId} was not created: ${text}`)
    return { username: deviseId, password: await tokenOf(url, deviseId, ADMIN_PASSWORD) }
  }

  get #first(): ClusterNode {
    return this.nodes[0] as ClusterNode
  }

  async #break(untilMs: number): Promise<number> {
    const { faults, gapMs = 1_000 } = this.#options
    let count = 0
    while (performance.now() < untilMs) {
      await this.wait(0, gapMs)
      const fault = this.pick(faults)
      if (fault === null) continue
      await fault(this)
      count++
    }
    return count
  }

  async #heal(): Promise<void> {
    for (const node of this.nodes) node.resume()
    await Promise.all(this.nodes.map((node) => node.start()))
  }

  /** Waits until all final statuses have reached their producers, or the limit is over. */
  async #untilAnnounced(): Promise<void> {
    const start = performance.now()
    while (performance.now() - start < ANNOUNCE_MS) {
      if (unannounced(this.records, await this.store.read()).length === 0) return
      await pause(100)
    }
  }

  /** Waits until all queues are empty, or the limit is over. Returns the time. */
  async #drain(): Promise<number> {
    const start = performance.now()
    while (performance.now() - start < DRAIN_MS && (await this.store.pending()) > 0) await pause(50)
    return Math.round(performance.now() - start)
  }
}

const seeds = new Map<string, number>()

/** Returns the seed of the next run with a name. */
function nextSeed(name: string): number {
  const previous = seeds.get(name)
  const seed = previous === undefined ? seedOfRun() : previous + 1
  seeds.set(name, seed)
  return seed
}

/** Performs a run. */
export function faultRun(options: FaultRunOptions): Promise<RunReport> {
  return new FaultRun(options).perform()
}
