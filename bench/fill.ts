/** Fills a data directory with messages that wait, through the product's own storage. Run as a process of its own. */
import { openStorage } from '../src/store/sqlite/database.ts'

/** Enough at once for large transactions, few enough for little memory. */
const BATCH = 1_000

const [dataDir = '', messages = '', devices = ''] = process.argv.slice(2)
const storage = openStorage(dataDir, (error) => {
  throw error
})
for (let first = 0; first < Number(messages); first += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, Number(messages) - first) }, (_, i) => {
    const device = (first + i) % Number(devices)
    return storage.messages.enqueue(
      {
        deviceId: `d${device}`,
        command: 'set-target-temperature',
        guarantee: 'RECEIPT_CONFIRMATION',
        data: `{"speed":12.5,"direction":"clockwise","device":${device}}`,
        tmpId: null,
        producerId: null,
        senderId: null,
        createdAtMs: Date.now(),
      },
      Number.MAX_SAFE_INTEGER,
    )
  })
  await Promise.all(batch)
}
await storage.close()
