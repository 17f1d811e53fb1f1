/** The faults of PostgreSQL and of the network to it. Each step is bounded, and leaves everything running. */
import type { Fault } from './fault-run.ts'
import type { PostgresProxy, ProxyMode } from './postgres-proxy.ts'
import type { PostgresRunStore } from './run-store.ts'

/** Ends one connection of a node inside of PostgreSQL. */
export const killBackend =
  (store: PostgresRunStore): Fault =>
  async (run) => {
    const rows = await store.server.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'waybill' ORDER BY pid",
    )
    const row = run.pick(rows)
    if (row !== null) await store.server.query('SELECT pg_terminate_backend($1)', [row.pid])
  }

/** Ends PostgreSQL as a crash does, and starts it again, which recovers from the log. */
export const crashPostgres =
  (store: PostgresRunStore): Fault =>
  async (run) => {
    store.server.stop('immediate')
    await run.wait(200, 1_500)
    store.server.start()
  }

/** Breaks the network between one node and PostgreSQL for a time. */
export const breakNetwork =
  (
    proxiesOf: (node: number) => readonly PostgresProxy[],
    modes: readonly ProxyMode[],
    forMs: number,
  ): Fault =>
  async (run) => {
    const node = run.pickNode()
    const mode = run.pick(modes)
    if (node === null || mode === null) return
    for (const proxy of proxiesOf(node.index)) proxy.mode = mode
    await run.wait(forMs / 4, forMs)
    for (const proxy of proxiesOf(node.index)) proxy.mode = 'pass'
  }

/** Makes PostgreSQL answer late, as a slow disk does. */
export const slowAnswers =
  (proxies: readonly PostgresProxy[]): Fault =>
  async (run) => {
    const delayMs = Math.round(20 + run.random() * 60)
    for (const proxy of proxies) proxy.delayMs = delayMs
    await run.wait(1_000, 3_000)
    for (const proxy of proxies) proxy.delayMs = 0
  }
