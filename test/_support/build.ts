/**
 * Global setup of the system tier. Builds the admin page if its source is newer than its build, and the package in the
 * layout that its users install: compiled, beside its package.json. Processes that the tests start run that build.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { buildPage } from './build-page.ts'
import './provided.ts'

const PROJECT = join(import.meta.dirname, '../..')
/** Skips the check of types, which `npm run types` does. */
const TSC = [join(PROJECT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--noCheck']
export async function setup(project: TestProject): Promise<() => void> {
  // Not into `dist`, from which a program may be running.
  const root = mkdtempSync(join(tmpdir(), 'waybill-package-'))
  await buildPage()
  await buildPackage(root)
  project.provide('program', [join(root, 'dist/bin/waybill.js')])
  return () => rmSync(root, { recursive: true, force: true })
}

async function buildPackage(root: string): Promise<void> {
  const [build, dist] = [join(root, 'build'), join(root, 'dist')]
  copyFileSync(join(PROJECT, 'package.json'), join(root, 'package.json'))
  symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'))
  await node([...TSC, '--outDir', build])
  await node(['tools/make-dist.mjs', build, dist])
  cpSync(join(PROJECT, 'dist/ui'), join(dist, 'ui'), { recursive: true })
}

async function node(args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, args, { cwd: PROJECT })
}
