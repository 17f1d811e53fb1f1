/** Races on two nodes over one PostgreSQL. */
import { openPostgresStorage } from '../_support/postgres-store.ts'
import { World } from '../_support/race.ts'
import { seeded } from '../_support/random.ts'
import { raceSuite } from '../contract/races.ts'

async function postgresWorlds(): Promise<(seed: number) => World> {
  const opened = await openPostgresStorage()
  const second = await opened.second()
  const { messages, messageLog } = opened.storage
  const driver = {
    clock: opened.clock,
    first: messages,
    second: second.messages,
    record: (id: number) => messageLog.get(id),
    extras: (id: number) => messageLog.extras(id),
    mostTurns: 300,
  }
  let count = 0
  return (seed) => new World(seeded(seed), { ...driver, device: `pump-${count++}` })
}

raceSuite('PostgreSQL', postgresWorlds, 100)
