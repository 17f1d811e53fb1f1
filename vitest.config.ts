import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { mayDifferByAdapter } from './test/_support/by-adapter.ts'
import { CostReporter } from './test/_support/cost-reporter.ts'
import { hasNativeUws, leaveOutUws } from './test/_support/engine.ts'
import { findPostgres, leaveOutPostgres } from './test/_support/find-postgres.ts'
import { LIMIT_MS, WAIT_MS } from './test/_support/limits.ts'
import { LongFirst } from './test/_support/long-first.ts'

const chosen = process.argv.filter((_, i, all) => all[i - 1] === '--project')
const isChosen = (name: string): boolean => chosen.length === 0 || chosen.includes(name)

const hasUws = await hasNativeUws()
// The fast tier starts no process, so it does not look for PostgreSQL.
const usesPostgres = isChosen('system') || isChosen('postgres')
const hasPostgres = usesPostgres && findPostgres() !== null
const seed = process.env.SEED === undefined ? null : Number(process.env.SEED)

/** Factors for the runs of property tests: in the fast tier, and once more in the system tier. */
const [QUICK, THOROUGH] = [0.2, 5] as const

interface Project {
  readonly name: string
  readonly include: string[]
  readonly exclude?: string[]
  readonly adapter?: 'node' | 'uws'
  readonly thoroughness?: number
  readonly globalSetup?: string[]
  /** Test files at a time; one for each core by default. */
  readonly maxWorkers?: number
  /** Projects with a larger number run after the others. */
  readonly groupOrder?: number
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

function project({ adapter = 'node', thoroughness = 1, globalSetup = [], ...others }: Project) {
  const { maxWorkers = availableParallelism(), groupOrder = 0, ...rest } = others
  return {
    // Endpoint files written by a test import the package by its name; the command line has a hook for that.
    resolve: {
      alias: {
        waybill: pathOf('src/index.ts'),
        bcrypt: pathOf('test/_support/bcrypt.ts'),
        // As the files of src/web name it.
        './tree.ts': pathOf('test/_support/shared-trees.ts'),
      },
    },
    test: {
      ...rest,
      pool: 'forks' as const,
      // A worker loads the product once for all of its files; to load it for each took as long as the tests.
      isolate: false,
      maxWorkers,
      sequence: { groupOrder },
      setupFiles: ['test/_support/setup.ts'],
      globalSetup: ['test/_support/temporary-root.ts', ...globalSetup],
      provide: { adapter, hasUws, seed, thoroughness, program: [], postgres: '' },
      testTimeout: LIMIT_MS,
      hookTimeout: LIMIT_MS,
      expect: { poll: { timeout: WAIT_MS } },
    },
  }
}

/** Returns the tests of a directory whose text fits. */
function testsWith(fits: (text: string) => boolean, directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${directory}/${name}`)
    .filter((file) => fits(readFileSync(file, 'utf8')))
}

const PAGE = 'test/_support/build-page.ts'

const projects = [
  // The fast tier: `npm test`.
  project({ name: 'unit', include: ['test/unit/*.test.ts'], thoroughness: QUICK }),
  project({ name: 'server', include: ['test/server/*.test.ts'], thoroughness: QUICK, globalSetup: [PAGE] }),
  // The system tier: `npm run test:system`.
  project({
    name: 'system',
    include: ['test/system/*.test.ts'],
    exclude: hasPostgres ? [] : testsWith((text) => text.includes('_support/postgres'), 'test/system'),
    globalSetup: ['test/_support/build.ts'],
    // Half of the time they wait for processes.
    ...{ maxWorkers: availableParallelism() + 1, groupOrder: 2 },
  }),
  // Fault runs use both cores, so each has the machine to itself.
  project({
    name: 'cluster',
    include: ['test/cluster/*.test.ts'],
    globalSetup: ['test/_support/build.ts', 'test/cluster/_support/fault-table.ts'],
    ...{ maxWorkers: 1, groupOrder: 1 },
  }),
  project({
    name: 'properties',
    include: testsWith((text) => /fc\.assert\(|\bruns\(/.test(text), 'test/unit'),
    thoroughness: THOROUGH,
  }),
  project({
    name: 'uws',
    include: testsWith(mayDifferByAdapter, 'test/server'),
    adapter: 'uws',
    thoroughness: THOROUGH,
    globalSetup: [PAGE],
  }),
  project({
    name: 'postgres',
    include: ['test/server/*.test.ts'],
    globalSetup: [PAGE, 'test/_support/start-postgres.ts'],
  }),
]

if (!hasUws && isChosen('uws')) leaveOutUws()
if (usesPostgres && !hasPostgres) leaveOutPostgres()

/** Projects that cannot run here. */
const leftOut = [...(hasUws ? [] : ['uws']), ...(hasPostgres ? [] : ['postgres'])]

/** What vitest chooses by itself, and the cost of the run. */
const reporters = [
  'default',
  ...(process.env.GITHUB_ACTIONS === 'true' ? ['github-actions'] : []),
  new CostReporter(),
]

export default defineConfig({
  test: {
    projects: projects.filter(({ test }) => !leftOut.includes(test.name)),
    reporters,
    sequence: { sequencer: LongFirst },
  },
})
