/** A connection to PostgreSQL that performs one statement at a time, and opens itself again after a failure. */
import { hostname } from 'node:os'
import type { Client, ClientConfig, QueryResultRow } from 'pg'
import { kindOf, NotConnected, Standby } from './faults.ts'

/** Place of the database, and what each new connection is to do. */
export interface PostgresConnectionOptions {
  /** Settings for `pg`, one for each host. The first one that is a primary is used. */
  readonly hosts: readonly ClientConfig[]
  readonly schema: string
  /** Names what the connection is for, in `application_name`. */
  readonly purpose: string
  /** Called with each notification that a LISTEN of the connection receives. */
  readonly onNotification?: (payload: string) => void
  /** Statement that each new connection performs first. */
  readonly prepare?: string
  /** Time within which a statement must have an answer, in milliseconds; null: no limit. Then its outcome is unknown. */
  readonly answerMs?: number | null
}

/** A statement that the server prepares once for each connection. */
export interface Statement {
  /** Name of the prepared statement, unique for its text. */
  readonly name: string
  readonly text: string
}

/** Names this process among those of all nodes. PostgreSQL cuts an application_name after 63 bytes. */
const PROCESS = `${hostname().slice(0, 24)}:${process.pid}`
/** Identifier of `int8` in PostgreSQL. Ids stay below 2^53, so they are numbers. */
const INT8 = 20
/** Time within which a host must accept a connection, in milliseconds. */
const CONNECT_MS = 3_000
const ANSWER_MS = 10_000
/**
 * Time by which PostgreSQL ends a statement before its connection gives it up, in milliseconds. Otherwise each repetition of a
 * statement that waits for a lock would leave a session behind.
 */
const SERVER_FIRST_MS = 500
/** Time that the server has to end a connection, in milliseconds. */
const END_MS = 1_000

/** A process of PostgreSQL that serves a connection. The number alone may be used again. */
interface Session {
  readonly pid: number
  readonly startedAt: string
}

/** Reads the own session, and whether its host is a standby. */
const LOOK = `SELECT pg_is_in_recovery() AS standby, pid, backend_start::text AS "startedAt"
  FROM pg_stat_activity WHERE pid = pg_backend_pid()`
/** Ends another session of the same connection. A pooler may have given that session to another connection meanwhile. */
const END_SESSION = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid = $1 AND backend_start = $2::timestamptz AND pid <> pg_backend_pid() AND application_name = $3`

/**
 * Statements of a new session. The functions forbid sequential scans by their cost, and a cost of that size would compile the
 * statement each time. No setting of the role, the database or the server may weaken a promise. The functions lock first, and read
 * in a later statement what the former holder of the lock committed. A commit returns when it is on the disk, and on that of the
 * synchronous standby if there is one.
 */
const SESSION = `SET jit = off; SET lock_timeout = 0; SET idle_session_timeout = 0; SET default_transaction_isolation = 'read committed';
SELECT set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false);`

export class Connection {
  readonly #options: PostgresConnectionOptions
  #client: Client | null = null
  /** The session of the latest client. */
  #session: Session | null = null
  #opening: Promise<Client> | null = null
  /** Client whose connection is being opened. */
  #candidate: Client | null = null
  /** Resolves when the latest statement is over. */
  #idle: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(options: PostgresConnectionOptions) {
    this.#options = options
  }

  get #name(): string {
    return `waybill ${PROCESS} ${this.#options.purpose}`
  }

  /**
   * Performs a statement and returns its rows. After an error with an unknown outcome the next call opens a new connection.
   *
   * @throws {Error} of `pg`; see failures.ts
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

  /** Ends the connection, also while a statement has no answer. Later calls are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    const client = this.#client
    this.#client = null
    if (this.#candidate) destroy(this.#candidate)
    if (client === null) return
    // A server that is gone never confirms the end.
    const timer = setTimeout(() => destroy(client), END_MS)
    await client.end().catch(() => {})
    clearTimeout(timer)
  }

  /** Ends the connection at once, so that a call that gets no answer fails. The next call opens a new one. */
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
   * Ends the former session, which may go on without its client: a commit that waits for a missing standby has no limit of time. What
   * it committed stays, and a repetition of that call waits for the standby in its turn.
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
