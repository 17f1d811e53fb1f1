/** Opens a connection with the settings of all threads. Knows no tables. */
import Database from 'better-sqlite3'

/** Milliseconds to wait for another program that holds the database. */
const BUSY_TIMEOUT_MS = 2_000

/** Opens a database in WAL mode. @throws {Database.SqliteError} */
export function connect(path: string): Database.Database {
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    db.pragma('journal_mode = WAL')
    // The driver's default in WAL mode is NORMAL, which syncs at checkpoints only. An answered write might then be
    // lost.
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    // Maximum bytes of the write-ahead log after a checkpoint.
    db.pragma('journal_size_limit = 67108864')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
