import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { hasNativeUws, leaveOutUws } from './test/_support/engine.ts'
import { LIMIT_MS, WAIT_MS } from './test/_support/limits.ts'

const hasUws = await hasNativeUws()
const seed = process.env.SEED === undefined ? null : Number(process.env.SEED)

/** Factor for the runs of property tests in the system tier. */
const THOROUGH = 5

interface Project {
  readonly name: string
  readonly include: string[]
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
    resolve: { alias: { waybill: pathOf('src/index.ts'), bcrypt: pathOf('test/_support/bcrypt.ts') } },
    test: {
      ...rest,
      pool: 'forks' as const,
      // A worker loads the product once for all of its files; to load it for each took as long as the tests.
      isolate: false,
      maxWorkers,
      sequence: { groupOrder },
      setupFiles: ['test/_support/setup.ts'],
      globalSetup: ['test/_support/temporary-root.ts', ...globalSetup],
      provide: { adapter, hasUws, seed, thoroughness, program: [] },
      testTimeout: LIMIT_MS,
      hookTimeout: LIMIT_MS,
      expect: { poll: { timeout: WAIT_MS } },
    },
  }
}

const withProperties = readdirSync('test/unit')
  .map((name) => `test/unit/${name}`)
  .filter((file) => readFileSync(file, 'utf8').includes('fc.assert('))

const PAGE = 'test/_support/build-page.ts'

const projects = [
  // The fast tier: `npm test`.
  project({ name: 'unit', include: ['test/unit/*.test.ts'] }),
  project({ name: 'server', include: ['test/server/*.test.ts'], globalSetup: [PAGE] }),
  // The system tier: `npm run test:system`.
  project({
    name: 'system',
    include: ['test/system/*.test.ts'],
    globalSetup: ['test/_support/build.ts'],
  }),
  // Fault runs use both cores, so each has the machine to itself.
  project({
    name: 'cluster',
    include: ['test/cluster/*.test.ts'],
    globalSetup: ['test/_support/build.ts'],
    ...{ maxWorkers: 1, groupOrder: 1 },
  }),
  project({ name: 'properties', include: withProperties, thoroughness: THOROUGH }),
  project({
    name: 'uws',
    include: ['test/server/*.test.ts'],
    adapter: 'uws',
    thoroughness: THOROUGH,
    globalSetup: [PAGE],
  }),
]

const chosen = process.argv.filter((_, i, all) => all[i - 1] === '--project')
if (!hasUws && (chosen.length === 0 || chosen.includes('uws'))) leaveOutUws()

export default defineConfig({
  test: { projects: projects.filter(({ test }) => hasUws || test.name !== 'uws') },
})
