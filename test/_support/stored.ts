/** Reads and alters a data directory that no server holds. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE } from '../../src/store/sqlite/database/directory.ts'

export const databaseIn = (directory: string): string => join(directory, DATABASE_FILE)

/** Runs statements on a database without the defensive mode of SQLite. */
export function alter(path: string, sql: string): void {
  const db = new Database(path)
  try {
    db.unsafeMode()
    db.exec(sql)
  } finally {
    db.close()
  }
}

export function rowsOf<Row>(path: string, sql: string): Row[] {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare<[], Row>(sql).all()
  } finally {
    db.close()
  }
}

/** Returns a hash of a database and its log, which changes with every byte. */
export function fingerprint(path: string): string {
  const hash = createHash('sha256')
  for (const file of [path, `${path}-wal`]) if (existsSync(file)) hash.update(readFileSync(file))
  return hash.digest('hex')
}
