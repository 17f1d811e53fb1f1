/** `waybill new`: what it writes, and what it refuses. test/system/installed.test.ts installs and runs a project. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../src/cli/program.ts'
import { version } from '../../src/process/version.ts'
import { inject } from '../../src/web/inject.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { appOf, writeTree } from '../_support/trees.ts'

async function make(...args: string[]): Promise<{ code: number | undefined; out: string; err: string }> {
  const out: string[] = []
  const err: string[] = []
  const io = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) }
  const code = await run(['new', ...args], io, () => {})
  return { code, out: out.join(''), err: err.join('') }
}

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8')

test('new: a directory that does not exist → a project with its parents, and what to do next', async () => {
  const root = join(temporaryDirectory(), 'deep/Pump_House')
  const { code, out } = await make(root)
  expect(code).toBe(0)
  expect(out).toMatch(
    /^Made .*Pump_House, with 10 files\. Next:\n\n {2}cd .*\n {2}npm install\n {2}npm test\n/,
  )
  expect(readdirSync(root, { recursive: true }).sort()).toEqual([
    ...['.dockerignore', '.gitignore', 'Dockerfile', 'README.md', 'endpoints'],
    ...['endpoints/_services.ts', 'endpoints/notes.test.ts', 'endpoints/notes.ts'],
    ...['package.json', 'tsconfig.build.json', 'tsconfig.json'],
  ])
  const described = JSON.parse(read(root, 'package.json'))
  expect([described.name, described.dependencies]).toEqual(['pump-house', { waybill: `^${version()}` }])
  expect(read(root, 'README.md')).toMatch(/^# pump-house\n[\s\S]*docker build -t pump-house \./)
  const image = read(root, 'Dockerfile')
  expect(image).toMatch(/^USER node$/m)
  expect(image).toMatch(/^RUN npm ci /m)
  // Its Node is the tested one of the image of the server.
  const basesOf = (text: string) => [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
  expect(basesOf(image)).toEqual(basesOf(read('deploy/Dockerfile')))
  for (const base of basesOf(image)) expect(base).toMatch(/@sha256:[0-9a-f]{64}$/)
})

test('new: package.json → the versions that this package is tested with', () => {
  const { devDependencies } = JSON.parse(read('templates/project/package.json'))
  const own = JSON.parse(read('package.json')).devDependencies
  for (const [name, range] of Object.entries(devDependencies))
    expect([name, range]).toEqual([name, `^${own[name]}`])
})

test.each([
  [
    'a directory with a file',
    { 'here/a.txt': '' },
    'here is not empty: give waybill new a directory that is new or empty',
  ],
  ['a file', { here: '' }, 'here is not a directory: choose another name'],
  ['a directory below a file', { 'here.txt': '' }, 'here.txt/in is not a directory: choose another name'],
])('new: %s → refused, and nothing is written', async (_what, files, problem) => {
  const root = writeTree(files)
  const before = readdirSync(root, { recursive: true })
  const { code, err } = await make(join(root, problem.split(' ')[0] as string))
  expect([code, err.replaceAll(`${root}/`, '')]).toEqual([1, `waybill: ${problem}\n`])
  expect(readdirSync(root, { recursive: true })).toEqual(before)
})

test.each([
  ['jobs', 'jobs', '/jobs'],
  ['admin/saved-jobs', 'admin/saved-jobs', '/admin/saved-jobs'],
  ['admin/index', 'admin/index', '/admin'],
  ['index', 'index', '/'],
])('new endpoint %s → a file and its test, which answers at the URL it names', async (name, file, path) => {
  const root = writeTree({ 'api/': '' })
  const { code, out } = await make('endpoint', name, '--prefix', join(root, 'api'))
  expect([code, out.replaceAll(`${root}/`, '')]).toEqual([
    0,
    `Wrote api/${file}.ts and api/${file}.test.ts.\nGET ${path}?name=Ada answers "Hello Ada".\n`,
  ])
  expect(read(root, 'api', `${file}.test.ts`)).toContain(`from './${file.split('/').at(-1)}.ts'`)
  const { app } = await appOf({ [`${file}.ts`]: read(root, 'api', `${file}.ts`) })
  expect((await inject(app, 'GET', `${path}?name=Ada`)).json()).toBe('Hello Ada')
})

test.each(['Jobs', 'saved_jobs', '../jobs', '/jobs', 'jobs/', 'a//b', '_jobs', 'jobs.test', '7up', ''])(
  'new endpoint "%s", a name that is not in kebab-case → refused',
  async (name) => {
    const root = writeTree({ 'api/': '' })
    const { code, err } = await make('endpoint', '--prefix', join(root, 'api'), '--', name)
    expect([code, err]).toEqual([
      2,
      `waybill: "${name}" is no name for an endpoint: write it in kebab-case, such as notes or admin/jobs\n`,
    ])
    expect(readdirSync(root, { recursive: true })).toEqual(['api'])
  },
)

test.each([
  ['saved-jobs', 'saved-jobs.ts'],
  ['saved-jobs', 'savedJobs.mjs'],
  ['saved-jobs', 'saved-jobs.test.ts'],
  ['saved-jobs', 'saved-jobs/index.js'],
  ['saved-jobs/index', 'saved-jobs.ts'],
  ['index', 'index.js'],
])('new endpoint %s beside %s → refused, the file stays', async (name, file) => {
  const root = writeTree({ [file]: 'mine' })
  const { code, err } = await make('endpoint', name, '--prefix', root)
  expect([code, err.replaceAll(`${root}/`, '')]).toEqual([
    1,
    `waybill: ${file} exists: choose another name, or edit it\n`,
  ])
  expect(read(root, file)).toBe('mine')
})

test('new endpoint: no directory of endpoints → refused', async () => {
  const prefix = join(temporaryDirectory(), 'none')
  const { code, err } = await make('endpoint', 'jobs', '--prefix', prefix)
  expect([code, err]).toEqual([
    1,
    `waybill: there is no directory ${prefix} here: change to a project, make one with waybill new DIR, or give --prefix DIR\n`,
  ])
  expect(existsSync(prefix)).toBe(false)
})
