/** The thread that brings the write-ahead log into the database each time it is told to. Knows no tables. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { connect } from './connection.ts'
import { toFailure } from './faults.ts'
import type { Checkpoint } from './wal-sync.ts'

const port = parentPort as MessagePort
let db: Database | null = null

port.on('message', () => port.postMessage(checkpoint()))

function checkpoint(): Checkpoint {
  try {
    db ??= connect(workerData as string)
    const [{ log, checkpointed }] = db.pragma('wal_checkpoint(PASSIVE)') as [
      { log: number; checkpointed: number },
    ]
    if (checkpointed < log) return { left: log }
    // Begins the next round of the log here, since SQLite syncs its new header at once.
    db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`)
    return { left: 0 }
  } catch (error) {
    return toFailure(error)
  }
}
