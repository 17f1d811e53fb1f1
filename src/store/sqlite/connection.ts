/** Opens one connection as every thread needs it. Knows no tables. */
import Database from 'better-sqlite3'

/** Milliseconds to wait for another program that holds the database. */
const BUSY_TIMEOUT_MS = 2_000

/** @throws {Database.SqliteError} */
export function connect(path: string): Database.Database {
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    db.pragma('journal_mode = WAL')
    // The driver's default in WAL is NORMAL, which syncs at checkpoints only: answered writes would not be on disk.
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    // Bytes that the write-ahead log is cut back to after a checkpoint.
    db.pragma('journal_size_limit = 67108864')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
