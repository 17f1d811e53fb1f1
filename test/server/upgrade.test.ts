/** A release with one more schema step opens the database of this one, and this one then refuses it. */
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../src/store/sqlite/schema/migrations.ts'
import { whenDone } from '../_support/cleanup.ts'
import { DatabaseUnderTest } from '../_support/db-command.ts'
import { alter } from '../_support/stored.ts'

test('upgrade: one more schema step → one log line, the messages stay; rollback → needs the backup', async () => {
  const db = new DatabaseUnderTest()
  await db.filled()
  await db.said('backup', db.backup)

  const steps = MIGRATIONS as string[]
  const count = steps.push('ALTER TABLE clients ADD COLUMN note TEXT')
  whenDone(() => steps.length === count && steps.pop())
  const newer = await db.start()
  const taken = newer.server.log.filter(({ step }) => step !== undefined)
  expect(taken).toEqual([
    expect.objectContaining({ level: 'info', step: count, steps: count, ms: expect.any(Number) }),
  ])
  expect(await newer.next('pump')).toBe(1)
  await newer.server.kill()

  steps.pop()
  await expect(db.start()).rejects.toThrow(`${db.path} was made by an unreleased build of waybill`)
  alter(db.path, `UPDATE schema_steps SET release = '9.1.0' WHERE number = ${count}`)
  await expect(db.start()).rejects.toThrow(
    `${db.path} needs waybill 9.1.0 or later: install that release, or restore a backup`,
  )
  await db.said('restore', db.backup)
  expect(await (await db.start()).next('pump')).toBe(1)
})
