/**
 * Fills a data directory with the messages of a month, nearly all of them completed, through the product's own storage.
 * Run as a process of its own. What filters look for in vain or find late is where they look last: among the oldest.
 */
import { openStorage } from '../src/store/sqlite/database.ts'

const BATCH = 1_000
const MONTH_MS = 30 * 24 * 3_600_000
const DEVICES = 1_000

const [dataDir = '', messages = ''] = process.argv.slice(2)
const count = Number(messages)
const storage = openStorage(dataDir, (error) => {
  throw error
})
const firstAtMs = Date.now() - MONTH_MS
for (let first = 0; first < count; first += BATCH) {
  const size = Math.min(BATCH, count - first)
  await Promise.all(Array.from({ length: size }, (_, i) => live(first + i)))
}
await storage.close()

async function live(i: number): Promise<void> {
  const deviceId = deviceOf(i)
  const createdAtMs = firstAtMs + Math.floor((i / count) * MONTH_MS)
  const { id } = await storage.messages.enqueue(
    {
      deviceId,
      command: i < 5 ? 'rare' : 'set-target-temperature',
      guarantee: 'RECEIPT_CONFIRMATION',
      data: `{"speed":12.5,"direction":"clockwise","device":"${deviceId}"}`,
      tmpId: null,
      producerId: null,
      senderId: null,
      createdAtMs,
    },
    Number.MAX_SAFE_INTEGER,
  )
  // The last ten for each device wait.
  if (i >= count - 10 * DEVICES) return
  if (i < 5) await storage.messages.cancel(id, null, createdAtMs)
  else if (i < 10) await storage.messages.acknowledge(id, deviceId, 'COMPLETED_WITH_ERROR', createdAtMs)
  else if (i < 15) await storage.messages.acknowledge(id, deviceId, 'DELIVERED', createdAtMs)
  else await storage.messages.acknowledge(id, deviceId, 'COMPLETED', createdAtMs)
}

/** One has a third of all, one has three, the oldest but a few. */
function deviceOf(i: number): string {
  if (i >= 20 && i < 23) return 'few'
  return i % 3 === 0 ? 'busy' : `d${i % DEVICES}`
}
