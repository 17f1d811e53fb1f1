/** Compares the schema with the code that relies on it. */
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { migrate } from '../../src/store/sqlite/migrations.ts'
import { rareCondition } from '../../src/store/sqlite/rare-statuses.ts'

test('messages_rare: newest schema → the condition that the queries repeat', () => {
  const db = new Database(':memory:')
  migrate(db)

  const sql = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'messages_rare'").pluck().get()
  db.close()

  // A failure means that the list of rare statuses changed. Append a step that drops and creates the index again.
  expect(sql).toBe(`CREATE INDEX messages_rare ON messages (status) WHERE ${rareCondition()}`)
})
