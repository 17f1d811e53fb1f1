/** Replaces the database with a backup. The old database is kept beside it. */
import { chownSync, existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { StartError } from '../../../process/start-error.ts'
import { type Content, checkDatabase, copyDatabase, sync, withStartErrors } from './backup.ts'
import { DATABASE_FILE, lockDirectory, RESTORING_FILE } from './directory.ts'
import { findDamage } from './integrity.ts'
import { lastId, SEQUENCED_TABLES } from './sequences.ts'

export interface Restored extends Content {
  /** New path of the replaced database; null if there was none. */
  readonly replaced: string | null
  /** True if new ids continue after the ids of the replaced database. */
  readonly idsGoOn: boolean
}

/**
 * Replaces the database in a data directory with a backup. New ids continue after the ids of the replaced database, if
 * it is readable, because a device may know the ids of messages that are younger than the backup.
 *
 * @throws {StartError} when the directory is in use, or the backup is damaged. Nothing was changed then
 */
export function restore(directory: string, file: string): Restored {
  const path = join(directory, DATABASE_FILE)
  if (existsSync(file) && existsSync(path) && realpathSync(file) === realpathSync(path)) {
    throw new StartError(`${file} is the database itself: name a backup of it`)
  }
  const release = lockDirectory(directory)
  try {
    const content = checkDatabase(file)
    return withStartErrors(path, () => ({ ...content, ...replace(directory, path, file) }))
  } finally {
    release()
  }
}

function replace(directory: string, path: string, file: string): Pick<Restored, 'replaced' | 'idsGoOn'> {
  const restoring = join(directory, RESTORING_FILE)
  // Removes the copy of an interrupted restore.
  rmSync(restoring, { force: true })
  copyDatabase(file, restoring)
  const used = usedIds(path)
  raiseIds(restoring, used ?? [])
  // A file that root creates must belong to the user of the server, or the server cannot open it.
  const { uid, gid } = statSync(directory)
  if (process.getuid?.() === 0) chownSync(restoring, uid, gid)
  sync(restoring)
  const replaced = setAside(path)
  renameSync(restoring, path)
  sync(directory)
  return { replaced, idsGoOn: replaced === null || used !== null }
}

/**
 * Renames the database together with its log, so that it can be opened under the new name. If this is interrupted, the
 * next start is refused, because the copy of the backup is still beside the database.
 */
function setAside(path: string): string | null {
  const parts = ['', '-wal', '-shm'].filter((part) => existsSync(path + part))
  if (parts.length === 0) return null
  const replaced = `${path}.replaced-${new Date().toISOString().replaceAll(':', '-')}`
  if (existsSync(replaced)) throw new StartError(`${replaced} is there already: try again`)
  for (const part of parts) renameSync(path + part, replaced + part)
  sync(dirname(path))
  return replaced
}

type UsedIds = readonly { readonly name: string; readonly seq: number }[]

/** Returns the largest id that each table has used; null for an unreadable database. */
function usedIds(path: string): UsedIds | null {
  if (!existsSync(path)) return null
  try {
    if (findDamage(path, 'start').length > 0) return null
    const db = new Database(path, { readonly: true })
    try {
      return SEQUENCED_TABLES.map((name) => ({ name, seq: lastId(db, name) }))
    } finally {
      db.close()
    }
  } catch {
    return null
  }
}

function raiseIds(path: string, used: UsedIds): void {
  const db = new Database(path)
  try {
    const add = db.prepare(
      'INSERT INTO sqlite_sequence SELECT @name, 0 WHERE @name NOT IN (SELECT name FROM sqlite_sequence)',
    )
    const raise = db.prepare('UPDATE sqlite_sequence SET seq = max(seq, @seq) WHERE name = @name')
    for (const ids of used) {
      add.run(ids)
      raise.run(ids)
    }
  } finally {
    db.close()
  }
}
