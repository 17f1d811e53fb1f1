/** A native add-on that this Node cannot load: one sentence with the cure instead of a stack. */
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
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
