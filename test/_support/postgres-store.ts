/** Opens stores over PostgreSQL for the storage contract suites: one schema per test, and the clock of the test. */
import { Socket } from 'node:net'
import pg from 'pg'
import { beforeAll } from 'vitest'
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
  /** Ends the connections of the node like a kill of its process, and opens another node. */
  kill(): Promise<PostgresStorage>
  /** Removes the data, the listeners and the further nodes of a test, so that another test may use the open node. */
  empty(): Promise<void>
  /** Runs statements on the data, and returns the rows. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
}

export async function openPostgresStorage(): Promise<PostgresUnderTest> {
  const { config } = postgresServer()
  const schema = newSchema()
  const clock = new HeldClock()
  const startMs = clock.wallMs()
  const opened = new Set<Node>()
  const listeners: (() => void)[] = []
  const nextNode = async (): Promise<Node> => {
    const node = await openNode(config, schema)
    opened.add(node)
    return node
  }
  let node = await nextNode()
  const admin = new pg.Client({ ...config, types: NUMBERS })
  await admin.connect()
  await admin.query(`SET search_path TO ${schema}; CREATE UNLOGGED TABLE test_clock (ms bigint);
    INSERT INTO test_clock VALUES (${clock.wallMs()});
    CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT ms FROM test_clock'`)
  const sync = clockSync(admin, clock)
  whenDone(async () => {
    await Promise.all([...opened].map(({ storage }) => storage.close()))
    await admin.query(`DROP SCHEMA ${schema} CASCADE`)
    await admin.end()
  })
  const shown = (storage: PostgresStorage): PostgresStorage => {
    const parts = Object.entries(storage).map(([name, part]) =>
      typeof part === 'object' && name !== 'shared' ? [name, proxied(part, sync, listeners)] : [name, part],
    )
    return Object.fromEntries(parts)
  }
  return {
    storage: shown(node.storage),
    schema,
    clock,
    async reopen() {
      await node.storage.close()
      node = await nextNode()
      return shown(node.storage)
    },
    async kill() {
      await node.kill()
      node = await nextNode()
      return shown(node.storage)
    },
    second: async () => shown((await nextNode()).storage),
    query: async (sql, values) => (await admin.query(sql, values)).rows,
    async empty() {
      clock.setWall(startMs)
      for (const stop of listeners.splice(0)) stop()
      for (const other of opened) {
        if (other === node) continue
        await other.storage.close()
        opened.delete(other)
      }
      await admin.query(
        `BEGIN; SET LOCAL session_replication_role = replica; ${await deletionsOf(admin)}; COMMIT`,
      )
    },
  }
}

/** Tables without data of a test. */
const KEPT = ['schema_steps', 'transition_kinds', 'nodes', 'lanes', 'tickets', 'rotation', 'test_clock']

/** Returns the statements that empty the tables. To truncate them would cost each session what it has prepared. */
async function deletionsOf(admin: pg.Client): Promise<string> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> ALL($1)`,
    [KEPT],
  )
  return rows.map(({ name }) => `DELETE FROM ${name}`).join('; ')
}

interface Node {
  readonly storage: PostgresStorage
  /** Ends all connections at once, and lets the node open no other, as if its process was killed. */
  kill(): Promise<void>
}

async function openNode(config: pg.ClientConfig, schema: string): Promise<Node> {
  const sockets: Socket[] = []
  const stream = (): Socket => {
    const socket = new Socket()
    sockets.push(socket)
    return socket
  }
  const host = { ...config, stream }
  const storage = await openPostgres({ hosts: [host], schema, limits: LIMITS })
  const kill = (): Promise<void> => {
    host.host = NOWHERE
    for (const socket of sockets) socket.destroy()
    // Ends the timers of this process. The close reaches no database.
    return storage.close()
  }
  return { storage, kill }
}

export interface PostgresStoreUnderTest
  extends StoreUnderTest,
    Pick<PostgresUnderTest, 'schema' | 'query' | 'empty'> {}

/** Opens an empty store for the suite of the messages. */
export async function openPostgresStore(): Promise<PostgresStoreUnderTest> {
  const opened = await openPostgresStorage()
  let { storage } = opened
  const { schema, query, empty, clock } = opened
  return {
    get store() {
      return storage.messages
    },
    ...{ clock, schema, query, empty },
    measuresByWallClock: true,
    record: (id) => storage.messageLog.get(id),
    extras: (id) => storage.messageLog.extras(id),
    statistics: () => storage.statistics,
    audit: async () => (await storage.audit.list(EVERY_LINE, 100_000)).toReversed(),
    async reopen() {
      storage = await opened.reopen()
      return storage.messages
    },
    async kill() {
      storage = await opened.kill()
      return storage.messages
    },
    second: async () => (await opened.second()).messages,
  }
}

/**
 * Opens one store for all tests of a file, each of which finds it empty. A new node has new connections, and each of them
 * costs 50 ms until it has called its first function.
 */
export function postgresStoreOfFile(): () => Promise<PostgresStoreUnderTest> {
  let opened: PostgresStoreUnderTest
  beforeAll(async () => {
    opened = await openPostgresStore()
  })
  return async () => {
    whenDone(() => opened.empty())
    return opened
  }
}

/** Directory without a socket of PostgreSQL. */
const NOWHERE = '/nowhere'
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
const UNTIMED = ['onAdded', 'received']

/** Returns a store, or a lease, whose calls wait until the database has the time of the test. */
function proxied<T extends object>(
  target: T,
  sync: () => Promise<unknown> | null,
  listeners: (() => void)[],
): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Reflect.get(object, name, object)
      if (typeof member !== 'function') return member
      if (name === 'watch')
        return (...args: unknown[]) => {
          const stop = member.apply(object, args) as () => void
          listeners.push(stop)
          return stop
        }
      if (UNTIMED.includes(String(name))) return member.bind(object)
      return (...args: unknown[]) => {
        const call = () => member.apply(object, args) as unknown
        const ready = sync()
        const result = ready === null ? call() : ready.then(call)
        return name === 'attach'
          ? (result as Promise<DeviceLease>).then((lease) => proxied(lease, sync, listeners))
          : result
      }
    },
  })
}
