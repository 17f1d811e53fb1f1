/** `waybill db restore`: a backup replaces a database, which is kept. Unusable backups are refused. */
import { copyFileSync, existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { MIGRATIONS } from '../../src/store/sqlite/schema/migrations.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { DatabaseUnderTest, idsIn } from '../_support/db-command.ts'
import { LOCAL, runCommand } from '../_support/server.ts'
import { alter, fingerprint } from '../_support/stored.ts'

let db: DatabaseUnderTest
beforeEach(() => {
  db = new DatabaseUnderTest()
})

const replacedIn = (text: string): string => /the old database is kept in (\S+)\n/.exec(text)?.[1] ?? ''

test('db restore: a database with a log → the backup replaces it, database and log are kept', async () => {
  await db.filled()
  await db.said('backup', db.backup)
  await db.send(3, 'killed')

  const text = await db.said('restore', db.backup)

  const replaced = replacedIn(text)
  expect(text).toBe(
    `${db.path} is restored from ${db.backup}: 2 messages (2 pending), 1 client\n` +
      `the old database is kept in ${replaced}\n`,
  )
  expect(replaced).toMatch(/\/waybill\.db\.replaced-\d{4}-\d\d-\d\dT[\d.-]+Z$/)
  expect(existsSync(`${replaced}-wal`)).toBe(true)
  expect(idsIn(replaced)).toEqual([1, 2, 3, 4, 5])
  const broker = await db.start()
  expect(await broker.next('pump')).toBe(1)
  expect((statSync(db.path).mode & 0o777).toString(8)).toBe('600')
})

test('db restore: the backup lacks the newest messages → no id is used again', async () => {
  await db.filled()
  await db.said('backup', db.backup)
  await db.send(3, 'killed')
  await db.said('restore', db.backup)

  const broker = await db.start()
  expect((await broker.rest.get('/producer/getMessageStatus/5')).status).toBe(404)
  expect(await broker.send('pump', { command: 'start' })).toBe(6)
})

test('db restore: the replaced database is restored → the state before', async () => {
  await db.filled()
  await db.said('backup', db.backup)
  await db.send(1, 'killed')
  const replaced = replacedIn(await db.said('restore', db.backup))

  await db.said('restore', replaced)

  expect(idsIn(db.path)).toEqual([1, 2, 3])
  expect(idsIn(replaced)).toEqual([1, 2, 3])
  expect(await db.said('check')).toContain('3 messages')
})

test('db restore: a new directory → the database of the backup', async () => {
  await db.filled()
  await db.said('backup', db.backup)
  db.dataDir = join(temporaryDirectory(), 'new')
  expect(await db.said('restore', db.backup)).toBe(
    `${db.path} is restored from ${db.backup}: 2 messages (2 pending), 1 client\n`,
  )
  expect(await (await db.start()).next('pump')).toBe(1)
})

test('db restore: the present database cannot be read → done, with a warning about ids', async () => {
  await db.filled()
  await db.said('backup', db.backup)
  writeFileSync(db.path, 'a shopping list, longer than a header of a database would be.\n'.repeat(20))

  const text = await db.said('restore', db.backup)

  expect(text).toMatch(
    /\nthe old database could not be read: new messages may get ids that it gave out after the backup\n$/,
  )
  expect(statSync(replacedIn(text)).size).toBeGreaterThan(0)
  expect(await (await db.start()).next('pump')).toBe(1)
})

test('db restore: a server holds the directory → refused', async () => {
  await db.filled()
  await db.said('backup', db.backup)
  const broker = await db.start()
  expect(await db.refused('restore', db.backup)).toBe(
    `waybill: data directory ${db.dataDir} is in use by another waybill: stop it, or name another --data-dir\n`,
  )
  expect(await broker.send('pump', { command: 'start' })).toBe(3)
})

test.each([
  ['is not there', () => undefined, /there is no database \S+backup\.db$/],
  ['is empty', () => writeFileSync(db.backup, ''), /backup\.db is damaged: the file is empty$/],
  [
    'is no database',
    () => writeFileSync(db.backup, 'x'.repeat(5000)),
    /backup\.db is damaged: file is not a database$/,
  ],
  [
    'is of another program',
    () => alter(db.backup, 'CREATE TABLE t (a)'),
    /damaged: it is no database of waybill$/,
  ],
  [
    'is damaged',
    () => {
      copyFileSync(db.path, db.backup)
      alter(db.backup, `UPDATE messages SET status = 'LOST'`)
    },
    /backup\.db is damaged: 2 messages of an unknown status$/,
  ],
  [
    'is of a later release',
    () => {
      copyFileSync(db.path, db.backup)
      alter(db.backup, `PRAGMA user_version = ${MIGRATIONS.length + 1}`)
    },
    /backup\.db was written by a later release of waybill: install that one, or restore a backup$/,
  ],
  [
    'is of a later release that it names',
    () => {
      copyFileSync(db.path, db.backup)
      const number = MIGRATIONS.length + 1
      alter(
        db.backup,
        `PRAGMA user_version = ${number}; INSERT INTO schema_steps VALUES (${number}, '9.1.0')`,
      )
    },
    /backup\.db needs waybill 9\.1\.0 or later: install that release, or restore a backup$/,
  ],
])('db restore: a backup that %s → refused, nothing changes', async (_what, make, problem) => {
  await db.filled()
  make()
  const before = fingerprint(db.path)
  expect((await db.refused('restore', db.backup)).trim()).toMatch(problem)
  expect(fingerprint(db.path)).toBe(before)
  expect(readdirSync(db.dataDir).filter((name) => /replaced|restoring/.test(name))).toEqual([])
})

test('db restore: the database itself → refused', async () => {
  await db.filled()
  expect(await db.refused('restore', db.path)).toBe(
    `waybill: ${db.path} is the database itself: name a backup of it\n`,
  )
})

test('db restore: interrupted between its two renames → the start is refused; another restore repairs it', async () => {
  await db.filled()
  await db.said('backup', db.backup)
  copyFileSync(db.backup, `${db.path}.restoring`)
  renameSync(db.path, `${db.path}.replaced-before`)

  const { code, stderr } = await runCommand({ args: LOCAL, dataDir: db.dataDir })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      `waybill: ${db.path} is missing, but ${db.path}.restoring is there: ` +
      `run "waybill db restore FILE", or move it away to begin with nothing\n`,
  })
  await db.said('restore', db.backup)
  expect(await (await db.start()).next('pump')).toBe(1)
  expect(idsIn(`${db.path}.replaced-before`)).toEqual([1, 2])
})

test('db restore: interrupted while it copied → no effect; the next restore removes the copy', async () => {
  await db.filled()
  await db.said('backup', db.backup)
  writeFileSync(`${db.path}.restoring`, 'half of it')

  const broker = await db.start()
  expect(await broker.next('pump')).toBe(1)
  await broker.server.kill()
  await db.said('restore', db.backup)
  expect(readdirSync(db.dataDir)).not.toContain('waybill.db.restoring')
})
