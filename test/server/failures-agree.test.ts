/** The number of failures: figure, chart, count and list show the same one, whatever happened before. */
import { expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { expectOneNumber, failAtRandom } from '../_support/failures.ts'
import { SHORT_ATTEMPTS } from '../_support/parked.ts'
import { seeded } from '../_support/random.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

test(`${ADAPTER}: failures, replays, late acknowledgements, a crash (SEED=${SEED}) → one number everywhere`, async () => {
  const random = seeded(SEED)
  let broker = await BrokerUnderTest.start({ env: SHORT_ATTEMPTS })
  for (let round = 0; round < 3; round++) {
    await failAtRandom(broker, random, 12)
    const failures = await expectOneNumber(broker)
    // The files as a killed process leaves them.
    broker = await BrokerUnderTest.start({ env: SHORT_ATTEMPTS, dataDir: broker.leftBehind() })
    expect(await expectOneNumber(broker)).toBe(failures)
  }
})
