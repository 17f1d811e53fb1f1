/** Builds the admin page. The global setup builds it only if there is no build, because `npm install` creates one. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const PROJECT = join(import.meta.dirname, '../..')
const PAGE = join(PROJECT, 'dist/ui/index.html')
const VITE = join(PROJECT, 'node_modules/vite/bin/vite.js')
const SOURCES = ['src/ui', 'src/client', 'package-lock.json']

export async function setup(): Promise<void> {
  if (!existsSync(PAGE)) await buildPage()
}

/** Builds the page if its source is newer than its build, so that no test uses an old page. */
export async function buildPage(): Promise<void> {
  const newest = Math.max(...SOURCES.map((path) => changedMs(join(PROJECT, path))))
  if (existsSync(PAGE) && statSync(PAGE).mtimeMs > newest) return
  // NODE_ENV of the test runner would make a development build: larger, and with paths of this machine in it.
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)(process.execPath, [VITE, 'build', 'src/ui'], { cwd: PROJECT, env })
}

function changedMs(path: string): number {
  const within = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
  return Math.max(statSync(path).mtimeMs, ...within.map((name) => statSync(join(path, name)).mtimeMs))
}
