/** How long the history keeps messages, by its setting. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { openIn } from '../_support/store.ts'

const DAY_MS = 86_400_000

/** Completed 31 days ago, waiting for 31 days, completed 29 days ago. */
async function aged(): Promise<string> {
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
  ['30 days when nothing is said', {}, [3, 2]],
  ['another number of days', { WAYBILL_HISTORY_DAYS: '28' }, [2]],
  ['0: for ever', { WAYBILL_HISTORY_DAYS: '0' }, [3, 2, 1]],
])('%s', async (_what, env, kept) => {
  const broker = await BrokerUnderTest.start({ env, dataDir: await aged() })
  // Stored behind what the start removes.
  await broker.send('lamp', { command: 'on' })
  const { body } = await broker.rest.get('/admin/api/messages?deviseId=pump')
  expect((body as { id: number }[]).map(({ id }) => id)).toEqual(kept)
})
