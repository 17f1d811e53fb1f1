/** Random histories on the memory store and the SQLite store. */
import { openHistoryMemory, openHistorySqlite } from '../_support/history-drivers.ts'
import { runs } from '../_support/runs.ts'
import { historySuite } from '../contract/histories.ts'

historySuite({ memory: openHistoryMemory, SQLite: openHistorySqlite }, runs(20))
