/** Loads the pending messages once, at the start: from the index on disk, then from the messages behind its end. */
import type { Database } from 'better-sqlite3'
import { lastIndexedId } from './message-index.ts'
import type { Queues } from './queues.ts'

/** Maximum rows per read. */
const STEP = 10_000

type Row = [id: number, deviceId: string, command: string]

/** Fills empty queues with all pending messages. */
export function loadQueues(db: Database, queues: Queues): void {
  const sources = [
    `SELECT message_id, device_id, command FROM waiting WHERE message_id > ? ORDER BY message_id LIMIT ?`,
    `SELECT id, device_id, command FROM messages
     WHERE id > max(?, ${lastIndexedId(db)}) AND status = 'NOT_DELIVERED' ORDER BY id LIMIT ?`,
  ]
  // Many messages share a few commands, so each text is kept once.
  const commands = new Map<string, string>()
  let last = 0
  for (const sql of sources) {
    const read = db.prepare<[after: number, limit: number], Row>(sql).raw()
    let rows: Row[]
    do {
      rows = read.all(last, STEP)
      for (const [id, deviceId, command] of rows) {
        const known = commands.get(command)
        if (known === undefined) commands.set(command, command)
        queues.add(deviceId, id, known ?? command)
        last = id
      }
    } while (rows.length === STEP)
  }
}
