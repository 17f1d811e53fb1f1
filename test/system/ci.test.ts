/** `.ci/run`: its parts are those of the workflow and of CONTRIBUTING.md, and an unknown part is refused. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { PROJECT } from '../_support/server.ts'

const textOf = (path: string): string => readFileSync(join(PROJECT, path), 'utf8')
const run = (...parts: string[]) =>
  spawnSync(join(PROJECT, '.ci/run'), parts, { encoding: 'utf8', env: { PATH: process.env.PATH } })

test.each([['fastt'], ['fast', 'all'], ['--help'], ['']])(
  'arguments %j: one is no part → the usage, exit code 2',
  (...parts) => {
    const { status, stdout, stderr } = run(...parts)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Usage: \.ci\/run \[fast\|/)
  },
)

test('parts: those of the usage → the workflow runs each of them, one at night, CONTRIBUTING.md says what each is', () => {
  const parts = /\[([a-z|]+)\]/.exec(run('--help').stderr)?.[1]?.split('|')
  const { jobs } = parse(textOf('.github/workflows/ci.yml'))
  const rows = [...textOf('CONTRIBUTING.md').matchAll(/^\| `([a-z]+)` +\|/gm)].map(([, name]) => name)
  expect([...jobs.checks.strategy.matrix.part, 'nightly']).toEqual(parts)
  expect(jobs.nightly.steps.at(-1).run).toBe('.ci/run nightly')
  expect(rows).toEqual(parts)
})
