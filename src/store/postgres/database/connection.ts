/** Connection to PostgreSQL that performs one statement at a time, and reopens itself after a failure. */
import { hostname } from 'node:os'
import type { Client, ClientConfig, QueryResultRow } from 'pg'
import { kindOf, NotConnected, Standby } from './faults.ts'

/** Location of the database, and the setup of each new connection. */
export interface PostgresConnectionOptions {
  /** Settings for `pg`, one per host. The first primary is used. */
  readonly hosts: readonly ClientConfig[]
  readonly schema: string
  readonly purpose: string
  /** Called with each notification of a LISTEN on the connection. */
  readonly onNotification?: (payload: string) => void
  /** First statement of each new connection. */
  readonly prepare?: string
  /**
   * Maximum time until the answer to a statement, in milliseconds; null for no limit. After it the outcome is unknown.
   */
  readonly answerMs?: number | null
}

/** Statement that the server prepares once per connection. */
export interface Statement {
  /** Name of the prepared statement, unique for its text. */
  readonly name: string
  readonly text: string
}

/** Identifies this process among all nodes. PostgreSQL cuts an application_name after 63 bytes. */
const PROCESS = `${hostname().slice(0, 24)}:${process.pid}`
/** OID of `int8` in PostgreSQL. Ids stay below 2^53, so they are parsed as numbers. */
const INT8 = 20
/** Maximum time until a host accepts a connection, in milliseconds. */
const CONNECT_MS = 3_000
const ANSWER_MS = 10_000
/**
 * Time by which PostgreSQL ends a statement before the client gives up, in milliseconds. Otherwise each retry of a
 * statement that waits for a lock would leave a session behind.
 */
const SERVER_FIRST_MS = 500
/** Maximum time for the server to end a connection, in milliseconds. */
const END_MS = 1_000

/** PostgreSQL process that serves a connection. The pid alone may be reused. */
interface Session {
  readonly pid: number
  readonly startedAt: string
}

/**
 * Reads the own session, and whether its host is a standby. The view pg_stat_activity would cost a new session 8 ms of
 * processor time, a quarter of its start.
 */
const LOOK = `SELECT pg_is_in_recovery() AS standby, pid, backend_start::text AS "startedAt"
  FROM pg_stat_get_activity(pg_backend_pid())`
/**
 * Ends another session of the same connection, unless a pooler has given that session to another connection meanwhile.
 */
const END_SESSION = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid = $1 AND backend_start = $2::timestamptz AND pid <> pg_backend_pid() AND application_name = $3`

/**
 * Setup of a new session. The functions forbid sequential scans by their cost, and a cost of that size would trigger
 * JIT compilation of each statement. No setting of the role, the database or the server may weaken a promise. The
 * functions lock first, and read in a later statement what the former holder of the lock committed. A commit returns
 * when it is on the disk, and on the disk of the synchronous standby if there is one.
 */
const SESSION = `SET jit = off; SET lock_timeout = 0; SET idle_session_timeout = 0; SET default_transaction_isolation = 'read committed';
SELECT set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false);`

export class Connection {
  readonly #options: PostgresConnectionOptions
  #client: Client | null = null
  #session: Session | null = null
  #opening: Promise<Client> | null = null
  #candidate: Client | null = null
  #idle: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(options: PostgresConnectionOptions) {
    this.#options = options
  }

  get #name(): string {
    return `waybill ${PROCESS} ${this.#options.purpose}`
  }

  /**
   * Performs a statement and returns its rows. After an error with an unknown outcome the next call opens a new
   * connection.
   *
   * @throws {Error} of `pg`; see faults.ts
   */
  run<Row extends QueryResultRow>(statement: Statement | string, values: unknown[] = []): Promise<Row[]> {
    const result = this.#idle.then(() => this.#run<Row>(statement, values))
    this.#idle = result.catch(() => {})
    return result
  }

  async #run<Row extends QueryResultRow>(statement: Statement | string, values: unknown[]): Promise<Row[]> {
    const client = this.#client ?? (await this.#open())
    try {
      const query = typeof statement === 'string' ? { text: statement, values } : { ...statement, values }
      return (await client.query<Row>(query)).rows
    } catch (error) {
      if (kindOf(error) === 'unknown') this.#drop(client)
      throw error
    }
  }

  /** Ends the connection, even while a statement has no answer. Later calls are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    const client = this.#client
    this.#client = null
    if (this.#candidate) destroy(this.#candidate)
    if (client === null) return
    // A vanished server never confirms the end.
    const timer = setTimeout(() => destroy(client), END_MS)
    await client.end().catch(() => {})
    clearTimeout(timer)
  }

  /** Ends the connection at once, so that a call without an answer fails. The next call opens a new connection. */
  reset(): void {
    if (this.#client) this.#drop(this.#client)
  }

  #open(): Promise<Client> {
    if (this.#isClosed) return Promise.reject(new NotConnected(new Error('The connection is closed.')))
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  async #connect(): Promise<Client> {
    const failures: unknown[] = []
    for (const host of this.#options.hosts) {
      if (this.#isClosed) break
      try {
        return await this.#connectTo(host)
      } catch (error) {
        failures.push(error)
      }
    }
    throw new NotConnected(failures.find((each) => !(each instanceof Standby)) ?? failures[0])
  }

  async #connectTo(host: ClientConfig): Promise<Client> {
    const { Client, types } = (await import('pg')).default
    const { answerMs = ANSWER_MS } = this.#options
    const client = new Client({
      ...host,
      connectionTimeoutMillis: CONNECT_MS,
      ...(answerMs !== null && { query_timeout: answerMs }),
      keepAlive: true,
      application_name: this.#name,
      types: {
        getTypeParser: (id: number, format?: 'text') =>
          id === INT8 ? Number : types.getTypeParser(id, format),
      },
    } as ClientConfig)
    // Without a listener the loss of an idle connection would end the process.
    client.on('error', () => this.#drop(client))
    client.on('notification', ({ payload }) => this.#options.onNotification?.(payload ?? ''))
    this.#candidate = client
    try {
      await client.connect()
      await this.#prepare(client)
    } catch (error) {
      destroy(client)
      throw error
    } finally {
      this.#candidate = null
    }
    this.#client = client
    return client
  }

  /** @throws {Standby} */
  async #prepare(client: Client): Promise<void> {
    const { schema, prepare, answerMs = ANSWER_MS } = this.#options
    const { rows } = await client.query<Session & { standby: boolean }>(LOOK)
    const [session = null] = rows
    if (session?.standby) throw new Standby('The host is a standby.')
    const limitMs = answerMs === null ? 0 : answerMs - SERVER_FIRST_MS
    await client.query(
      `${SESSION} SET statement_timeout = ${limitMs}; SET search_path TO ${client.escapeIdentifier(schema)}`,
    )
    await this.#endFormer(client)
    this.#session = session
    if (prepare) await client.query(prepare)
  }

  /**
   * Ends the former session, which may continue without its client: a commit that waits for a missing standby has no
   * time limit. What it committed stays, and the retry of that call waits for the standby in its turn.
   */
  async #endFormer(client: Client): Promise<void> {
    if (this.#session === null) return
    const { pid, startedAt } = this.#session
    await client.query(END_SESSION, [pid, startedAt, this.#name])
  }

  #drop(client: Client): void {
    if (this.#client === client) this.#client = null
    destroy(client)
  }
}

/** Ends the socket at once. `end` alone would wait for an answer that may never come. */
function destroy(client: Client): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}
