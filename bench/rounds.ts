/** Measures several servers in turns, so that what else the machine does hits all of them alike. */
import type { Server } from './server.ts'
import { median } from './table.ts'
import { type Load, type Measured, measure } from './wrk.ts'

export interface Options {
  /** Number of measurements of each figure. The tables print medians. */
  readonly runs: number
  readonly seconds: number
  /** Duration of a soak, and of an idle time. */
  readonly minutes: number
  /** Messages that wait in the large case of growth and start. */
  readonly messages: number
  /** Directory of an earlier clone, built, to compare with; null: none. */
  readonly before: string | null
}

export const CONNECTIONS = 64

/**
 * One load on each server, `runs` times; a short one before, which does not count. A run is as many turns as the load has
 * seconds, and the servers take turns: the machine is faster and slower by the second.
 */
export async function rounds(
  servers: readonly Server[],
  runs: number,
  load: (server: Server) => Load,
): Promise<Map<Server, Measured[]>> {
  const { seconds } = load(servers[0] as Server)
  const measured = new Map<Server, Measured[]>(servers.map((server) => [server, []]))
  for (const server of servers) await measure(server, { ...load(server), seconds: 2 })
  for (let run = 0; run < runs; run++) {
    const turns = new Map<Server, Measured[]>(servers.map((server) => [server, []]))
    for (let turn = 0; turn < seconds; turn++) {
      for (const server of servers) {
        turns.get(server)?.push(await measure(server, { ...load(server), seconds: 1 }))
      }
    }
    for (const server of servers) measured.get(server)?.push(together(turns.get(server) as Measured[]))
  }
  return measured
}

/** A server that takes part in a comparison. */
export interface Rival {
  readonly name: string
  /** Starts it; null where it is not installed. */
  start(): Promise<Server | null>
}

/**
 * {@link rounds}, half of them with servers that started in the other order: one that starts later costs a few percent more.
 *
 * @param loads returns the load of each of the servers that started
 * @returns the runs of each rival; none of one that is not installed
 */
export async function roundsInBothOrders(
  rivals: readonly Rival[],
  runs: number,
  loads: (servers: readonly Server[]) => Promise<(server: Server) => Load>,
): Promise<Measured[][]> {
  const measured: Measured[][] = rivals.map(() => [])
  for (const order of [rivals, rivals.toReversed()]) {
    const servers = new Map<Rival, Server>()
    try {
      for (const rival of order) {
        const server = await rival.start()
        if (server) servers.set(rival, server)
      }
      const started = [...servers.values()]
      const half = await rounds(started, Math.ceil(runs / 2), await loads(started))
      for (const [rival, server] of servers) {
        measured[rivals.indexOf(rival)]?.push(...(half.get(server) as Measured[]))
      }
    } finally {
      for (const server of servers.values()) await server.stop()
    }
  }
  return measured
}

/** Combines the turns as if they were one long measurement. The p99 is the median of theirs. */
function together(turns: readonly Measured[]): Measured {
  const sum = (of: (turn: Measured) => number): number => turns.reduce((all, turn) => all + of(turn), 0)
  const requests = sum((turn) => turn.requests)
  const names = Object.keys(turns[0]?.printed ?? {})
  return {
    requests,
    perSecond: requests / sum((turn) => turn.requests / turn.perSecond),
    cpuMicros: sum((turn) => turn.cpuMicros * turn.requests) / requests,
    gcMicros: sum((turn) => turn.gcMicros * turn.requests) / requests,
    p99Ms: median(turns.map(({ p99Ms }) => p99Ms)),
    printed: Object.fromEntries(names.map((name) => [name, sum(({ printed }) => printed[name] as number)])),
  }
}

export const cpuOf = (runs: readonly Measured[]): number[] => runs.map(({ cpuMicros }) => cpuMicros)
export const rateOf = (runs: readonly Measured[]): number[] => runs.map(({ perSecond }) => perSecond)
