/** Opens stores over PostgreSQL for the storage contract suites: one schema per test, and the clock of the test. */
import pg from 'pg'
import { EVERY_LINE } from '../../src/audit/audit.ts'
import type { DeviceLease } from '../../src/broker/contract/device-lease.ts'
import { openPostgres, type PostgresStorage } from '../../src/store/postgres/database.ts'
import type { StorageUnderTest } from '../contract/storage.ts'
import type { StoreUnderTest } from '../contract/store-under-test.ts'
import { whenDone } from './cleanup.ts'
import { HeldClock } from './clock.ts'
import { newSchema, PostgresServer } from './postgres.ts'

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

/** Empty storage whose clock is the held clock: `now_ms()` reads the time from a table. */
export interface PostgresUnderTest extends StorageUnderTest<PostgresStorage> {
  readonly schema: string
  second(): Promise<PostgresStorage>
  /** Runs statements on the data, and returns the rows. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
}

export async function openPostgresStorage(): Promise<PostgresUnderTest> {
  const { config } = postgresServer()
  const schema = newSchema()
  const clock = new HeldClock()
  const opened: PostgresStorage[] = []
  const openNode = async (): Promise<PostgresStorage> => {
    const node = await openPostgres({ hosts: [config], schema, limits: LIMITS })
    opened.push(node)
    return node
  }
  let node = await openNode()
  const admin = new pg.Client({ ...config, types: NUMBERS })
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
  const shown = (storage: PostgresStorage): PostgresStorage => {
    const parts = Object.entries(storage).map(([name, part]) =>
      typeof part === 'object' && name !== 'shared' ? [name, proxied(part, sync)] : [name, part],
    )
    return Object.fromEntries(parts)
  }
  return {
    storage: shown(node),
    schema,
    clock,
    async reopen() {
      await node.close()
      node = await openNode()
      return shown(node)
    },
    second: async () => shown(await openNode()),
    query: async (sql, values) => (await admin.query(sql, values)).rows,
  }
}

export interface PostgresStoreUnderTest extends StoreUnderTest, Pick<PostgresUnderTest, 'schema' | 'query'> {}

/** Opens an empty store for the suite of the messages. */
export async function openPostgresStore(): Promise<PostgresStoreUnderTest> {
  const opened = await openPostgresStorage()
  let { storage } = opened
  const { schema, query, clock } = opened
  return {
    get store() {
      return storage.messages
    },
    ...{ clock, schema, query },
    measuresByWallClock: true,
    record: (id) => storage.messageLog.get(id),
    extras: (id) => storage.messageLog.extras(id),
    statistics: () => storage.statistics,
    audit: async () => (await storage.audit.list(EVERY_LINE, 100_000)).toReversed(),
    async reopen() {
      storage = await opened.reopen()
      return storage.messages
    },
    second: async () => (await opened.second()).messages,
  }
}

const LIMITS = { messages: 1_000_000, bytes: 0 }

const NUMBERS = {
  getTypeParser: (id: number, format?: 'text') => (id === 20 ? Number : pg.types.getTypeParser(id, format)),
} as pg.CustomTypesConfig

/** Returns a function that sets the clock of the database to the time of the test. Calls take effect in order. */
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

/** Functions that return no promise. */
const UNTIMED = ['watch', 'onAdded', 'received']

/** Returns a store, or a lease, whose calls wait until the database has the time of the test. */
function proxied<T extends object>(target: T, sync: () => Promise<unknown> | null): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Reflect.get(object, name, object)
      if (typeof member !== 'function' || UNTIMED.includes(String(name)))
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
