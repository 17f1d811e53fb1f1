/** Starts of a process on a PostgreSQL that it cannot use: one line that says what is wrong, and an end with the right exit code. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { PostgresServer } from '../_support/postgres.ts'
import { type Command, LOCAL, spawnCommand } from '../_support/server.ts'

interface Place {
  readonly user?: string
  readonly database?: string
  readonly schema?: string
  readonly socket?: string
}

let server: PostgresServer
beforeAll(async () => {
  server = new PostgresServer(['max_connections = 60'])
  whenDone(() => server.remove())
  // The user `locked` needs a password; all others are trusted.
  const rules = 'local all locked scram-sha-256\nlocal all all trust\nlocal replication all trust\n'
  writeFileSync(join(server.data, 'pg_hba.conf'), rules)
  await server.query(`SELECT pg_reload_conf();
    CREATE ROLE guest LOGIN; CREATE ROLE locked LOGIN PASSWORD 'right'; CREATE ROLE few LOGIN CONNECTION LIMIT 5;
    CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = on;
    CREATE ROLE barred LOGIN; CREATE ROLE spread LOGIN; CREATE ROLE crowd LOGIN CONNECTION LIMIT 40;
    CREATE SCHEMA owned; CREATE SCHEMA other; CREATE TABLE other.messages (id int)`)
  for (const sql of [
    "CREATE DATABASE latin1 ENCODING 'LATIN1' TEMPLATE template0",
    "CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0",
    'CREATE DATABASE small CONNECTION LIMIT 5',
    'CREATE DATABASE closed',
    'REVOKE CONNECT ON DATABASE closed FROM PUBLIC',
    'GRANT CREATE ON DATABASE waybill TO crowd, few, reader, spread',
    'GRANT CREATE ON DATABASE small TO spread',
  ])
    await server.query(sql)
})

function urlOf({ user = 'waybill', database = 'waybill', schema = 'fresh', socket }: Place): string {
  const host = encodeURIComponent(socket ?? server.directory)
  return `postgres://${user}@/${database}?host=${host}&schema=${schema}`
}

function startOn(place: Place, ...flags: readonly string[]): Command {
  return spawnCommand({ args: [...LOCAL, '--store', urlOf(place), ...flags], dataDir: temporaryDirectory() })
}

/** Expects that a start ended with a code and one line. */
async function expectEnd(command: Command, code: number, text: RegExp): Promise<void> {
  const ended = await command.exited
  expect(ended).toMatchObject({ code, stderr: expect.stringMatching(/^waybill: .+\n$/) })
  expect(ended.stderr).toMatch(text)
  expect(command.log.filter(({ msg }) => msg === 'listening')).toEqual([])
}

describe('a person must mend it → exit code 78 at once', () => {
  const cases: readonly (readonly [what: string, place: Place, text: RegExp])[] = [
    [
      'no right to create a schema',
      { user: 'guest' },
      /guest may not create the schema fresh in waybill: run "CREATE SCHEMA fresh AUTHORIZATION guest" there/,
    ],
    [
      'a schema of another role',
      { user: 'guest', schema: 'owned' },
      /schema owned belongs to waybill, so guest may not create tables in it: run "ALTER SCHEMA owned OWNER TO guest"/,
    ],
    [
      'a schema of another program',
      { schema: 'other' },
      /schema other has objects of another program \(relation "messages" already exists\) .+: .+\?schema=NAME/,
    ],
    ['encoding LATIN1', { database: 'latin1' }, /database latin1 has the encoding LATIN1: .+--encoding=UTF8/],
    ['encoding SQL_ASCII', { database: 'ascii' }, /database ascii has the encoding SQL_ASCII: .+UTF8/],
    [
      'read-only by a setting',
      { user: 'reader' },
      /default_transaction_read_only is on for reader: .+ALTER ROLE reader SET/,
    ],
    ['a wrong password', { user: 'locked:wrong' }, /refuses the login/],
    ['no password', { user: 'locked' }, /asks for a password: .+PGPASSWORD/],
    ['no such database', { database: 'nowhere' }, /has no database nowhere: create it/],
    [
      'no right to connect',
      { user: 'barred', database: 'closed' },
      /barred may not connect to closed: run "GRANT CONNECT ON DATABASE closed TO barred"/,
    ],
    [
      'a connection limit of the role below what a node needs',
      { user: 'few' },
      /few may open 5 connections, and a node needs \d\d: run "ALTER ROLE few CONNECTION LIMIT/,
    ],
    [
      'a connection limit of the database below what a node needs',
      { user: 'spread', database: 'small' },
      /small takes 5 connections, and a node needs \d\d: run "ALTER DATABASE small CONNECTION LIMIT/,
    ],
  ]
  test.each(cases)('%s', async (_, place, text) => {
    await expectEnd(startOn(place), 78, text)
  })

  test.each([['fsync = off'], ['full_page_writes = off']])(
    '%s → refused; with --allow-data-loss → the node starts',
    async (setting) => {
      const unsafe = new PostgresServer([setting])
      whenDone(() => unsafe.remove())
      const place = { socket: unsafe.directory }
      await expectEnd(startOn(place), 78, new RegExp(`has ${setting}, so .+--allow-data-loss`))
      await startOn(place, '--allow-data-loss').logged(({ msg }) => msg === 'listening')
    },
  )

  test('max_connections below what a node needs', async () => {
    const small = new PostgresServer(['max_connections = 15'])
    whenDone(() => small.remove())
    const start = startOn({ socket: small.directory })
    await expectEnd(start, 78, /takes 15 connections, and a node needs \d\d: raise max_connections/)
  })
})

