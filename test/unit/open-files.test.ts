/** The look at open files, on file systems whose numbers of files change. */
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connect } from '../../src/store/sqlite/database/connection.ts'
import { DATABASE_FILE, lockDirectory } from '../../src/store/sqlite/database/directory.ts'
import { OpenFiles } from '../../src/store/sqlite/database/open-files.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'

const ROUNDS = 5

function openFiles(numbersOf?: (path: string) => { dev: bigint; ino: bigint }) {
  const directory = temporaryDirectory()
  const release = lockDirectory(directory)
  const db = connect(join(directory, DATABASE_FILE))
  db.exec('CREATE TABLE notes (text)')
  const files = new OpenFiles(directory, db, numbersOf)
  whenDone(() => {
    db.close()
    release()
    files.close()
  })
  return { directory, files }
}

test('look: each look by name gets other numbers → no finding; a missing name → a finding', () => {
  let ino = 0n
  const { directory, files } = openFiles((path) => ({
    dev: statSync(path, { bigint: true }).dev,
    ino: ++ino,
  }))
  for (let round = 0; round < ROUNDS; round++) expect(files.look()).toBe(null)

  rmSync(directory, { recursive: true })
  expect(files.look()?.message).toContain(`${join(directory, DATABASE_FILE)}, `)
})

test('look: names cannot be read for a while → no finding', () => {
  let fails = false
  const { files } = openFiles((path) => {
    if (fails) throw Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })
    return statSync(path, { bigint: true })
  })
  fails = true

  expect(files.look()).toBe(null)
})
