/** Nodes of two releases on one PostgreSQL: the later one changes the schema while the earlier one uses it. */
import { expect, test } from 'vitest'
import { PermanentStartError } from '../../src/process/start-error.ts'
import { Connection } from '../../src/store/postgres/database/connection.ts'
import { migrateSchema, STEPS, type Step } from '../../src/store/postgres/schema/schema.ts'
import { whenDone } from '../_support/cleanup.ts'
import { openPostgresStorage, type PostgresUnderTest, postgresServer } from '../_support/postgres-store.ts'
import { acknowledge, put } from '../contract/store-under-test.ts'

const ADDED: Step = { sql: 'ALTER TABLE messages ADD COLUMN note text' }

/** Starts as a later release does, which has more steps. */
async function startLater({ schema }: PostgresUnderTest, ...more: Step[]): Promise<void> {
  const connection = new Connection({ hosts: [postgresServer().config], schema, purpose: 'test' })
  whenDone(() => connection.close())
  await migrateSchema(connection, schema, { steps: [...STEPS, ...more] })
}

test('a later release adds a column while commands are stored and acknowledged → no call fails, the column is there', async () => {
  const opened = await openPostgresStorage()
  const { messages } = opened.storage
  let isOver = false
  const flow = async (deviceId: string): Promise<number> => {
    let count = 0
    for (; !isOver; count++) {
      const id = await put(messages, { deviceId })
      await acknowledge(messages, id, 'COMPLETED', deviceId)
    }
    return count
  }
  const flows = ['pump', 'lamp', 'door'].map(flow)
  await startLater(opened, ADDED)
  await startLater(opened, ADDED)
  isOver = true
  const done = (await Promise.all(flows)).reduce((sum, count) => sum + count, 0)

  const rows = await opened.query('SELECT note FROM messages WHERE status = 2')
  expect(rows).toHaveLength(done)
  expect(await opened.query('SELECT step FROM schema_steps ORDER BY step')).toHaveLength(STEPS.length + 1)
})

test('a node of this release starts after a later one → it works, and the transitions of the later one stay', async () => {
  const opened = await openPostgresStorage()
  await startLater(opened, ADDED)
  await opened.query("UPDATE transition_kinds SET is_listed = true WHERE name = 'ackCompleted'")
  const { messages } = await opened.second()
  const id = await put(messages, { deviceId: 'pump' })
  await acknowledge(messages, id, 'COMPLETED', 'pump')
  expect(await messages.status(id)).toBe('COMPLETED')
  const [kind] = await opened.query("SELECT is_listed FROM transition_kinds WHERE name = 'ackCompleted'")
  expect(kind).toEqual({ is_listed: true })
})

test.each([
  ['with another step', "UPDATE schema_steps SET fingerprint = '00000000'"],
  ['without fingerprints', 'ALTER TABLE schema_steps DROP COLUMN fingerprint'],
])(
  'an unreleased build made the schema, %s → a node does not start, and says what to do',
  async (_what, change) => {
    const opened = await openPostgresStorage()
    await opened.query(change)
    const problem = await opened.second().catch((error: Error) => error)
    expect(problem).toBeInstanceOf(PermanentStartError)
    expect((problem as Error).message).toBe(
      `schema ${opened.schema} of the database was made by an unreleased build of waybill, whose steps this one does not have: ` +
        `start that build, use another database, or remove the schema with DROP SCHEMA "${opened.schema}" CASCADE to begin with nothing`,
    )
  },
)

test('a later release made a breaking change → a node of this release does not start, and names that release', async () => {
  const opened = await openPostgresStorage()
  await startLater(opened, { ...ADDED, isBreaking: true })
  await opened.query("UPDATE schema_steps SET release = '9.1.0' WHERE is_breaking")
  const problem = await opened.second().then(
    () => null,
    (error: Error) => error,
  )
  expect(problem).toBeInstanceOf(PermanentStartError)
  expect(problem?.message).toMatch(
    /^waybill 9\.1\.0 changed the database so that this release .+ cannot use it: install that one$/,
  )
})
