/** Sees to it that there is a database to open: a sound one, or a new one where there was none. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { StartError } from '../../process/start-error.ts'
import { sync } from './backup.ts'
import { refuseDamaged } from './damage.ts'
import { createPrivate, RESTORING_FILE } from './directory.ts'
import { migrate } from './migrations.ts'

/**
 * To be called by who holds the directory, before the database is opened: SQLite removes the log of an empty file.
 *
 * @throws {StartError}
 */
export function ensureDatabase(path: string): void {
  if (!existsSync(path)) createDatabase(path)
  createPrivate(path)
  refuseDamaged(path)
}

/** It appears whole or not at all, so that an empty file, or one without tables, is always damage. */
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
    // No journal that could be left behind.
    db.pragma('journal_mode = MEMORY')
    migrate(db)
  } finally {
    db.close()
  }
  sync(made)
  renameSync(made, path)
  sync(dirname(path))
}
