/** Random histories on the memory store, the SQLite store and the PostgreSQL store. */
import { DURATIONS_MS } from '../_support/history-calls.ts'
import { openSeededMemory, openSqlite } from '../_support/opened-stores.ts'
import { openPostgresStore } from '../_support/postgres-store.ts'
import { seedOfRun } from '../_support/random.ts'
import { runs } from '../_support/runs.ts'
import { historySuite } from '../contract/histories.ts'

historySuite(
  {
    memory: () => openSeededMemory(seedOfRun()),
    SQLite: () => openSqlite(DURATIONS_MS),
    PostgreSQL: openPostgresStore,
  },
  runs(60),
)
