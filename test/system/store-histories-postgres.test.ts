/** Random histories on the memory store, the SQLite store and the PostgreSQL store. */

import { openHistoryMemory, openHistorySqlite } from '../_support/history-drivers.ts'
import { openPostgresStore } from '../_support/postgres-store.ts'
import { historySuite } from '../contract/histories.ts'

/** Histories of each kind. */
const RUNS = 60

historySuite({ memory: openHistoryMemory, SQLite: openHistorySqlite, PostgreSQL: openPostgresStore }, RUNS)
