/** The setting WAYBILL_HISTORY_DAYS says how long the history keeps messages. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { openDated } from '../_support/dated-store.ts'
import { message } from '../_support/message.ts'

const DAY_MS = 86_400_000

/**
 * Stores messages, by default one that was completed 31 days ago, one pending for 31 days, one completed 29 days ago, and
 * one pending since now.
 *
 * @returns the data directory
 */
async function withOldMessages(
  ages: readonly (readonly [days: number, ends: boolean])[] = [
    [31, true],
    [31, false],
    [29, true],
    [0, false],
  ],
): Promise<string> {
  const dataDir = temporaryDirectory()
  const { messages, setWall, close } = await openDated(dataDir)
  for (const [days, ends] of ages) {
    await setWall(Date.now() - days * DAY_MS)
    const { id: messageId } = await messages.enqueue(message(), { messages: 10, bytes: 0 })
    if (!ends) continue
    await messages.acknowledge({ deviceId: 'pump', messageId, status: 'COMPLETED', by: null, report: null })
  }
  await close()
  return dataDir
}

test.each([
  ['the default → 30 days', {}, [4, 3, 2]],
  ['28 days → only pending messages', { WAYBILL_HISTORY_DAYS: '28' }, [4, 2]],
  ['0 → all messages, for ever', { WAYBILL_HISTORY_DAYS: '0' }, [4, 3, 2, 1]],
])('history kept: %s', async (_case, env, kept) => {
  const broker = await BrokerUnderTest.start({ env, dataDir: await withOldMessages() })
  // Its answer comes after the removal of old messages, which the start has queued.
  await broker.send('lamp', { command: 'on' })
  const { body } = await broker.rest.get('/admin/api/messages?deviseId=pump')
  expect((body as { id: number }[]).map(({ id }) => id)).toEqual(kept)
})

test('start with a clock 40 days ahead: the newest message is 40 days old → a day of history is removed, with a warning', async () => {
  const ages = [70.5, 69.5, 68.5, 41, 40].map((days) => [days, true] as const)
  const broker = await BrokerUnderTest.start({ dataDir: await withOldMessages(ages) })
  await broker.send('lamp', { command: 'on' })
  const { body } = await broker.rest.get('/admin/api/messages?deviseId=pump')
  expect((body as { id: number }[]).map(({ id }) => id)).toEqual([5, 4, 3])
  expect(broker.server.log.filter(({ passedDays }) => passedDays !== undefined)).toEqual([
    expect.objectContaining({ level: 'warn', passedDays: 40, days: 30 }),
    expect.objectContaining({ level: 'warn', passedDays: 40, days: 90 }),
  ])
})
