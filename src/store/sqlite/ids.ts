/** Which ids were given out: those of rows that are gone count too. */
import type { Database } from 'better-sqlite3'

/** The last id that a table with AUTOINCREMENT gave out; 0 for none. */
export function lastId(db: Database, table: 'messages' | 'clients' | 'templates'): number {
  return (
    db.prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(table) ?? 0
  )
}
