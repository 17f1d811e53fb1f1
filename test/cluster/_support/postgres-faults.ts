/** The faults of PostgreSQL and of the network to it. Each step is bounded, and leaves everything running. */
import pg from 'pg'
import { fill } from '../../_support/small-disk.ts'
import type { ClusterRig, ReplicatedServers } from './cluster-rig.ts'
import type { Fault, FaultRun } from './fault-run.ts'
import type { ProxyMode } from './postgres-proxy.ts'
import type { PostgresRunStore } from './run-store.ts'

/** Returns the process of any connection of a node; null while there is none. */
async function backendOf(store: PostgresRunStore, run: FaultRun): Promise<number | null> {
  const rows = await store.server.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'waybill %' ORDER BY pid",
  )
  return run.pick(rows)?.pid ?? null
}

/** Ends one connection of a node inside of PostgreSQL. */
export const killBackend =
  (store: PostgresRunStore): Fault =>
  async (run) => {
    const pid = await backendOf(store, run)
    if (pid !== null) await store.server.query('SELECT pg_terminate_backend($1)', [pid])
  }

/** Cancels each statement of all nodes that runs, again and again for a time, as an operator does who looks for a slow one. */
export const cancelStorm =
  (store: PostgresRunStore): Fault =>
  async (run) => {
    const rounds = 20 + Math.floor(40 * run.random())
    for (let round = 0; round < rounds; round++) {
      await store.server.query(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'waybill %' AND state = 'active'",
      )
      await run.wait(5, 50)
    }
  }

/** Takes all free connections of a server for a time, and ends some of the nodes' connections, which they cannot open again meanwhile. */
export const takeConnections =
  (store: PostgresRunStore): Fault =>
  async (run) => {
    const clients: pg.Client[] = []
    for (;;) {
      const client = new pg.Client(store.server.config)
      client.on('error', () => {})
      const isOpen = await client.connect().then(
        () => true,
        () => false,
      )
      if (!isOpen) break
      clients.push(client)
    }
    await clients[0]?.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'waybill %' ORDER BY random() LIMIT 10",
    )
    await run.wait(1_000, 3_000)
    await Promise.all(clients.map((client) => client.end()))
  }

/** Fills the disk of the tables for a time, while the log of PostgreSQL has room. @param disk see `tablesOnSmallDisk` */
export const fillDisk =
  (disk: string): Fault =>
  async (run) => {
    const free = fill(disk)
    await run.wait(1_000, 3_000)
    free()
  }

/** Locks a table against all use for a time, as a migration of an operator does. */
export const lockTable =
  (store: PostgresRunStore, tables: readonly string[]): Fault =>
  async (run) => {
    const table = run.pick(tables)
    if (table === null) return
    const seconds = (0.5 + 2 * run.random()).toFixed(1)
    await store.query(
      `BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(${seconds}); COMMIT`,
    )
  }

/** Kills one process of PostgreSQL, which then ends all connections and recovers from the log. */
export const crashBackend =
  (store: PostgresRunStore): Fault =>
  async (run) => {
    const pid = await backendOf(store, run)
    if (pid !== null) process.kill(pid, 'SIGKILL')
    await run.wait(500, 1_500)
    await store.server.recovered()
  }

/** Ends PostgreSQL as a crash does, and starts it again, which recovers from the log. */
export const crashPostgres =
  (store: PostgresRunStore): Fault =>
  async (run) => {
    await store.server.crash()
    await run.wait(200, 1_500)
    await store.server.startAgain()
  }

/** Crashes PostgreSQL as soon as some more requests were answered, so that there is something to lose. */
export const crashAfterAnswers =
  (store: PostgresRunStore): Fault =>
  async (run) => {
    const answered = () => run.records.submissions.filter(({ isAnswered }) => isAnswered).length
    const enough = answered() + 40
    for (let looks = 0; looks < 1_000 && answered() < enough; looks++) await run.wait(10, 20)
    await crashPostgres(store)(run)
  }

/** Breaks the network between one node and PostgreSQL for a time of at least `fromMs` and at most `toMs`. */
export const breakNetwork =
  ({ proxiesOf }: ClusterRig, modes: readonly ProxyMode[], fromMs: number, toMs: number): Fault =>
  async (run) => {
    const node = run.pickNode()
    const mode = run.pick(modes)
    if (node === null || mode === null) return
    for (const proxy of proxiesOf(node.index)) proxy.mode = mode
    await run.wait(fromMs, toMs)
    for (const proxy of proxiesOf(node.index)) proxy.mode = 'pass'
  }

/** Makes PostgreSQL answer late, as a slow disk does. */
export const slowAnswers =
  ({ proxies }: ClusterRig): Fault =>
  async (run) => {
    const delayMs = Math.round(20 + run.random() * 60)
    for (const proxy of proxies) proxy.delayMs = delayMs
    await run.wait(1_000, 3_000)
    for (const proxy of proxies) proxy.delayMs = 0
  }

/** Ends the primary as a crash does, and promotes its synchronous standby. Later calls only wait, since no standby is left. */
export const failOver = (store: PostgresRunStore, { primary, standby }: ReplicatedServers): Fault => {
  return async (run) => {
    await run.wait(1_000, 3_000)
    if (store.server === standby) return
    await primary.crash()
    await run.wait(100, 1_000)
    await standby.promote()
    store.server = standby
  }
}

/** Makes each write commit without a sync, as a session does that leaves synchronous_commit off. */
export async function commitWithoutSync(store: PostgresRunStore): Promise<void> {
  await store.query(`CREATE FUNCTION without_sync() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM set_config('synchronous_commit', 'off', true); RETURN NULL; END $$;
    DO $$ DECLARE v_table text; BEGIN
      FOR v_table IN SELECT relname FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition LOOP
        EXECUTE format('CREATE TRIGGER without_sync AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH STATEMENT EXECUTE FUNCTION without_sync()', v_table);
      END LOOP;
    END $$`)
}

/**
 * Removes the checks of the lease from the function that takes messages, so that a node dispatches to devices that have
 * moved to another node. A run with this store must show violations.
 */
export async function removeFence(store: PostgresRunStore): Promise<void> {
  const rows = await store.query<{ definition: string }>(
    "SELECT pg_get_functiondef('claim'::regproc) AS definition",
  )
  const definition = rows[0]?.definition ?? ''
  const without = definition.replaceAll('l.node_id = p_node', 'true').replaceAll('l.fence = c.fence', 'true')
  if (without === definition) throw new Error('The function "claim" compares no fence under this name.')
  await store.query(without)
}
