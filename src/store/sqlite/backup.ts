/** Checks and copies a database as a whole, also while a server runs. Changes nothing but the file it writes. */
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
import { StartError } from '../../process/start-error.ts'
import { createPrivate } from './directory.ts'
import { findDamage, refuseDamaged } from './integrity.ts'

/** How many of each there are. */
export interface Content {
  readonly messages: number
  /** Those of them that wait for their device. */
  readonly waiting: number
  readonly clients: number
}

/**
 * Reads all of a database.
 *
 * @throws {StartError} a line for each finding
 */
export function checkDatabase(path: string): Content {
  return explained(path, () => {
    if (!existsSync(path)) throw new StartError(`there is no database ${path}`)
    const findings = findDamage(path, 'whole')
    if (findings.length === 0) return contentOf(path)
    throw new StartError(findings.map((finding) => `${path} is damaged: ${finding}`).join('\n'))
  })
}

/**
 * Writes the state at one moment to a file of its own, mode 0600, which appears when it is whole and synced.
 *
 * @param force replaces a file that is there
 * @returns what is in it, and its size
 * @throws {StartError} there is no new file then
 */
export function backUp(path: string, file: string, force: boolean): Content & { bytes: number } {
  return explained(file, () => {
    if (!existsSync(path)) throw new StartError(`there is no database ${path}`)
    if (existsSync(file) && !force) {
      throw new StartError(`${file} is there already: name another file, or replace it with --force`)
    }
    // It might be the database, or its log.
    if (realpathSync(dirname(file)) === realpathSync(dirname(path))) {
      throw new StartError(
        `${file} is in the data directory: name a file outside of it, best on another disk`,
      )
    }
    refuseDamaged(path)
    const partial = `${file}.${process.pid}.partial`
    try {
      copyDatabase(path, partial)
      const written = { ...contentOf(partial), bytes: statSync(partial).size }
      renameSync(partial, file)
      sync(dirname(file))
      return written
    } finally {
      rmSync(partial, { force: true })
    }
  })
}

/**
 * VACUUM INTO and not SQLite's backup interface: that one begins again whenever another process has written, this one
 * reads in one transaction. It takes the tables row by row, so that damage ends it, and the copy needs no log beside it.
 *
 * @param to must not be there yet
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

/** Puts a file, or the names in a directory, on disk. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** @throws {StartError} for an error of SQLite or the operating system, which have a code; any other as it is */
export function explained<T>(path: string, work: () => T): T {
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
