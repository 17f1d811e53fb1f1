/**
 * Global setup of the system tier: builds the admin page where its build is older than its source, and the package as its
 * users have it, compiled and beside its package.json. Processes that the tests start run that build.
 */
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import './provided.ts'

const PROJECT = join(import.meta.dirname, '../..')
const PAGE = join(PROJECT, 'dist/ui/index.html')
const VITE = join(PROJECT, 'node_modules/vite/bin/vite.js')
/** Types are checked by a command of their own; here they would only cost time. */
const TSC = [join(PROJECT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--noCheck']
/** All that goes into the page. */
const PAGE_SOURCES = ['src/ui', 'src/client', 'package-lock.json']

export async function setup(project: TestProject): Promise<() => void> {
  // Not into `dist`, which somebody may be running.
  const root = mkdtempSync(join(tmpdir(), 'waybill-package-'))
  await buildPage()
  await buildPackage(root)
  project.provide('program', [join(root, 'dist/bin/waybill.js')])
  return () => rmSync(root, { recursive: true, force: true })
}

async function buildPage(): Promise<void> {
  const newest = Math.max(...PAGE_SOURCES.map((path) => changedMs(join(PROJECT, path))))
  if (existsSync(PAGE) && statSync(PAGE).mtimeMs > newest) return
  // The test runner's own would make it a build for developers: larger, and with their paths in it.
  await node([VITE, 'build', 'src/ui'], { ...process.env, NODE_ENV: 'production' })
}

async function buildPackage(root: string): Promise<void> {
  const dist = join(root, 'dist')
  await node([...TSC, '--outDir', dist])
  await node(['tools/copy-assets.mjs', dist])
  cpSync(join(PROJECT, 'dist/ui'), join(dist, 'ui'), { recursive: true })
  copyFileSync(join(PROJECT, 'package.json'), join(root, 'package.json'))
  symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'))
}

async function node(args: string[], env = process.env): Promise<void> {
  await promisify(execFile)(process.execPath, args, { cwd: PROJECT, env })
}

function changedMs(path: string): number {
  const within = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
  return Math.max(statSync(path).mtimeMs, ...within.map((name) => statSync(join(path, name)).mtimeMs))
}
