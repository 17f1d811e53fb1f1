/** Puts a backup in the place of the database. Destroys nothing: what was there stays beside it. */
import { chownSync, existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { StartError } from '../../process/start-error.ts'
import { type Content, checkDatabase, copyDatabase, explained, sync } from './backup.ts'
import { DATABASE_FILE, holdDirectory, RESTORING_FILE } from './directory.ts'
import { findDamage } from './integrity.ts'
import { lastId, SEQUENCED_TABLES } from './sequences.ts'

export interface Restored extends Content {
  /** The path that the database has now which was there; null: none was. */
  readonly replaced: string | null
  /** Whether ids go on behind those that the replaced database gave out. */
  readonly idsGoOn: boolean
}

/**
 * The next ids are those that the replaced database would have given out, where that can be read: a device may know
 * the ids of messages that are younger than the backup.
 *
 * @throws {StartError} when the directory is in use, or the backup is not sound; nothing was changed then
 */
export function restore(directory: string, file: string): Restored {
  const path = join(directory, DATABASE_FILE)
  if (existsSync(file) && existsSync(path) && realpathSync(file) === realpathSync(path)) {
    throw new StartError(`${file} is the database itself: name a backup of it`)
  }
  const release = holdDirectory(directory)
  try {
    const content = checkDatabase(file)
    return explained(path, () => ({ ...content, ...replace(directory, path, file) }))
  } finally {
    release()
  }
}

function replace(directory: string, path: string, file: string): Pick<Restored, 'replaced' | 'idsGoOn'> {
  const restoring = join(directory, RESTORING_FILE)
  // What an interrupted try left.
  rmSync(restoring, { force: true })
  copyDatabase(file, restoring)
  const given = givenIds(path)
  raiseIds(restoring, given ?? [])
  // Root must not make a file that the server's own user cannot open.
  const { uid, gid } = statSync(directory)
  if (process.getuid?.() === 0) chownSync(restoring, uid, gid)
  sync(restoring)
  const replaced = setAside(path)
  renameSync(restoring, path)
  sync(directory)
  return { replaced, idsGoOn: replaced === null || given !== null }
}

/**
 * Moves the database with all that belongs to it, so that it opens under its new name too. A start that comes upon
 * the half of this is refused, because of the file that is being restored.
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

type Given = readonly { readonly name: string; readonly seq: number }[]

/** The last id that each table gave out; null when that cannot be known. */
function givenIds(path: string): Given | null {
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

function raiseIds(path: string, given: Given): void {
  const db = new Database(path)
  try {
    const add = db.prepare(
      'INSERT INTO sqlite_sequence SELECT @name, 0 WHERE @name NOT IN (SELECT name FROM sqlite_sequence)',
    )
    const raise = db.prepare('UPDATE sqlite_sequence SET seq = max(seq, @seq) WHERE name = @name')
    for (const ids of given) {
      add.run(ids)
      raise.run(ids)
    }
  } finally {
    db.close()
  }
}
