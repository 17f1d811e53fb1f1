/** A start with `--store`: what a start says about a database that it cannot use, and what nodes share. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agreeOnSecret, agreeOnSettings } from '../../src/app/agreed-settings.ts'
import { SharedFirstPassword } from '../../src/auth/shared-first-password.ts'
import { PermanentStartError, StartError } from '../../src/process/start-error.ts'
import { connectAtStart, withRootCert } from '../../src/store/postgres/database/connect-at-start.ts'
import { Connection } from '../../src/store/postgres/database/connection.ts'
import { parseDatabaseUrl } from '../../src/store/postgres/database/url.ts'
import { PostgresSharedValues } from '../../src/store/postgres/records/shared-values.ts'
import { migrateSchema } from '../../src/store/postgres/schema/schema.ts'
import { Reads } from '../../src/store/postgres/views/reads.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { newSchema } from '../_support/postgres.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { settingsOf } from '../_support/settings.ts'

const AWAY = 'postgres://ann:hidden@127.0.0.1:1,localhost:2/plant'

/** Reaches a database once. */
function reach(url: string, load?: () => Promise<unknown>) {
  return connectAtStart(parseDatabaseUrl(url), {
    ...{ log: { warn() {} }, connections: 0, allowsLoss: true, patienceMs: 0 },
    ...(load && { load }),
  })
}

async function problemOf(promise: Promise<unknown>): Promise<StartError> {
  const error = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(error instanceof StartError)) throw error ?? new Error('there is no problem')
  expect(error.message).not.toContain('hidden')
  return error
}

describe('a start', () => {
  test('no server → names all hosts, and may be tried again', async () => {
    const problem = await problemOf(reach(AWAY))
    expect(problem.message).toMatch(
      /^PostgreSQL at 127\.0\.0\.1:1, localhost:2 does not answer \(.+\): start it/,
    )
    expect(problem).not.toBeInstanceOf(PermanentStartError)
  })

  test('no package pg → says what to install', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
    const problem = await problemOf(reach(AWAY, () => Promise.reject(missing)))
    expect(problem).toBeInstanceOf(PermanentStartError)
    expect(problem.message).toMatch(/Run: npm install pg$/)
  })

  test('no such database → says how to create it', async () => {
    const url = postgresServer().url('x').replace('@/waybill', '@/elsewhere')
    const problem = await problemOf(reach(url))
    expect(problem).toBeInstanceOf(PermanentStartError)
    expect(problem.message).toMatch(
      /has no database elsewhere: create it with "createdb --owner=waybill elsewhere"$/,
    )
  })

  test('no such user → names the login as the cause', async () => {
    const url = postgresServer().url('x').replace('waybill@', 'ann:hidden@')
    const problem = await problemOf(reach(url))
    expect(problem).toBeInstanceOf(PermanentStartError)
    expect(problem.message).toContain('refuses the login (role "ann" does not exist)')
  })

  test('no synchronous standby → the start knows', async () => {
    expect(await reach(postgresServer().url('x'))).toEqual({ isSynchronous: false })
  })

  test('sslrootcert: a file → its authority; no file → names it', async () => {
    const file = join(temporaryDirectory(), 'ca.pem')
    writeFileSync(file, 'PEM')
    const named = (path: string) => withRootCert(parseDatabaseUrl(`postgres://u@db/d?sslrootcert=${path}`))
    expect(named(file).hosts[0]?.ssl).toEqual({ rejectUnauthorized: true, ca: 'PEM' })
    expect(() => named(`${file}.no`)).toThrow(/sslrootcert of the store cannot be read .+ca\.pem\.no/)
  })
})

/** Opens the shared values of a new schema. */
async function openShared(): Promise<PostgresSharedValues> {
  const schema = newSchema()
  const connect = () => new Connection({ hosts: [postgresServer().config], schema, purpose: 'test' })
  const connection = connect()
  await migrateSchema(connection, schema)
  whenDone(async () => {
    await connection.run(`DROP SCHEMA ${schema} CASCADE`)
    await connection.close()
  })
  return new PostgresSharedValues({ reads: new Reads(connection), connect })
}

describe('settings that must agree', () => {
  const at = (queueLimit: number, more = {}) =>
    settingsOf({ env: { WAYBILL_QUEUE_LIMIT: String(queueLimit) }, ...more })

  test('the same values → accepted; another → refused with both; --change-settings → those of all', async () => {
    const shared = await openShared()
    await agreeOnSettings(shared, at(10))
    await agreeOnSettings(shared, at(10, { flags: { host: ':99' } }))
    const problem = await problemOf(agreeOnSettings(shared, at(20)))
    expect(problem).toBeInstanceOf(PermanentStartError)
    expect(problem.message).toMatch(
      /^app\.queue\.limit is 20 here and 10 on the other nodes\n.*--change-settings/,
    )
    await agreeOnSettings(shared, at(20, { flags: { changeSettings: true } }))
    await agreeOnSettings(shared, at(20))
    await problemOf(agreeOnSettings(shared, at(10)))
  })

  test('settings that a later release stored → kept', async () => {
    const shared = await openShared()
    await shared.set('agreed-settings', '{"app.later": 1}')
    await agreeOnSettings(shared, at(10))
    expect(JSON.parse((await shared.get('agreed-settings')) ?? '')).toMatchObject({
      'app.later': 1,
      'app.queue.limit': 10,
    })
  })

  test('another JWT_SECRET → refused without either', async () => {
    const shared = await openShared()
    const settings = { changeSettings: false }
    await agreeOnSecret(shared, 'hidden-one', settings)
    await agreeOnSecret(shared, 'hidden-one', settings)
    expect((await problemOf(agreeOnSecret(shared, 'hidden-two', settings))).message).toMatch(
      /^JWT_SECRET is not that/,
    )
    await agreeOnSecret(shared, 'hidden-two', { changeSettings: true })
    await agreeOnSecret(shared, 'hidden-two', settings)
  })
})

describe('shared values', () => {
  test('ten nodes at once: a secret → one', async () => {
    const shared = await openShared()
    const secrets = await Promise.all(
      Array.from({ length: 10 }, (_, at) => shared.ensure('jwt-secret', `secret ${at}`)),
    )
    expect(new Set(secrets).size).toBe(1)
  })

  test('ten nodes at once: alone → one after the other', async () => {
    const shared = await openShared()
    const running: number[] = []
    let most = 0
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        shared.alone(async () => {
          running.push(at)
          most = Math.max(most, running.length)
          await shared.get('x')
          running.pop()
        }),
      ),
    )
    expect(most).toBe(1)
  })

  test('the first password: another node with the same secret → the same; another secret → another; removed → none', async () => {
    const shared = await openShared()
    const first = new SharedFirstPassword(shared, 'a secret')
    const created = await first.create('admin')
    expect(await new SharedFirstPassword(shared, 'a secret').read()).toEqual(created)
    expect((await new SharedFirstPassword(shared, 'another').read())?.password).not.toBe(created.password)
    expect(await shared.get('first-password')).not.toContain(created.password)
    await first.remove()
    expect(await first.read()).toBeNull()
  })
})
