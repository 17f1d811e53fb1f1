/** Creates trees of endpoint files for tests: written as text, read like any prefix, removed after the test. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../../src/process/log.ts'
import type { ApiInfo } from '../../src/web/api-info.ts'
import { App } from '../../src/web/app.ts'
import type { Every } from '../../src/web/every.ts'
import { Lifecycle } from '../../src/web/lifecycle.ts'
import { importFile, type LoadModule } from '../../src/web/load.ts'
import { readSite } from '../../src/web/read-site.ts'
import type { Site } from '../../src/web/site.ts'
import type { Observe } from '../../src/web/types.ts'
import { lastingDirectory, temporaryDirectory, whenDone } from './cleanup.ts'

/** Text of each file by its path below the prefix. */
export type Files = Readonly<Record<string, string>>

export interface LogLine {
  readonly level: keyof Log
  readonly fields: { readonly err?: unknown } & object
  readonly message: string
}

/** Log that keeps its lines. */
export type RecordingLog = Log & { readonly lines: readonly LogLine[] }

export interface TreeOptions {
  /** Context for `open` of each tree. The log is added to it. */
  readonly context?: object
  /** True if the modules keep no state, so that apps with the same files may have one copy of them. */
  readonly shared?: boolean
  readonly bodyLimit?: number
  readonly info?: ApiInfo
  readonly load?: LoadModule
  readonly now?: () => number
  readonly every?: Every
  readonly observers?: readonly Observe[]
  readonly problems?: boolean
}

/** Creates a directory with these files. A path that ends with a slash is an empty directory. */
export function writeTree(files: Files): string {
  return writeFiles(temporaryDirectory(), files)
}

function writeFiles(directory: string, files: Files): string {
  const root = realpathSync(directory)
  for (const [path, text] of Object.entries(files)) writeIn(root, path, text)
  return root
}

/** Directories of the trees whose modules keep no state, by their files. */
const sharedTrees = new Map<string, string>()

/** Returns a directory with these files, whose modules a worker imports once. */
function sharedTree(files: Files): string {
  const text = JSON.stringify(files)
  const root = sharedTrees.get(text) ?? writeFiles(lastingDirectory(), files)
  sharedTrees.set(text, root)
  return root
}

const imported = new Map<string, ReturnType<LoadModule>>()

/** Imports a file of a shared tree. Vitest asks its main process about each import, even of a loaded module. */
const importOnce: LoadModule = (file) => {
  const module = imported.get(file) ?? importFile(file)
  imported.set(file, module)
  return module
}

/** Writes one file of a tree, or a new version of it. */
export function writeIn(root: string, path: string, text: string): void {
  const file = join(root, path)
  if (path.endsWith('/')) {
    mkdirSync(file, { recursive: true })
    return
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Returns an endpoint file: `text` with imports of everything that the package exports for it. */
export function code(text: string): string {
  return `import { Choice, Endpoint, HttpError, Maybe, RawJson, RawJsonObject, Reply, Secret, Text, Type } from 'waybill'\n${text}`
}

/** Returns the problem that prevents the start of a tree, with `A` for its directory. */
export async function problemOf(files: Files): Promise<string> {
  const root = writeTree(files)
  const error: unknown = await readSite([root]).then(
    () => new Error('nothing is wrong'),
    (reason: unknown) => reason,
  )
  return (error as Error).message.replaceAll(root, 'A')
}

/** Returns a handler class whose GET answers with its label and the remaining path. */
export function answers(name: string, label = name): string {
  return `export class ${name} extends Endpoint { GET(...rest) { return [${JSON.stringify(label)}, ...rest] } }\n`
}

/** Imports the current version of a file, even if it was imported before. Its own imports are not repeated. */
export const readAgain: LoadModule = (file) => import(`${file}?version=${version++}`)
let version = 1

/** Returns an app over the given trees, one for each prefix, with their services open. */
export async function appOf(
  files: Files | readonly Files[],
  options: TreeOptions = {},
): Promise<{ app: App; site: Site; lifecycle: Lifecycle; log: RecordingLog }> {
  const log = recordingLog()
  const trees = Array.isArray(files) ? (files as readonly Files[]) : [files as Files]
  const {
    context = {},
    shared = false,
    load = shared ? importOnce : importFile,
    bodyLimit = 262_144,
    info,
    now,
    every,
    observers,
    problems,
  } = options
  const site = await readSite(trees.map(shared ? sharedTree : writeTree), load)
  const app = new App({ site, bodyLimit, log, info, now, every, observers, problems })
  const lifecycle = new Lifecycle(site, { log, describe: () => app.describe(), ...context }, log)
  await lifecycle.open()
  whenDone(() => lifecycle.close())
  return { app, site, lifecycle, log }
}

export function recordingLog(): RecordingLog {
  const lines: LogLine[] = []
  const at = (level: keyof Log) => (fields: object, message: string) => {
    lines.push({ level, fields, message })
  }
  return { lines, error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') }
}
