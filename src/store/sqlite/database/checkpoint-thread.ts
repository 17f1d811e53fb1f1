/** Worker thread: each message from its parent starts a checkpoint. Knows no tables. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { connect } from './connection.ts'
import { toFailure } from './faults.ts'
import type { Checkpoint } from './wal-sync.ts'

const port = parentPort as MessagePort
let db: Database | null = null
try {
  db = connect(workerData as string)
} catch {
  // The next checkpoint tries again, and reports the error.
}

port.on('message', () => port.postMessage(checkpoint()))

function checkpoint(): Checkpoint {
  try {
    db ??= connect(workerData as string)
    const [{ log, checkpointed }] = db.pragma('wal_checkpoint(PASSIVE)') as [
      { log: number; checkpointed: number },
    ]
    if (checkpointed < log) return { left: log }
    // A write starts the next round of the log in this thread, because SQLite syncs the new header at once.
    db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`)
    return { left: 0 }
  } catch (error) {
    return toFailure(error)
  }
}