describe('it may pass → a line at once, then exit code 1', () => {
  async function hold(count: number, user: string): Promise<pg.Client[]> {
    const clients = Array.from({ length: count }, () => new pg.Client({ ...server.config, user }))
    await Promise.all(clients.map((client) => client.connect()))
    whenDone(() => Promise.all(clients.map((client) => client.end())))
    return clients
  }

  const WARNED = /; tried again for 10 seconds$/

  test('no server', async () => {
    const start = startOn({ socket: temporaryDirectory() })
    await start.logged(
      ({ level, msg }) => level === 'warn' && WARNED.test(msg) && /does not answer/.test(msg),
    )
    await expectEnd(start, 1, /does not answer \(.+\): start it/)
  })

  test('a standby', async () => {
    const standby = new PostgresServer()
    whenDone(() => standby.remove())
    standby.becomeStandby()
    const start = startOn({ socket: standby.directory })
    await start.logged(({ msg }) => WARNED.test(msg))
    await expectEnd(start, 1, /is a standby.+: promote it, or name the primary/)
  })

  test('other sessions hold most connections of the role', async () => {
    await hold(30, 'crowd')
    const start = startOn({ user: 'crowd' })
    await start.logged(({ msg }) => WARNED.test(msg))
    await expectEnd(
      start,
      1,
      /crowd has 10 of 40 connections left, and a node needs \d\d: end others, or run "ALTER ROLE crowd CONNECTION LIMIT/,
    )
  })

  test('other sessions hold all connections', async () => {
    await hold(57, 'guest')
    const start = startOn({ user: 'spread' })
    await start.logged(({ msg }) => WARNED.test(msg))
    await expectEnd(
      start,
      1,
      /has no free connection \(.+\): end sessions of other programs, or raise max_connections/,
    )
  })

  test('another session updates the database', async () => {
    const [client] = (await hold(1, 'waybill')) as [pg.Client]
    const lock = await client.query<{ pid: number }>('SELECT pg_advisory_lock(7, 0), pg_backend_pid() AS pid')
    const session = `session ${lock.rows[0]?.pid}`
    const start = startOn({})
    await start.logged(({ msg }) => msg === 'waits for another node that updates the database')
    const text = new RegExp(
      `another node updates the database \\(${session}\\): start this node when it is done`,
    )
    await expectEnd(start, 1, text)
  })
})

const PGBOUNCER = '/usr/sbin/pgbouncer'

/** Starts PgBouncer before the server, on a socket of its own. */
async function startPooler(mode: 'session' | 'transaction'): Promise<string> {
  const directory = join(server.directory, `pooler-${mode}`)
  mkdirSync(directory)
  const file = join(directory, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]\n* = user=waybill host=${server.directory}\n[pgbouncer]\nlisten_addr =\nlisten_port = 5432\nunix_socket_dir = ${directory}
auth_type = any\npool_mode = ${mode}\ndefault_pool_size = 40\nmax_client_conn = 200\n`,
  )
  spawnSync('chown', ['-R', 'nobody', directory])
  const isRoot = process.getuid?.() === 0
  const pooler = spawn(PGBOUNCER, [...(isRoot ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' })
  whenDone(() => pooler.kill('SIGKILL'))
  await expect.poll(() => existsSync(join(directory, '.s.PGSQL.5432'))).toBe(true)
  return directory
}

describe.skipIf(!existsSync(PGBOUNCER) && !process.env.CI)('PgBouncer', () => {
  test('transaction pooling → exit code 78', async () => {
    const start = startOn({ socket: await startPooler('transaction') })
    await expectEnd(start, 78, /pools connections by transaction: .+pool_mode = session/)
  })

  test('session pooling → the node starts', async () => {
    const start = startOn({ socket: await startPooler('session'), schema: 'pooled' })
    await start.logged(({ msg }) => msg === 'listening')
  })
})

test('a change of the schema takes 11 seconds → the start waits for it', {
  timeout: 2 * LIMIT_MS,
}, async () => {
  await server.query(`CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(11); END $$;
    CREATE EVENT TRIGGER slow ON ddl_command_end WHEN TAG IN ('CREATE SCHEMA') EXECUTE FUNCTION slow()`)
  whenDone(() => server.query('DROP EVENT TRIGGER slow; DROP FUNCTION slow'))
  await startOn({ schema: 'slow' }).logged(({ msg }) => msg === 'listening')
})
