/**
 * Fills a data directory with the messages of a month, nearly all of them completed, through the product's own storage.
 * Runs as a process of its own. Values that a filter finds late are among the oldest messages, where it looks last.
 */
import type { AckStatus } from '../src/broker/vocabulary/status.ts'
import { openStorage } from '../src/store/sqlite/database.ts'
import { NO_LIMITS, PLAIN } from './messages.ts'

const BATCH = 1_000
const MONTH_MS = 30 * 24 * 3_600_000
const DEVICES = 1_000

const [dataDir = '', messages = '', waiting = '10000'] = process.argv.slice(2)
const count = Number(messages)
/** The time at which the next call happens, in milliseconds since 1970. */
let nowMs = 0
const storage = openStorage({
  directory: dataDir,
  durationsMs: [30_000],
  limits: NO_LIMITS,
  clock: { wallMs: () => nowMs, monotonicMs: () => nowMs },
  onFailure(error) {
    throw error
  },
})
const firstAtMs = Date.now() - MONTH_MS
for (let first = 0; first < count; first += BATCH) {
  const size = Math.min(BATCH, count - first)
  await Promise.all(Array.from({ length: size }, (_, i) => live(first + i)))
}
await storage.close()

async function live(i: number): Promise<void> {
  const deviceId = deviceOf(i)
  const atMs = firstAtMs + Math.floor((i / count) * MONTH_MS)
  nowMs = atMs
  const { id } = await storage.messages.enqueue(
    {
      deviceId,
      command: i < 5 ? 'rare' : 'set-target-temperature',
      guarantee: 'RECEIPT_CONFIRMATION',
      data: `{"speed":12.5,"direction":"clockwise","device":"${deviceId}"}`,
      replyTo: null,
      senderId: null,
      ...PLAIN,
    },
    NO_LIMITS,
  )
  // The last messages wait, the same number for each device.
  if (i >= count - Number(waiting)) return
  nowMs = atMs
  if (i < 5) await storage.messages.cancel(id, { by: null, force: false })
  else
    await storage.messages.acknowledge({
      deviceId,
      messageId: id,
      status: statusOf(i),
      by: null,
      report: null,
    })
}

function statusOf(i: number): AckStatus {
  if (i < 10) return 'COMPLETED_WITH_ERROR'
  return i < 15 ? 'DELIVERED' : 'COMPLETED'
}

/** One has a third of all, one has three, the oldest but a few. */
function deviceOf(i: number): string {
  if (i >= 20 && i < 23) return 'few'
  return i % 3 === 0 ? 'busy' : `d${i % DEVICES}`
}
