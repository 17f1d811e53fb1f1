/**
 * Simulates many MQTT devices on real nodes: logins by token, one command a device a minute, each acknowledged. Counters check
 * the promises, and a table shows what the processes use. Not part of CI. Build first: `npm run build`.
 *
 *   node --import tsx test/cluster/simulation/run.ts --devices 1000 --nodes 1 --seconds 60
 *   node --import tsx test/cluster/simulation/run.ts --devices 100000 --nodes 3 --seconds 300 --postgres
 *
 * A node needs a file for each connection: `ulimit -n`.
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { tokenOf } from '../../_support/rest.ts'
import { DeviceCounts, Latencies, type ReportedCounts, reportOf } from './device-counts.ts'
import type { Assignment } from './device-process.ts'
import { ADMIN, type SimulationNode, startNode } from './nodes.ts'
import { usageOf, usageOfTree } from './processes.ts'
import { SteadyProducer } from './producer.ts'
import { openSimulationStore } from './simulation-store.ts'

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '1000' },
    nodes: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    /** Commands to one device in a minute. */
    perMinute: { type: 'string', default: '1' },
    /** New connections in a second, of all devices. */
    connects: { type: 'string', default: '1500' },
    /** Starts a PostgreSQL server for the simulation; SQLite otherwise. */
    postgres: { type: 'boolean', default: false },
    /** Devices in one process, which has an address of its own and may open a limited number of files. */
    perProcess: { type: 'string', default: '8000' },
    program: { type: 'string', default: 'dist/bin/waybill.js' },
  },
})
const devices = Number(values.devices)
const seconds = Number(values.seconds)
const perSecond = (devices * Number(values.perMinute)) / 60
const DRAIN_MS = 60_000

const directory = mkdtempSync(join(tmpdir(), 'waybill-simulation-'))
const store = openSimulationStore(directory, values.postgres)
const nodes: SimulationNode[] = []
try {
  for (let i = 0; i < Number(values.nodes); i++)
    nodes.push(await startNode([values.program], store.argsOf(i)))
  const token = await tokenOf((nodes[0] as SimulationNode).url, ADMIN.id, ADMIN.password)
  const ports = nodes.map(({ mqttPort }) => mqttPort)
  const account = { username: ADMIN.id, token }

  const connectStart = performance.now()
  const crowd = startDevices(ports, account)
  while (crowd.total().connected < devices) await pause(200)
  const connectSeconds = (performance.now() - connectStart) / 1000
  print('connected', `${crowd.total().connected} of ${devices} in ${connectSeconds.toFixed(1)} s`)

  const { closed: closedBefore } = crowd.total()
  const before = usages(crowd.pids)
  const loadStart = performance.now()
  const producer = new SteadyProducer({ devices, ports, ...account, perSecond })
  await producer.run(seconds)
  const used = usages(crowd.pids).map((usage, at) => ({
    ...usage,
    cpuSeconds: usage.cpuSeconds - (before[at]?.cpuSeconds ?? 0),
  }))
  const loadSeconds = (performance.now() - loadStart) / 1000
  const drainStart = performance.now()
  while ((await store.pending()) > 0 && performance.now() - drainStart < DRAIN_MS) await pause(100)
  await pause(1_500)
  const { latencies, ...counts } = crowd.total()
  crowd.end()
  await Promise.all(nodes.map((node) => node.end()))
  const stored = await store.counts()
  const problems = {
    lost: producer.answered - stored.messages,
    unseen: stored.completed - counts.received,
    outOfOrder: counts.outOfOrder,
    twoInFlight: counts.twoInFlight,
    stuck: stored.pending,
    closed: counts.closed - closedBefore,
  }
  print(
    'commands',
    `${producer.submitted} submitted, ${producer.answered} answered, ${stored.messages} stored`,
  )
  print('devices', JSON.stringify(counts))
  print('promises', JSON.stringify(problems))
  const spread = new Latencies(latencies)
  print(
    'latency',
    `p50 ≤ ${spread.quantile(0.5)} ms, p99 ≤ ${spread.quantile(0.99)} ms, most ≤ ${spread.quantile(1)} ms`,
  )
  for (const { name, bytes, cpuSeconds } of used) {
    const cpu = `${((100 * cpuSeconds) / loadSeconds).toFixed(1)} % of a core`
    const each = `${((1e6 * cpuSeconds) / Math.max(1, producer.answered)).toFixed(0)} µs a command`
    print(name, `${(bytes / 1_048_576).toFixed(0)} MiB, ${cpu}, ${each}`)
  }
  if (Object.values(problems).some((count) => count !== 0)) process.exitCode = 1
} finally {
  await Promise.all(nodes.map((node) => node.end().catch(() => {})))
  store.close()
  rmSync(directory, { recursive: true, force: true })
}

function print(name: string, text: string): void {
  process.stdout.write(`${name.padEnd(12)} ${text}\n`)
}

/** Starts the processes of the devices. */
function startDevices(ports: readonly number[], account: { username: string; token: string }) {
  const most = Number(values.perProcess)
  const count = Math.ceil(devices / most)
  const reports = new Map<number, ReportedCounts>()
  const children = Array.from({ length: count }, (_, i) => {
    const child = fork(join(import.meta.dirname, 'device-process.ts'), { execArgv: ['--import', 'tsx'] })
    child.on('message', (report) => reports.set(i, report as ReportedCounts))
    const assignment: Assignment = {
      ...{ first: i * most, end: Math.min(devices, (i + 1) * most), ports, ...account },
      // One address has 28,000 ports for all nodes, and the kernel searches long for one of the last.
      localAddress: `127.0.0.${i + 1}`,
      perSecond: Number(values.connects) / count,
    }
    child.send(assignment)
    return child
  })
  return {
    pids: children.map(({ pid }) => pid ?? 0),
    total: (): ReportedCounts => [...reports.values()].reduce(sum, reportOf(new DeviceCounts())),
    end: () => {
      for (const child of children) child.disconnect()
    },
  }
}

function sum(a: ReportedCounts, b: ReportedCounts): ReportedCounts {
  return {
    connected: a.connected + b.connected,
    refused: a.refused + b.refused,
    closed: a.closed + b.closed,
    received: a.received + b.received,
    repeated: a.repeated + b.repeated,
    outOfOrder: a.outOfOrder + b.outOfOrder,
    twoInFlight: a.twoInFlight + b.twoInFlight,
    latencies: new Latencies(a.latencies).plus(b.latencies).counts,
  }
}

function usages(devicePids: readonly number[]) {
  return [
    ...nodes.map(({ pid }, i) => ({ name: `node ${i + 1}`, ...usageOf(pid) })),
    ...(store.pid === null ? [] : [{ name: 'PostgreSQL', ...usageOfTree(store.pid) }]),
    ...devicePids.map((pid, i) => ({ name: `devices ${i + 1}`, ...usageOf(pid) })),
    { name: 'producer', ...usageOf(process.pid) },
  ]
}
