/** The stores of fault runs: how a node is pointed to a store, and how the test reads it. */
import pg from 'pg'
import { CAUSE_CODES, GUARANTEE_CODES, STATUS_CODES } from '../../../src/store/postgres/schema/codes.ts'
import { temporaryDirectory } from '../../_support/cleanup.ts'
import { newSchema, type PostgresServer } from '../../_support/postgres.ts'
import { databaseIn, rowsOf } from '../../_support/stored.ts'
import type { PostgresProxy } from './postgres-proxy.ts'
import type { StoredAttempt, StoredMessage, StoredRun } from './records.ts'

export interface RunStore {
  /** Returns the arguments that point a node to the store. @param node number of the node */
  argsOf(node: number): readonly string[]
  /** Returns the number of pending messages. */
  pending(): Promise<number>
  read(): Promise<StoredRun>
}

type Row = Omit<StoredMessage, 'tag'> & { readonly data: string }

const withTag = ({ data, ...message }: Row): StoredMessage => {
  return { ...message, tag: (JSON.parse(data) as { tag: string }).tag }
}

/** SQLite in a data directory: one node. */
export class SqliteRunStore implements RunStore {
  readonly directory = temporaryDirectory()

  argsOf(): readonly string[] {
    return ['--data-dir', this.directory]
  }

  async pending(): Promise<number> {
    const sql = "SELECT count(*) AS count FROM messages WHERE status = 'NOT_DELIVERED'"
    return this.#rows<{ count: number }>(sql)[0]?.count ?? 0
  }

  async read(): Promise<StoredRun> {
    const messages = this.#rows<Row>(
      `SELECT id, device_id AS deviceId, data, guarantee, status, cause,
         iif(status = 'NOT_DELIVERED', NULL, coalesce(delivered_at_ms, changed_at_ms)) AS leftAtMs FROM messages`,
    )
    const attempts = this.#rows<StoredAttempt>(
      'SELECT message_id AS messageId, at_ms AS atMs, number, transport FROM attempts ORDER BY at_ms',
    )
    return { messages: messages.map(withTag), attempts }
  }

  #rows<T>(sql: string): T[] {
    return rowsOf<T>(databaseIn(this.directory), sql)
  }
}

/** A schema of a PostgreSQL server, which each node reaches through proxies of its own. */
export class PostgresRunStore implements RunStore {
  readonly schema = newSchema()
  /** The server that has the data now. */
  server: PostgresServer
  readonly #proxiesOf: (node: number) => readonly PostgresProxy[]
  readonly #directory = temporaryDirectory()

  /** @param proxiesOf the proxies of a node, one for each host */
  constructor(server: PostgresServer, proxiesOf: (node: number) => readonly PostgresProxy[]) {
    this.server = server
    this.#proxiesOf = proxiesOf
  }

  argsOf(node: number): readonly string[] {
    const hosts = this.#proxiesOf(node).map(({ port }) => `127.0.0.1:${port}`)
    const url = `postgres://waybill@${hosts.join(',')}/waybill?schema=${this.schema}`
    return ['--store', url, '--data-dir', `${this.#directory}/${node}`]
  }

  async pending(): Promise<number> {
    const rows = await this.query<{ count: number }>('SELECT count(*)::int AS count FROM pending')
    return rows[0]?.count ?? 0
  }

  async read(): Promise<StoredRun> {
    const messages = await this.query<PostgresRow>(
      `SELECT id::float8, device_id, data, guarantee, status, cause,
         CASE status WHEN ${STATUS_CODES.of('NOT_DELIVERED')} THEN NULL
           ELSE coalesce(delivered_at_ms, changed_at_ms)::float8 END AS left_at_ms FROM messages`,
    )
    const attempts = await this.query<{
      message_id: number
      at_ms: number
      number: number
      transport: string
    }>('SELECT message_id::float8, at_ms::float8, number, transport FROM message_attempts ORDER BY at_ms')
    return {
      messages: messages.map((row) =>
        withTag({
          ...{ id: row.id, deviceId: row.device_id, data: row.data, leftAtMs: row.left_at_ms },
          guarantee: GUARANTEE_CODES.name(row.guarantee),
          status: STATUS_CODES.name(row.status),
          cause: row.cause === null ? null : CAUSE_CODES.name(row.cause),
        }),
      ),
      attempts: attempts.map((row) => ({
        messageId: row.message_id,
        atMs: row.at_ms,
        number: row.number,
        transport: row.transport,
      })),
    }
  }

  /** Runs statements in the schema, and returns the rows of the last one. */
  async query<T extends object>(sql: string): Promise<T[]> {
    const client = new pg.Client({ ...this.server.config, options: `-c search_path=${this.schema}` })
    await client.connect()
    try {
      return (await client.query<T & pg.QueryResultRow>(sql)).rows
    } finally {
      await client.end()
    }
  }
}

interface PostgresRow {
  readonly id: number
  readonly device_id: string
  readonly data: string
  readonly guarantee: number
  readonly status: number
  readonly cause: number | null
  readonly left_at_ms: number | null
}
