/** Tracks the used ids. An id is used once, so the ids of deleted rows count too. */
import type { Database } from 'better-sqlite3'

/** Tables whose ids are never reused. */
export const SEQUENCED_TABLES = [
  'messages',
  'clients',
  'templates',
  'api_keys',
  'audit',
  'device_notes',
] as const

/** Returns the largest id that a table has ever used; 0 for none. */
export function lastId(db: Database, table: (typeof SEQUENCED_TABLES)[number]): number {
  const gone = 'coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)'
  const sql = `SELECT max(coalesce(max(id), 0), ${gone}) FROM ${table}`
  return db.prepare<[string], number>(sql).pluck().get(table) as number
}

/**
 * Statement that records the largest message id. Runs before messages are deleted, because the table of messages has no
 * AUTOINCREMENT, by which SQLite would record it itself.
 */
export const RECORD_LAST_MESSAGE_ID = `UPDATE sqlite_sequence
  SET seq = max(seq, coalesce((SELECT max(id) FROM messages), 0)) WHERE name = 'messages'`
