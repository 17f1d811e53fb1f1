/** `waybill db backup` writes one private file, or refuses. */
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { whenDone } from '../_support/cleanup.ts'
import { DatabaseUnderTest, idsIn } from '../_support/db-command.ts'
import { alter, fingerprint } from '../_support/stored.ts'

let db: DatabaseUnderTest
beforeEach(() => {
  db = new DatabaseUnderTest()
})

test('db backup: after a crash → one file with mode 600, its contents in one line', async () => {
  const mask = process.umask(0)
  whenDone(() => process.umask(mask))
  await db.filled('killed')
  const before = fingerprint(db.path)

  const text = await db.said('backup', db.backup)

  expect(text).toBe(`${db.backup} has 2 messages (2 pending), 1 client; ${statSync(db.backup).size} bytes\n`)
  expect((statSync(db.backup).mode & 0o777).toString(8)).toBe('600')
  expect(readdirSync(join(db.backup, '..'))).toEqual(['backup.db'])
  expect(fingerprint(db.path)).toBe(before)
})

test('db backup: the file exists → refused; with --force → replaced', async () => {
  await db.filled()
  writeFileSync(db.backup, 'precious')
  expect(await db.refused('backup', db.backup)).toBe(
    `waybill: ${db.backup} is there already: name another file, or replace it with --force\n`,
  )
  expect(statSync(db.backup).size).toBe('precious'.length)

  await db.said('backup', db.backup, '--force')
  expect(idsIn(db.backup)).toEqual([1, 2])
})

test.each(['waybill.db', 'waybill.db-wal', 'mine.db'])(
  'db backup: into the data directory (%s), even with --force → refused',
  async (name) => {
    await db.filled('killed')
    const before = fingerprint(db.path)
    expect(await db.refused('backup', join(db.dataDir, name), '--force')).toMatch(
      /^waybill: \S+ is in the data directory: name a file outside of it, best on another disk\n$/,
    )
    expect(fingerprint(db.path)).toBe(before)
  },
)

test('db backup: the directory does not exist → refused with ENOENT', async () => {
  await db.filled()
  const below = join(db.backup, '..', 'missing', 'backup.db')
  expect(await db.refused('backup', below)).toMatch(/^waybill: \S+missing\/backup\.db: ENOENT[^\n]*\n$/)
})

test('db backup: a rule is broken → written, the finding, exit code 1; restore refuses it', async () => {
  await db.filled()
  alter(db.path, `UPDATE messages SET status = 'LOST' WHERE id = 1`)
  expect(await db.run('backup', db.backup)).toEqual({
    code: 1,
    stdout: `${db.backup} has 2 messages (1 pending), 1 client; ${statSync(db.backup).size} bytes\n`,
    stderr:
      `waybill: ${db.path} is damaged: 1 messages of an unknown status\n` +
      `waybill: keep your earlier backups: "waybill db restore" may refuse ${db.backup}\n`,
  })
  expect(await db.refused('restore', db.backup)).toContain('1 messages of an unknown status')
})

test('db backup: a table is missing → written, the finding, exit code 1', async () => {
  await db.filled()
  alter(db.path, 'DROP TABLE attempts')
  const { code, stderr } = await db.run('backup', db.backup)
  expect([code, stderr.split('\n')[0]]).toEqual([1, `waybill: ${db.path} is damaged: "attempts" is missing`])
  expect(idsIn(db.backup)).toEqual([1, 2])
})

test('db backup: the pages cannot be read → refused with advice, no file', async () => {
  await db.filled()
  const pages = statSync(db.path).size / 4096
  writeFileSync(db.path, Buffer.alloc((pages - 2) * 4096, 'x'), { flag: 'r+' })
  expect(await db.refused('backup', db.backup)).toMatch(
    /^waybill: \S+ is damaged \(.*\): "waybill db check" tells more, "waybill db restore FILE" puts a backup/,
  )
  expect(readdirSync(join(db.backup, '..'))).toEqual([])
})

test('db backup: no database → refused', async () => {
  expect(await db.refused('backup', db.backup)).toBe(`waybill: there is no database ${db.path}\n`)
})
