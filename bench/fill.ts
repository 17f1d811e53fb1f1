/** Fills a data directory with messages that wait, through the product's own storage. Run as a process of its own. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { DATABASE_FILE } from '../src/store/sqlite/database/directory.ts'
import { openStorage } from '../src/store/sqlite/database.ts'
import { lastIndexedId } from '../src/store/sqlite/messages/message-index.ts'
import { NO_LIMITS, PLAIN } from './messages.ts'

/** Enough at once for large transactions, few enough for little memory. */
const BATCH = 1_000

const [dataDir = '', messages = '', devices = '', prefix = 'd'] = process.argv.slice(2)
const storage = openStorage({
  directory: dataDir,
  durationsMs: [30_000],
  limits: NO_LIMITS,
  onFailure(error) {
    throw error
  },
})
for (let first = 0; first < Number(messages); first += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, Number(messages) - first) }, (_, i) => {
    const device = (first + i) % Number(devices)
    return storage.messages.enqueue(
      {
        deviceId: `${prefix}${device}`,
        command: 'set-target-temperature',
        guarantee: 'RECEIPT_CONFIRMATION',
        data: `{"speed":12.5,"direction":"clockwise","device":${device}}`,
        replyTo: null,
        senderId: null,
        ...PLAIN,
      },
      NO_LIMITS,
    )
  })
  await Promise.all(batch)
}
// The index is filled behind them, which would else go on during what is measured.
const db = new Database(join(dataDir, DATABASE_FILE), { readonly: true })
while (lastIndexedId(db) < Number(messages) - BATCH) await pause(100)
db.close()
await storage.close()
