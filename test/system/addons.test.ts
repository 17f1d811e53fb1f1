/** A native add-on that this Node cannot load, or that would abort it: one sentence with the cure instead of a stack. */
import { appendFileSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { BUILT, type Ended, LOCAL, PROJECT, runCommand } from '../_support/server.ts'

const MODULES = join(PROJECT, 'node_modules')

/** Copies the built package beside links to all packages but one, of which it makes a copy without native code. */
function installation(name: string, add: (copy: string) => void): string {
  const root = temporaryDirectory()
  cpSync(dirname(dirname(BUILT[0] as string)), join(root, 'dist'), { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"type":"module","version":"1.0.0"}')
  mkdirSync(join(root, 'node_modules'))
  for (const each of readdirSync(MODULES))
    if (each !== name) symlinkSync(join(MODULES, each), join(root, 'node_modules', each))
  const copy = join(root, 'node_modules', name)
  cpSync(join(MODULES, name), copy, { recursive: true })
  for (const directory of ['build', 'prebuilds'])
    rmSync(join(copy, directory), { recursive: true, force: true })
  add(copy)
  return root
}

const start = (root: string): Promise<Ended> =>
  runCommand({ args: LOCAL, program: [join(root, 'dist/bin/waybill.js')] })

const says = (root: string, problem: string): Ended => ({
  code: 78,
  signal: null,
  stdout: '',
  stderr: `waybill: ${problem} (this is Node ${process.versions.node}): run "npm rebuild" in ${root}, then start again\n`,
})

test('better-sqlite3: built for another Node → npm rebuild', async () => {
  const root = installation('better-sqlite3', (copy) => {
    // Throws the error of Node 20 for an add-on of Node 22, which would have to be compiled.
    writeFileSync(
      join(copy, 'lib/database.js'),
      `module.exports = function Database() {
  const text = "The module '" + __dirname + "/build/Release/better_sqlite3.node'\\nwas compiled against a different Node.js version using\\nNODE_MODULE_VERSION 127. This version of Node.js requires\\nNODE_MODULE_VERSION 115. Please try re-compiling or re-installing\\nthe module (for instance, using \`npm rebuild\` or \`npm install\`)."
  throw Object.assign(new Error(text), { code: 'ERR_DLOPEN_FAILED' })
}`,
    )
  })
  expect(await start(root)).toEqual(says(root, 'better-sqlite3 was built for another version of Node'))
})

test('better-sqlite3: not built, as after npm install --ignore-scripts → npm rebuild', async () => {
  const root = installation('better-sqlite3', () => {})
  expect(await start(root)).toEqual(says(root, 'better-sqlite3 has no native code for this machine'))
})

test('bcrypt: no native code → npm rebuild', async () => {
  const root = installation('bcrypt', () => {})
  expect(await start(root)).toEqual(says(root, 'bcrypt has no native code for this machine'))
})

describe('better-sqlite3 that was compiled with the headers of Node 24.19', () => {
  const root = installation('better-sqlite3', (copy) => {
    cpSync(join(MODULES, 'better-sqlite3/build/Release'), join(copy, 'build/Release'), { recursive: true })
    // Native code of those headers has the name of this function, wherever it stands.
    appendFileSync(join(copy, 'build/Release/better_sqlite3.node'), 'RemoveEnvironmentCleanupHook')
  })
  /** Runs a command while Node calls itself another version. */
  const run = (node: string, ...args: string[]): Promise<Ended> => {
    const disguise = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } })`
    const url = `data:text/javascript,${encodeURIComponent(disguise)}`
    return runCommand({ args, program: ['--import', url, join(root, 'dist/bin/waybill.js')] })
  }

  test.each(['24.18.1', '24.19.0', '24.21.0', '26.3.1'])('Node %s → exit 78 with the cure', async (node) => {
    const refused = {
      ...{ code: 78, signal: null, stdout: '' },
      stderr: `waybill: better-sqlite3 was compiled with headers that make it abort Node ${node} (nodejs/node issue 65446): install Node 20, or Node 26.4 or later, run "npm rebuild" in ${root}, then start again\n`,
    }
    expect(await run(node, ...LOCAL)).toEqual(refused)
    expect(await run(node, 'db', 'check')).toEqual(refused)
  })

  test.each(['20.19.0', '22.23.3', '26.4.0'])('Node %s → used', async (node) => {
    const { code, stderr } = await run(node, 'db', 'check')
    expect([code, stderr]).toEqual([1, expect.stringContaining('waybill.db')])
  })
})
