/** The data directory: made private, and held by one process at a time. Knows no tables. */
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { StartError } from '../../process/start-error.ts'

export const DATABASE_FILE = 'waybill.db'
/** A backup that is about to become the database. */
export const RESTORING_FILE = `${DATABASE_FILE}.restoring`
const LOCK_FILE = 'waybill.lock'

/**
 * Makes the directory if needed (mode 0700) and takes hold of it.
 *
 * @returns lets go of it; the operating system does when the process dies
 * @throws {StartError}
 */
export function holdDirectory(path: string): () => void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    makePrivate(path)
    createPrivate(join(path, LOCK_FILE))
  } catch (error) {
    throw error instanceof StartError ? error : unusable(path, error)
  }
  // SQLite's own file lock: no library needed, nothing stale is left behind by a killed process.
  const lock = new Database(join(path, LOCK_FILE), { timeout: 0 })
  try {
    lock.pragma('locking_mode = EXCLUSIVE')
    // MEMORY, for no file beside it: OFF is refused by the driver.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!(error as { code: string }).code.startsWith('SQLITE_BUSY')) throw unusable(path, error)
    throw new StartError(
      `data directory ${path} is in use by another waybill: stop it, or name another --data-dir`,
      error,
    )
  }
  return () => lock.close()
}

function unusable(path: string, error: unknown): StartError {
  const reason = (error as Error).message
  return new StartError(
    `data directory ${path} cannot be used (${reason}): name a writable one with --data-dir`,
    error,
  )
}

function makePrivate(path: string): void {
  if ((statSync(path).mode & 0o077) === 0) return
  const names = readdirSync(path)
  if (names.length > 0 && !names.includes(DATABASE_FILE)) {
    throw new StartError(
      `data directory ${path} holds other files and is open to other users: name an empty directory with --data-dir`,
    )
  }
  chmodSync(path, 0o700)
}

/** Makes sure that a file is there and nobody else's to read (mode 0600). */
export function createPrivate(path: string): void {
  // A file that is there is not opened: closing it would end the locks that this process has on it (POSIX).
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}
