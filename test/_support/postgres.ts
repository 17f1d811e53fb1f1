/** PostgreSQL servers for tests: Debian's programs, in a temporary directory, on a socket without a port. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { urlOfSocket } from './database-url.ts'
import { findPostgres } from './find-postgres.ts'

/** User that runs PostgreSQL when the tests run as root, which PostgreSQL refuses. */
const UNPRIVILEGED = 'nobody'
/** Number of checks for the start of a server, and the pause between them, in milliseconds. */
const MAX_TRIES = 600
const PAUSE_MS = 50

/** A running server. Its user is `waybill`, its database `waybill`. */
export class PostgresServer {
  readonly directory: string
  readonly #programs: string

  /**
   * Creates a cluster and starts it.
   *
   * @param settings lines of postgresql.conf in addition to the test defaults
   * @param primary running server whose standby the new server becomes
   */
  constructor(settings: readonly string[] = [], primary: PostgresServer | null = null) {
    const programs = findPostgres()
    if (programs === null) throw new Error('PostgreSQL is not installed. Install the package postgresql-15.')
    this.#programs = programs
    // The path of a socket has at most 107 bytes.
    this.directory = mkdtempSync(join(tmpdir(), 'wb-pg-'))
    chmodSync(this.directory, 0o777)
    if (primary === null) {
      const locale = ['-E', 'UTF8', '--no-locale']
      this.#as('initdb', ['-D', this.data, '-U', 'waybill', '-A', 'trust', ...locale, '--no-sync'])
    } else {
      const from = ['-h', primary.directory, '-U', 'waybill']
      this.#as('pg_basebackup', [...from, '-D', this.data, '--write-recovery-conf', '--checkpoint=fast'])
    }
    const defaults = [
      "listen_addresses = ''",
      `unix_socket_directories = '${this.directory}'`,
      'max_connections = 200',
    ]
    appendFileSync(join(this.data, 'postgresql.conf'), `${[...defaults, ...settings].join('\n')}\n`)
    this.start()
    if (primary === null)
      execFileSync(join(programs, 'createdb'), ['-h', this.directory, '-U', 'waybill', 'waybill'])
  }

  get data(): string {
    return join(this.directory, 'data')
  }

  /** Settings for `pg`. */
  get config(): pg.ClientConfig {
    return { host: this.directory, user: 'waybill', database: 'waybill' }
  }

  /** Value of `--store`. */
  url(schema: string): string {
    return urlOfSocket(this.directory, schema)
  }

  /** Gives a directory to the user that runs the server. */
  own(directory: string): void {
    execFileSync('chown', [`--reference=${this.data}`, directory])
  }

  /** Starts the server. It ends with this process, even if this process is killed. */
  start(): void {
    this.#launch()
    for (let tries = 0; !this.#isReady(); tries++) {
      this.#check(tries)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }

  /** Starts the server like {@link start}, without blocking the event loop. */
  async startAgain(): Promise<void> {
    this.#launch()
    await this.recovered()
  }

  /** Resolves when the server accepts connections. */
  async recovered(): Promise<void> {
    for (let tries = 0; !this.#isReady(); tries++) {
      this.#check(tries)
      await setTimeout(PAUSE_MS)
    }
  }

  /** Ends all processes of the server at once, without blocking the event loop. */
  async crash(): Promise<void> {
    const pidFile = join(this.data, 'postmaster.pid')
    process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGQUIT')
    for (let tries = 0; existsSync(pidFile); tries++) {
      this.#check(tries)
      await setTimeout(PAUSE_MS)
    }
  }

  #launch(): void {
    const log = openSync(join(this.directory, 'log'), 'a')
    const [command, args] = this.#command('postgres', ['-D', this.data], ['--pdeathsig', 'QUIT'])
    spawn(command, args, { cwd: this.directory, stdio: ['ignore', log, log] }).unref()
    closeSync(log)
  }

  #isReady(): boolean {
    return spawnSync(join(this.#programs, 'pg_isready'), ['-q', '-h', this.directory]).status === 0
  }

  /** @throws when the server does not start or end */
  #check(tries: number): void {
    if (tries < MAX_TRIES) return
    const log = readFileSync(join(this.directory, 'log'), 'utf8')
    throw new Error(`PostgreSQL did not start or end:\n${log}`)
  }

  /** @param mode `immediate` ends all processes at once, like a crash */
  stop(mode: 'fast' | 'immediate' = 'fast'): void {
    this.#as('pg_ctl', ['-D', this.data, '-w', '-s', '-m', mode, 'stop'])
  }

  /** Restarts the server as a standby of a primary that does not exist: it accepts reads only. */
  becomeStandby(): void {
    this.stop()
    writeFileSync(join(this.data, 'standby.signal'), '')
    this.start()
  }

  /** Makes a standby the primary, without blocking the event loop. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote()')
  }

  remove(): void {
    if (existsSync(join(this.data, 'postmaster.pid'))) this.stop('immediate')
    rmSync(this.directory, { recursive: true, force: true })
  }

  /** Runs statements, and returns the rows of the last one. */
  async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client(this.config)
    await client.connect()
    try {
      return (await client.query<Row>(sql, values)).rows
    } finally {
      await client.end()
    }
  }

  #as(program: string, args: readonly string[]): void {
    const [command, all] = this.#command(program, args)
    execFileSync(command, all, { cwd: this.directory, stdio: ['ignore', 'ignore', 'inherit'] })
  }

  /** Returns a program of PostgreSQL with its arguments, for a user other than root. */
  #command(
    program: string,
    args: readonly string[],
    options: readonly string[] = [],
  ): [command: string, args: string[]] {
    const user = [`--reuid=${UNPRIVILEGED}`, '--regid=nogroup', '--clear-groups']
    const isRoot = process.getuid?.() === 0
    return ['setpriv', [...(isRoot ? user : []), ...options, join(this.#programs, program), ...args]]
  }
}

/** Returns a name for a schema that no other test uses. */
export function newSchema(): string {
  return `t_${randomBytes(6).toString('hex')}`
}
