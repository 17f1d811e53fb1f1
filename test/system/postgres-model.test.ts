/** The server answers as the model over PostgreSQL, where each restart is another node on the same database. */
import fc from 'fast-check'
import { test, vi } from 'vitest'
import { LIMIT_MS } from '../_support/limits.ts'
import { BOUNDED, follow, type Round, startHere, timedHistory } from '../_support/model-histories.ts'
import { openPostgresStorage } from '../_support/postgres-store.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

test('model: PostgreSQL, each restart another node on the same database → as the model', async () => {
  const play = async (rounds: readonly Round[]): Promise<void> => {
    const database = await openPostgresStorage()
    await follow(
      rounds,
      (dataDir, adapter, clock) => startHere(dataDir, adapter, clock, () => database.second()),
      database.clock,
    )
  }
  await fc.assert(fc.asyncProperty(timedHistory, play), { numRuns: 5, ...BOUNDED })
})
