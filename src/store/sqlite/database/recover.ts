/** Salvages the content before the damage of a write-ahead log. */
import { constants, copyFileSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../../process/start-error.ts'
import { type Content, checkDatabase, sync, withStartErrors } from './backup.ts'
import { connect } from './connection.ts'
import { DATABASE_FILE, lockDirectory } from './directory.ts'
import { damaged, findDamage } from './integrity.ts'
import { emptyLog } from './wal-sync.ts'

export interface Recovered extends Content {
  /** Path of a copy of the log; null if it was missing or empty. */
  readonly kept: string | null
}

/**
 * Copies the transactions before the first damaged frame of the log into the database, empties the log, and checks the
 * whole database. The log is copied first.
 *
 * @throws {StartError} when the directory is in use, or the database itself is damaged
 */
export function recover(directory: string): Recovered {
  const path = join(directory, DATABASE_FILE)
  if (!existsSync(path)) throw new StartError(`there is no database ${path}`)
  const release = lockDirectory(directory)
  try {
    return withStartErrors(path, () => {
      const [finding] = findDamage(path, 'start')
      if (finding && !finding.inLog) throw damaged(path, finding)
      const kept = copyLog(path)
      const db = connect(path)
      try {
        emptyLog(db)
      } finally {
        db.close()
      }
      return { ...checkDatabase(path), kept }
    })
  } finally {
    release()
  }
}

function copyLog(path: string): string | null {
  const log = `${path}-wal`
  if (!statSync(log, { throwIfNoEntry: false })?.size) return null
  const kept = `${log}.replaced-${new Date().toISOString().replaceAll(':', '-')}`
  copyFileSync(log, kept, constants.COPYFILE_EXCL)
  sync(kept)
  return kept
}
