/** The package as its users have it: compiled, beside its package.json, in a directory of its own. */
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryDirectory } from './cleanup.ts'
import { PROJECT } from './server.ts'

/** Types are checked by a command of their own; here they would only cost time. */
const TSC = [join(PROJECT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--noCheck']

/**
 * Not into `dist`: test files run side by side, and each build begins with an empty directory.
 *
 * @returns what node runs, for `program`
 */
export async function buildPackage(): Promise<readonly string[]> {
  const root = temporaryDirectory()
  const dist = join(root, 'dist')
  for (const step of [
    [...TSC, '--outDir', dist],
    ['tools/copy-assets.mjs', dist],
  ]) {
    await promisify(execFile)(process.execPath, step, { cwd: PROJECT })
  }
  cpSync(join(PROJECT, 'dist/ui'), join(dist, 'ui'), { recursive: true })
  copyFileSync(join(PROJECT, 'package.json'), join(root, 'package.json'))
  symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'))
  return [join(root, 'dist/bin/waybill.js')]
}
