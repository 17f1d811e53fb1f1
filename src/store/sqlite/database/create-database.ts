/** Checks the database before it is opened, or creates a missing database. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { StartError } from '../../../process/start-error.ts'
import { migrate } from '../schema/migrations.ts'
import { sync } from './backup.ts'
import { createPrivate, RESTORING_FILE } from './directory.ts'
import { refuseDamaged } from './integrity.ts'

/**
 * Creates a missing database and refuses a damaged one. The caller holds the directory and has not opened the database,
 * because SQLite removes the log of an empty file.
 *
 * @throws {StartError}
 */
export function ensureDatabase(path: string): void {
  if (!existsSync(path)) createDatabase(path)
  createPrivate(path)
  refuseDamaged(path)
}

/** Creates a database atomically. An empty file, or a file without tables, is therefore damage. */
function createDatabase(path: string): void {
  const remains = [join(dirname(path), RESTORING_FILE), `${path}-wal`].find((file) => existsSync(file))
  if (remains !== undefined) {
    throw new StartError(
      `${path} is missing, but ${remains} is there: run "waybill db restore FILE", or move it away to begin with nothing`,
    )
  }
  const made = `${path}.new`
  rmSync(made, { force: true })
  createPrivate(made)
  const db = new Database(made)
  try {
    // MEMORY leaves no journal file behind.
    db.pragma('journal_mode = MEMORY')
    migrate(db)
  } finally {
    db.close()
  }
  sync(made)
  renameSync(made, path)
  sync(dirname(path))
}
