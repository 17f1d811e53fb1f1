/** Compares the schema with the code that relies on it. */
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { version } from '../../src/process/version.ts'
import { MIGRATIONS, migrate, releaseOf, type TakenStep } from '../../src/store/sqlite/schema/migrations.ts'
import { rareCondition } from '../../src/store/sqlite/schema/rare-statuses.ts'

test('messages_rare: newest schema → the condition that the queries repeat', () => {
  const db = new Database(':memory:')
  migrate(db)

  const sql = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'messages_rare'").pluck().get()
  db.close()

  // A failure means that the list of rare statuses changed. Append a step that drops and creates the index again.
  expect(sql).toBe(`CREATE INDEX messages_rare ON messages (status) WHERE ${rareCondition()}`)
})

test('migrate: two steps → each reported once with its duration, and with the release that took it', () => {
  const db = new Database(':memory:')
  const steps = [...MIGRATIONS, 'CREATE TABLE two (a)']
  const taken: TakenStep[] = []
  migrate(db, MIGRATIONS)
  migrate(db, steps, (step) => taken.push(step))
  migrate(db, steps, (step) => taken.push(step))

  expect(taken).toEqual([{ number: steps.length, steps: steps.length, ms: expect.any(Number) }])
  expect(steps.map((_, i) => releaseOf(db, i + 1))).toEqual(steps.map(() => version()))
  expect(releaseOf(db, steps.length + 1)).toBeNull()
  db.close()
})
