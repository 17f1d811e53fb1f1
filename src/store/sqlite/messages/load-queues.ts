/** Loads the pending messages once, at the start: from the index on disk, then from the messages after its end. */
import type { Database } from 'better-sqlite3'
import type { Clock } from '../../../broker/vocabulary/clock.ts'
import { endAt } from '../../end.ts'
import { lastIndexedId, MESSAGE_BYTES } from './message-index.ts'
import type { TermsOfPending } from './pending-terms.ts'
import type { Queues } from './queues.ts'

const STEP = 10_000

type Row = [id: number, deviceId: string, command: string, bytes: number]

/** Fills empty queues with all pending messages. A message that is already due is not delayed. */
export function loadQueues(db: Database, queues: Queues, terms: TermsOfPending, clock: Clock): void {
  const nowMs = clock.wallMs()
  const createdAtMs = db
    .prepare<[id: number], number>('SELECT created_at_ms FROM messages WHERE id = ?')
    .pluck()
  const sources = [
    `SELECT message_id, device_id, command, bytes FROM waiting WHERE message_id > ? ORDER BY message_id LIMIT ?`,
    `SELECT id, device_id, command, ${MESSAGE_BYTES} FROM messages
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
      for (const [id, deviceId, command, bytes] of rows) {
        const known = commands.get(command)
        if (known === undefined) commands.set(command, command)
        const dueAtMs = terms.get(id)?.dueAtMs ?? null
        const isDelayed = dueAtMs !== null && dueAtMs > nowMs
        const due = isDelayed ? endAt(dueAtMs, dueAtMs - (createdAtMs.get(id) ?? 0), clock) : null
        queues.load(deviceId, id, known ?? command, bytes, due)
        last = id
      }
    } while (rows.length === STEP)
  }
}
