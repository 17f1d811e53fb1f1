/** Lets endpoint files in any directory use TypeScript and import this package by its name, without an installation. */
import { existsSync, readdirSync } from 'node:fs'
import { createRequire, Module, register } from 'node:module'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LoadModule } from '../web/load.ts'
import { nearestPackage } from './package-info.ts'

const EXTENSION = extname(import.meta.url)
/** Directory of the running copy, with a separator at its end. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))

const RESOLVE_HOOK = `
let own
export function initialize(given) { own = given }
export function resolve(specifier, context, next) {
  return next(specifier === own.name ? own.url : specifier, context)
}`

/**
 * Installs the loaders. Call it once, before the first endpoint file is loaded.
 *
 * @param name of this package, as endpoint files import it
 * @param entry module of the package without its extension, relative to `src`
 * @param prefixes directories of endpoint files; one that does not exist is ignored
 */
export async function allowDropIns(name: string, entry: string, prefixes: readonly string[]): Promise<void> {
  if (prefixes.some(needsTsx)) await allowTypeScript()
  const url = new URL(`../${entry}${EXTENSION}`, import.meta.url)
  register(`data:text/javascript,${encodeURIComponent(RESOLVE_HOOK)}`, { data: { name, url: url.href } })
  // An `import` in a .ts file outside an ES module package becomes `require`, which the hook does not see.
  const resolveFilename = modules._resolveFilename
  modules._resolveFilename = function (request, ...rest) {
    return request === name ? fileURLToPath(url) : resolveFilename.call(this, request, ...rest)
  }
}

/** Parts of Node's CommonJS loader that loaders such as tsx replace. */
const modules = Module as unknown as {
  _resolveFilename: (request: string, ...rest: unknown[]) => string
  readonly _extensions: Record<'.js', (module: object, file: string) => void>
}

/**
 * Returns whether Node cannot load all files of a directory itself: TypeScript, and JavaScript that may be an ES module
 * without saying so. A built project needs no loader, which takes 31 MB of memory.
 */
function needsTsx(directory: string): boolean {
  if (!existsSync(directory)) return false
  const isModule = nearestPackage(directory).type === 'module'
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).some(
    (name) => (/\.m?ts$/.test(name) && !/\.d\.m?ts$/.test(name)) || (!isModule && name.endsWith('.js')),
  )
}

let allowed: Promise<void> | null = null

/** Lets Node load TypeScript. @throws {Error} that says what to install */
function allowTypeScript(): Promise<void> {
  allowed ??= registerTypeScript()
  return allowed
}

/**
 * Registers tsx for all files except this package's own, which Node loads itself. For `require`, tsx creates a second,
 * transformed copy of an ES module. Stack traces of the first copy then show the lines of the second.
 */
async function registerTypeScript(): Promise<void> {
  // When this file runs as TypeScript, its loader loads endpoint files too.
  if (EXTENSION === '.ts') return
  const loaders = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')]).catch(withoutTsx)
  if (loaders === null) return
  const [esm, cjs] = loaders
  const { _extensions: extensions } = modules
  const loadByNode = extensions['.js']
  esm.register()
  cjs.register()
  const loadByTsx = extensions['.js']
  extensions['.js'] = (module, file) => (file.startsWith(PACKAGE) ? loadByNode : loadByTsx)(module, file)
}

/** Returns null where Node loads TypeScript itself, by removing the types. */
function withoutTsx(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  if ('typescript' in process.features && process.features.typescript) return null
  throw new Error('this Node does not load TypeScript. Run "npm install tsx", or use Node 22.18 or later')
}

export interface Reloader {
  readonly load: LoadModule
  /** Forgets the files loaded from a directory. */
  readonly refresh: (directory: string) => void
}

/**
 * Loads files as CommonJS, because Node never forgets an ES module and --watch would leak every old version. Files
 * therefore cannot use top-level `await`. Needs {@link allowDropIns}.
 */
export const reloader: Reloader = {
  // Each file has its own root, because a module keeps the files that it required in its list of children.
  load: async (file) => {
    await allowTypeScript()
    return createRequire(file)(file)
  },
  refresh(directory) {
    const { cache } = createRequire(import.meta.url)
    for (const file of Object.keys(cache)) {
      if (file.startsWith(join(directory, '/')) && !file.includes('/node_modules/')) delete cache[file]
    }
  },
}
