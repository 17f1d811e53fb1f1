/** Stores over PostgreSQL for the suites of the storage contract: a schema for each test, and the clock of the test. */
import pg from 'pg'
import type { DeviceLease } from '../../src/broker/device-lease.ts'
import { openPostgres } from '../../src/store/postgres/database.ts'
import type { StoreUnderTest } from '../contract/store-under-test.ts'
import { whenDone } from './cleanup.ts'
import { HeldClock } from './clock.ts'
import { newSchema, PostgresServer } from './postgres.ts'

type Opened = Awaited<ReturnType<typeof openPostgres>>

/** The server of this worker. It ends with the process. */
let server: PostgresServer | null = null

export function postgresServer(): PostgresServer {
  if (server === null) {
    const started = new PostgresServer(['fsync = off'])
    server = started
    process.once('exit', () => started.remove())
  }
  return server
}

export interface PostgresStoreUnderTest extends StoreUnderTest {
  readonly schema: string
  /** Runs statements in the schema of the store. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
}

/** Opens an empty store. Its clock is the held one: `now_ms()` reads the time from a table. */
export async function openPostgresStore(): Promise<PostgresStoreUnderTest> {
  const { config } = postgresServer()
  const schema = newSchema()
  const clock = new HeldClock()
  const opened: Opened[] = []
  const openNode = async (): Promise<Opened> => {
    const node = await openPostgres({ hosts: [config], schema })
    opened.push(node)
    return node
  }
  let node = await openNode()
  const admin = new pg.Client(config)
  await admin.connect()
  await admin.query(`SET search_path TO ${schema}; CREATE UNLOGGED TABLE test_clock (ms bigint);
    INSERT INTO test_clock VALUES (${clock.wallMs()});
    CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT ms FROM test_clock'`)
  const sync = clockSync(admin, clock)
  whenDone(async () => {
    await Promise.all(opened.map((each) => each.close()))
    await admin.query(`DROP SCHEMA ${schema} CASCADE`)
    await admin.end()
  })
  return {
    store: proxied(node.messages, sync),
    clock,
    schema,
    query: async (sql, values) => (await admin.query(sql, values)).rows,
    record: (id) => node.messageLog.get(id),
    extras: (id) => node.messageLog.extras(id),
    audit: async () => (await node.audit.list(EVERY, 1_000)).toReversed(),
    async reopen() {
      await node.close()
      node = await openNode()
      return proxied(node.messages, sync)
    },
    async second() {
      const other = await openNode()
      return proxied(other.messages, sync)
    },
  }
}

const EVERY = { clientId: null, action: null, fromMs: null, toMs: null, before: null }

/** Returns a function that brings the clock of the database to the time of the test. Calls take effect in order. */
function clockSync(admin: pg.Client, clock: HeldClock): () => Promise<unknown> | null {
  let shownMs = clock.wallMs()
  let last: Promise<unknown> | null = null
  return () => {
    if (clock.wallMs() === shownMs) return last
    shownMs = clock.wallMs()
    const update = admin.query('UPDATE test_clock SET ms = $1', [shownMs]).finally(() => {
      if (last === update) last = null
    })
    last = update
    return update
  }
}

/** Returns a store, or a lease, whose calls wait until the database has the time of the test. */
function proxied<T extends object>(target: T, sync: () => Promise<unknown> | null): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Reflect.get(object, name, object)
      if (typeof member !== 'function' || name === 'watch')
        return typeof member === 'function' ? member.bind(object) : member
      return (...args: unknown[]) => {
        const call = () => member.apply(object, args) as unknown
        const ready = sync()
        const result = ready === null ? call() : ready.then(call)
        return name === 'attach'
          ? (result as Promise<DeviceLease>).then((lease) => proxied(lease, sync))
          : result
      }
    },
  })
}
