/** The store of a simulation: SQLite for one node, or a PostgreSQL server that starts for the simulation. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { STATUS_CODES } from '../../../src/store/postgres/schema/codes.ts'
import { DATABASE_FILE } from '../../../src/store/sqlite/database/directory.ts'
import { PostgresServer } from '../../_support/postgres.ts'

export interface StoredCounts {
  readonly messages: number
  readonly completed: number
  readonly pending: number
}

export interface SimulationStore {
  /** Process of the database server; null with SQLite, which runs in the node. */
  readonly pid: number | null
  argsOf(node: number): string[]
  pending(): Promise<number>
  counts(): Promise<StoredCounts>
  close(): void
}

export function openSimulationStore(directory: string, isPostgres: boolean): SimulationStore {
  return isPostgres ? openPostgresServer(directory) : openFile(directory)
}

function openFile(directory: string): SimulationStore {
  const read = async (): Promise<StoredCounts> => {
    const db = new Database(join(directory, DATABASE_FILE), { readonly: true })
    try {
      const sql = `SELECT count(*) AS messages, coalesce(sum(status = 'COMPLETED'), 0) AS completed,
        coalesce(sum(status = 'NOT_DELIVERED'), 0) AS pending FROM messages`
      return db.prepare<[], StoredCounts>(sql).get() as StoredCounts
    } finally {
      db.close()
    }
  }
  return {
    pid: null,
    argsOf: () => ['--data-dir', directory],
    pending: async () => (await read()).pending,
    counts: read,
    close() {},
  }
}

const SCHEMA = 'simulation'

function openPostgresServer(directory: string): SimulationStore {
  const server = new PostgresServer(['shared_buffers = 1GB', 'max_wal_size = 8GB', 'max_connections = 300'])
  const query = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row> => {
    const client = new pg.Client({ ...server.config, options: `-c search_path=${SCHEMA}` })
    await client.connect()
    try {
      return (await client.query<Row>(sql)).rows[0] as Row
    } finally {
      await client.end()
    }
  }
  const countsSql = `SELECT count(*)::int AS messages,
    (count(*) FILTER (WHERE status = ${STATUS_CODES.of('COMPLETED')}))::int AS completed,
    (count(*) FILTER (WHERE status = ${STATUS_CODES.of('NOT_DELIVERED')}))::int AS pending FROM messages`
  return {
    pid: Number(readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n')[0]),
    argsOf: (node) => ['--store', server.url(SCHEMA), '--data-dir', join(directory, String(node))],
    pending: async () => (await query<{ count: number }>('SELECT count(*)::int AS count FROM pending')).count,
    counts: () => query<StoredCounts & pg.QueryResultRow>(countsSql),
    close: () => server.remove(),
  }
}
