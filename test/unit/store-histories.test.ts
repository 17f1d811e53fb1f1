/** Random histories on the memory store and the SQLite store. */
import { openHistoryMemory, openHistorySqlite } from '../_support/history-drivers.ts'
import { runs } from '../_support/runs.ts'
import { historySuite } from '../contract/histories.ts'

/** Histories in the fast tier. They find what no other test does, so they are never fewer. */
const LEAST = 20

historySuite({ memory: openHistoryMemory, SQLite: openHistorySqlite }, Math.max(LEAST, runs(LEAST)))
