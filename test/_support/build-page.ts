/** Builds the admin page. As a global setup: only where it was never built, since `npm install` builds it. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const PROJECT = join(import.meta.dirname, '../..')
const PAGE = join(PROJECT, 'dist/ui/index.html')
const VITE = join(PROJECT, 'node_modules/vite/bin/vite.js')
/** All that goes into the page. */
const SOURCES = ['src/ui', 'src/client', 'package-lock.json']

export async function setup(): Promise<void> {
  if (!existsSync(PAGE)) await buildPage()
}

/** Builds the page where its build is older than its source, so that no test looks at an old page. */
export async function buildPage(): Promise<void> {
  const newest = Math.max(...SOURCES.map((path) => changedMs(join(PROJECT, path))))
  if (existsSync(PAGE) && statSync(PAGE).mtimeMs > newest) return
  // The test runner's own would make it a build for developers: larger, and with their paths in it.
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)(process.execPath, [VITE, 'build', 'src/ui'], { cwd: PROJECT, env })
}

function changedMs(path: string): number {
  const within = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
  return Math.max(statSync(path).mtimeMs, ...within.map((name) => statSync(join(path, name)).mtimeMs))
}
