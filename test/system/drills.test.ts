/**
 * Makes the changes of test/drills in a copy of the project, as CONTRIBUTING.md says, and counts their files. All of them
 * together compile, keep the tests of the tables, and work over both stores. `DRILL=status,metric` makes only these,
 * so that a file which a drill forgot cannot come from another drill. DOCS=write writes the table of CONTRIBUTING.md.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { tableTest } from '../_support/docs.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { newSchema } from '../_support/postgres.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { changedFilesOf, countsOf, isWithinGoal } from '../drills/_support/drill.ts'
import { DrilledServer } from '../drills/_support/drilled-server.ts'
import { ProjectCopy } from '../drills/_support/project-copy.ts'
import { DRILLS } from '../drills/all.ts'

vi.setConfig({ testTimeout: 10 * LIMIT_MS, hookTimeout: 10 * LIMIT_MS })

const expectTable = tableTest('npx vitest run --project system test/system/drills.test.ts')

const chosen = process.env.DRILL?.split(',')
const drills = DRILLS.filter(({ name }) => chosen?.includes(name) ?? true)
if (chosen && drills.length < chosen.length) throw new Error(`DRILL names an unknown drill: ${chosen}`)
const written = drills.flatMap((drill) => drill.written ?? [])

const copy = new ProjectCopy()
for (const drill of drills) copy.apply(drill)
/** Checks that run beside the proofs. Each resolves to what it found wrong. */
let checks: {
  readonly types: Promise<string>
  readonly page: Promise<string>
  readonly tables: Promise<string>
}

beforeAll(async () => {
  await copy.writeClientTypes()
  const tables = copy.checkTables()
  checks = {
    tables,
    page: copy.compile('-p', 'src/ui').then((found) => found || copy.buildPage()),
    types: tables.then(() => copy.compile()),
  }
})

test.each(drills)('$change: its files → as many as its goal, or a reason', (drill) => {
  expect(isWithinGoal(drill)).toBe(drill.beyond === undefined)
})

test('CONTRIBUTING.md: table of the changes → that of the drills', () => {
  const rows = DRILLS.map((drill) => {
    const { changed, created, beside } = countsOf(drill)
    const counts = [changed, created, beside].map(String)
    const goal = `${drill.goal.changed} and ${drill.goal.created} new`
    const reason = drill.beyond === undefined ? '' : `; more: ${drill.beyond}`
    return [drill.change, ...counts, goal + reason, `\`test/drills/${drill.name}.ts\``]
  })
  const head = ['Change', 'Changed files', 'New files', 'Docs and tests', 'Goal', 'Drill']
  expectTable('CONTRIBUTING.md', 'changes', [head, ...rows])
})

describe.each(['SQLite', 'PostgreSQL'])('the changed project, on %s', (store) => {
  let server: DrilledServer
  beforeAll(async () => {
    const database = ['--store', postgresServer().url(newSchema()), '--allow-data-loss']
    const args = drills.flatMap((drill) => drill.args ?? [])
    server = await DrilledServer.start(copy, [...args, ...(store === 'SQLite' ? [] : database)])
  })

  const proofs = drills.flatMap(({ change, served = {} }) =>
    Object.entries(served).map(([what, prove]) => [change, what, prove] as const),
  )
  test.each(proofs)('%s: %s', (_change, _what, prove) => prove(server))
})

test('the changed project: tests of the tables → they pass', async () => {
  expect(await checks.tables).toBe('')
})

test('the changed project: files that a command has written → those that the drills name', () => {
  const missing = drills.flatMap(changedFilesOf).filter((path) => !copy.differs(path))
  expect(missing).toEqual([])
  expect(copy.filesWritten().filter((path) => !written.includes(path))).toEqual([])
})

test('the changed project → it compiles', async () => {
  expect(await checks.types).toBe('')
})

test('the page of the changed project: types, and the build by vite → no error', async () => {
  expect(await checks.page).toBe('')
})

const copied = drills.flatMap(({ change, copied: proofs = {} }) =>
  Object.entries(proofs).map(([what, prove]) => [change, what, prove] as const),
)
test.each(copied)('%s: %s', async (_change, _what, prove) => {
  await checks.page
  await prove(copy)
})
