/** Which ids were given out: those of rows that are gone count too. */
import type { Database } from 'better-sqlite3'

/** Those whose rows have ids that are never used again. */
export const SEQUENCED_TABLES = ['messages', 'clients', 'templates'] as const

/** The last id that a table gave out; 0 for none. */
export function lastId(db: Database, table: (typeof SEQUENCED_TABLES)[number]): number {
  const gone = 'coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)'
  const sql = `SELECT max(coalesce(max(id), 0), ${gone}) FROM ${table}`
  return db.prepare<[string], number>(sql).pluck().get(table) as number
}

/** For messages SQLite does not do this by itself. To be run before the newest one is removed. */
export const RECORD_LAST_MESSAGE_ID = `UPDATE sqlite_sequence
  SET seq = max(seq, coalesce((SELECT max(id) FROM messages), 0)) WHERE name = 'messages'`
