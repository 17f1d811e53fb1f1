/** Checks and copies a whole database, even while a server uses it. Writes only the new file. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { StartError } from '../../../process/start-error.ts'
import { createPrivate } from './directory.ts'
import { damaged, findDamage, isDamage } from './integrity.ts'

export interface Content {
  readonly messages: number
  readonly waiting: number
  readonly clients: number
}

/**
 * Reads and checks a whole database.
 *
 * @returns the number of rows
 * @throws {StartError} with a line per finding
 */
export function checkDatabase(path: string): Content {
  return withStartErrors(path, () => {
    if (!existsSync(path)) throw new StartError(`there is no database ${path}`)
    const findings = findDamage(path, 'whole')
    if (findings.length === 0) return contentOf(path)
    throw new StartError(findings.map(({ what }) => `${path} is damaged: ${what}`).join('\n'))
  })
}

export interface BackedUp extends Content {
  readonly bytes: number
  /** One line per damage of the database or of its copy. */
  readonly findings: readonly string[]
}

/**
 * Writes a consistent copy of the database to a file with mode 0600. The file appears when it is complete and synced,
 * even if the checks of {@link checkDatabase} find damage in it.
 *
 * @param force replaces an existing file
 * @returns the number of rows, the size of the file, and the damage
 * @throws {StartError} without a new file
 */
export function backUp(path: string, file: string, force: boolean): BackedUp {
  return withStartErrors(file, () => {
    if (!existsSync(path)) throw new StartError(`there is no database ${path}`)
    if (existsSync(file) && !force) {
      throw new StartError(`${file} is there already: name another file, or replace it with --force`)
    }
    // A file beside the database might be the database itself, or its write-ahead log.
    if (realpathSync(dirname(file)) === realpathSync(dirname(path))) {
      throw new StartError(
        `${file} is in the data directory: name a file outside of it, best on another disk`,
      )
    }
    // The start check finds a damaged log, which the copy does not show.
    const inSource = findDamage(path, 'start').map(({ what }) => what)
    const partial = `${file}.${process.pid}.partial`
    try {
      copyReadable(path, partial)
      const findings = [...new Set([...inSource, ...findDamage(partial, 'whole').map(({ what }) => what)])]
      const written = { ...contentOf(partial), bytes: statSync(partial).size, findings }
      renameSync(partial, file)
      sync(dirname(file))
      return written
    } finally {
      rmSync(partial, { force: true })
    }
  })
}

/** Copies a database. @throws {StartError} with advice, if damage makes it unreadable */
function copyReadable(path: string, to: string): void {
  try {
    copyDatabase(path, to)
  } catch (error) {
    if (!isDamage(error)) throw error
    throw damaged(path, { what: (error as Error).message, inLog: false }, error)
  }
}

/**
 * Copies a database to a new file with mode 0600, and syncs the copy. VACUUM INTO reads in one transaction, while the
 * backup interface of SQLite restarts after each write of another process. VACUUM INTO also reads the tables row by
 * row, so it fails at damage, and its copy needs no log.
 *
 * @param to path without a file
 */
export function copyDatabase(from: string, to: string): void {
  createPrivate(to)
  const db = new Database(from, { readonly: true })
  try {
    db.prepare('VACUUM INTO ?').run(to)
  } finally {
    db.close()
  }
  sync(to)
}

/** Makes the content of a file, or the names in a directory, durable. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Runs work. @throws {StartError} for an error of SQLite or of the operating system; any other error unchanged */
export function withStartErrors<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof StartError || typeof (error as { code?: unknown }).code !== 'string') throw error
    throw new StartError(`${path}: ${(error as Error).message}`, error)
  }
}

function contentOf(path: string): Content {
  const db = new Database(path, { readonly: true })
  try {
    const content = db.prepare<[], Content>(
      `SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM clients) AS clients,
         (SELECT count(*) FROM messages WHERE status = 'NOT_DELIVERED') AS waiting`,
    )
    return content.get() as Content
  } finally {
    db.close()
  }
}
