/**
 * Dispatch under thousands of random schedules, over each storage driver and with a clock that the test moves. No message
 * is lost, out of order or redelivered too early, and the interval holds, through connections, drops, acknowledgements
 * and restarts.
 */
import fc from 'fast-check'
import { describe, test, vi } from 'vitest'
import type { Guarantee } from '../../src/broker/vocabulary/status.ts'
import { whenDone } from '../_support/cleanup.ts'
import { TIMEOUT_MS } from '../_support/device-model.ts'
import { MemoryDriver, SqliteDriver } from '../_support/model-drivers.ts'
import { seeded } from '../_support/random.ts'
import { runs } from '../_support/runs.ts'
import { DEVICES, type Round, type Step, World } from '../_support/schedule-world.ts'

vi.setConfig({ testTimeout: 120_000 })

const send = (guarantee: Guarantee, ...commands: string[]) =>
  fc.record({
    do: fc.constant('send' as const),
    guarantee: fc.constant(guarantee),
    command: fc.constantFrom(...commands),
  })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: send('RECEIPT_CONFIRMATION', 'on', 'off') },
  { weight: 2, arbitrary: send('ONLY_LAST', 'on', 'off') },
  { weight: 2, arbitrary: send('NO', 'ping') },
  { weight: 3, arbitrary: fc.constant({ do: 'connect' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'drop' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('break' as const, 'mend', 'nothing') }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('acknowledge' as const),
      which: fc.nat({ max: 4 }),
      status: fc.constantFrom('DELIVERED' as const, 'COMPLETED', 'COMPLETED_WITH_ERROR'),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  },
)

const schedules = (intervalMs: number): fc.Arbitrary<Round[]> =>
  fc.array(
    fc.record({
      steps: fc.array(step, { minLength: DEVICES, maxLength: DEVICES }),
      passMs: fc
        .constantFrom(0, 0, 1, intervalMs - 1, intervalMs, intervalMs + 1, TIMEOUT_MS - 1, TIMEOUT_MS)
        .map((ms) => Math.max(0, ms)),
      settles: fc.boolean(),
      restarts: fc.oneof(
        { weight: 20, arbitrary: fc.constant('no' as const) },
        { weight: 1, arbitrary: fc.constantFrom('delivery' as const, 'store') },
      ),
    }),
    { minLength: 10, maxLength: 25, size: 'max' },
  )

const DRIVERS = {
  SQLite: () => new SqliteDriver(),
  memory: () => new MemoryDriver(seeded(Number(process.env.MEMORY_SEED ?? 1))),
}

describe.each(Object.entries(DRIVERS))('dispatch over %s', (_, openDriver) => {
  test.each([
    [2_000, 2_000],
    [0, 0],
    [2_000, 0],
  ])(
    'random schedules: an interval of %i ms (general: %i ms) → as the model says',
    async (intervalMs, generalMs) => {
      vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
        now: 1_800_000_000_000,
      })
      whenDone(() => vi.useRealTimers())
      const world = new World(openDriver(), intervalMs, generalMs)
      let played = 0
      await fc.assert(
        fc.asyncProperty(schedules(intervalMs), (rounds) => world.play(rounds, `device-${played++}`)),
        { numRuns: runs(3, 1), interruptAfterTimeLimit: 30_000, endOnFailure: true },
      )
    },
  )
})
