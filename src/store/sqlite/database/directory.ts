/** Makes the data directory private and locks it for one process at a time. Knows no tables. */
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { PermanentStartError, StartError, startErrorFor } from '../../../process/start-error.ts'

export const DATABASE_FILE = 'waybill.db'
/** Name of the copy of a backup that is about to become the database. */
export const RESTORING_FILE = `${DATABASE_FILE}.restoring`
/** File whose lock reserves the directory for one process. */
export const LOCK_FILE = 'waybill.lock'

/** Reports that another process has locked the data directory. */
export class DirectoryInUse extends StartError {}

/**
 * Creates a missing data directory (mode 0700), and locks it.
 *
 * @returns function that unlocks it; the operating system does so when the process dies
 * @throws {DirectoryInUse}
 * @throws {StartError} for an unusable directory
 */
export function lockDirectory(path: string): () => void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    makePrivate(path)
    createPrivate(join(path, LOCK_FILE))
  } catch (error) {
    throw error instanceof StartError ? error : unusable(path, error)
  }
  // The file lock of SQLite needs no library, and a killed process leaves no stale lock.
  const lock = new Database(join(path, LOCK_FILE), { timeout: 0 })
  try {
    lock.pragma('locking_mode = EXCLUSIVE')
    // MEMORY leaves no journal file. The driver refuses OFF.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!(error as { code: string }).code.startsWith('SQLITE_BUSY')) throw unusable(path, error)
    throw new DirectoryInUse(
      `data directory ${path} is in use by another waybill: stop it, or name another --data-dir`,
      error,
    )
  }
  return () => lock.close()
}

function unusable(path: string, error: unknown): StartError {
  const reason = (error as Error).message
  return startErrorFor(
    error,
    `data directory ${path} cannot be used (${reason}): name a writable one with --data-dir`,
  )
}

function makePrivate(path: string): void {
  if ((statSync(path).mode & 0o077) === 0) return
  const names = readdirSync(path)
  if (names.length > 0 && !names.includes(DATABASE_FILE)) {
    throw new PermanentStartError(
      `data directory ${path} holds other files and is open to other users: name an empty directory with --data-dir`,
    )
  }
  chmodSync(path, 0o700)
}

/** Creates a missing file, and makes it private to the user (mode 0600). */
export function createPrivate(path: string): void {
  // An existing file is not opened, because closing it would end the locks of this process on it (POSIX).
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}
