/**
 * Races on two nodes of the memory store, and on the SQLite store, where the calls are some turns of the event loop apart.
 * The system tier makes a thousand runs of each.
 */
import { inject } from 'vitest'
import { memoryWorlds, sqliteWorlds } from '../_support/race.ts'
import { runs } from '../_support/runs.ts'
import { MOST_RUNS, raceSuite } from '../contract/races.ts'

/** Runs of a race over SQLite in the fast tier. */
const FEW = 25

raceSuite('memory', memoryWorlds, runs(200))
raceSuite('SQLite', sqliteWorlds, inject('thoroughness') > 1 ? MOST_RUNS : FEW)
