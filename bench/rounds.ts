/** Measures several servers in turns, so that what else the machine does hits all of them alike. */
import type { Server } from './server.ts'
import { type Load, type Measured, measure } from './wrk.ts'

export interface Options {
  /** How often each figure is measured; medians are printed. */
  readonly runs: number
  readonly seconds: number
  readonly soakMinutes: number
  /** Messages that wait in the large case of growth and start. */
  readonly messages: number
}

export const CONNECTIONS = 64

/** One load on each server, one after the other, `runs` times; a short one before, which does not count. */
export async function rounds(
  servers: readonly Server[],
  runs: number,
  load: (server: Server) => Load,
): Promise<Map<Server, Measured[]>> {
  const measured = new Map<Server, Measured[]>(servers.map((server) => [server, []]))
  for (const server of servers) await measure(server, { ...load(server), seconds: 2 })
  for (let run = 0; run < runs; run++) {
    for (const server of servers) measured.get(server)?.push(await measure(server, load(server)))
  }
  return measured
}

export const cpuOf = (runs: readonly Measured[]): number[] => runs.map(({ cpuMicros }) => cpuMicros)
export const rateOf = (runs: readonly Measured[]): number[] => runs.map(({ perSecond }) => perSecond)
