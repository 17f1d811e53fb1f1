/**
 * The thread that waits for the disk: syncs the write-ahead log, and brings it into the database when it is told to.
 * Knows no tables.
 */
import { fdatasyncSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { sync as syncDirectory } from './backup.ts'
import { connect } from './connection.ts'
import { toFailure } from './faults.ts'
import type { Answer, Task } from './thread.ts'

/** Where the log's index has the number of pages in the log (sqlite.org/walformat.html#the_wal_index_header). */
const MX_FRAME = 16

const port = parentPort as MessagePort
const path = workerData as string
const log = openSync(`${path}-wal`, 'r+')
const index = openSync(`${path}-shm`, 'r')
const pages = new Uint32Array(1)
let db: Database | null = null

// A log that was made just now must not be gone after a power cut.
syncDirectory(dirname(path))

port.on('message', (task: Task) => {
  if (task === 'end') {
    db?.close()
    port.close()
    return
  }
  try {
    port.postMessage({ pages: task === 'sync' ? sync() : checkpoint() } satisfies Answer)
  } catch (error) {
    port.postMessage(toFailure(error) satisfies Answer)
  }
})

/** @returns pages in the log */
function sync(): number {
  fdatasyncSync(log)
  readSync(index, pages, 0, pages.byteLength, MX_FRAME)
  return pages[0] as number
}

/** Nobody writes meanwhile. @returns pages that had to stay in the log, as somebody still reads them */
function checkpoint(): number {
  db ??= connect(path)
  const [result] = db.pragma('wal_checkpoint(PASSIVE)') as [{ log: number; checkpointed: number }]
  if (result.checkpointed < result.log) return result.log
  // Begins the next round of the log here, since SQLite syncs its new header at once.
  db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`)
  return 0
}
