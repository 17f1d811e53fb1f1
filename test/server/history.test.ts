/** The setting WAYBILL_HISTORY_DAYS says how long the history keeps messages. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { openIn } from '../_support/store.ts'

const DAY_MS = 86_400_000

/** Stores three messages: completed 31 days ago, pending for 31 days, completed 29 days ago. @returns the data directory */
async function withOldMessages(): Promise<string> {
  const dataDir = temporaryDirectory()
  const clock = new HeldClock()
  const { messages, close } = openIn(dataDir, { clock })
  for (const [days, ends] of [
    [31, true],
    [31, false],
    [29, true],
  ] as const) {
    clock.setWall(Date.now() - days * DAY_MS)
    const { id: messageId } = await messages.enqueue(message(), 10)
    if (!ends) continue
    await messages.acknowledge({ deviceId: 'pump', messageId, status: 'COMPLETED', by: null })
  }
  await close()
  return dataDir
}

test.each([
  ['the default → 30 days', {}, [3, 2]],
  ['28 days → only pending messages', { WAYBILL_HISTORY_DAYS: '28' }, [2]],
  ['0 → all messages, for ever', { WAYBILL_HISTORY_DAYS: '0' }, [3, 2, 1]],
])('history kept: %s', async (_case, env, kept) => {
  const broker = await BrokerUnderTest.start({ env, dataDir: await withOldMessages() })
  // Its answer comes after the removal of old messages, which the start has queued.
  await broker.send('lamp', { command: 'on' })
  const { body } = await broker.rest.get('/admin/api/messages?deviseId=pump')
  expect((body as { id: number }[]).map(({ id }) => id)).toEqual(kept)
})
