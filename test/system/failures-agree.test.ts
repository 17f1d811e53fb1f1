/** The number of failures after kill -9: figure, chart, count and list of the next process show the same one. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { expectOneNumber, failAtRandom } from '../_support/failures.ts'
import { SHORT_ATTEMPTS } from '../_support/parked.ts'
import { seeded } from '../_support/random.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

test(`failures, then kill -9 in the middle of more (SEED=${SEED}) → one number everywhere`, async () => {
  const random = seeded(SEED)
  const first = await BrokerUnderTest.spawn({ env: SHORT_ATTEMPTS })
  await failAtRandom(first, random, 15)
  expect(await expectOneNumber(first)).toBeGreaterThan(0)
  const more = failAtRandom(first, random, 100).catch(() => {})
  // The first answer of the new steps: from here on the process may die at any moment.
  await first.send('other', { command: 'go' })
  await first.server.kill('SIGKILL')
  await more
  const again = await BrokerUnderTest.spawn({ env: SHORT_ATTEMPTS, dataDir: first.dataDir })
  await expectOneNumber(again)
  await failAtRandom(again, random, 5)
  await expectOneNumber(again)
})
