/** Lets endpoint files in any directory use TypeScript and import this package by its name, without an installation. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire, Module, register } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importFile, type LoadModule } from '../web/load.ts'
import { isInside } from '../web/read-files.ts'
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

/** Name of this package, as endpoint files import it, and URL of its entry module. */
interface OwnName {
  readonly name: string
  readonly url: string
}

let own: OwnName | null = null
let isHooked = false

/**
 * Lets endpoint files import this package by its name. Call it once, before the first endpoint file is loaded.
 *
 * @param name of this package, as endpoint files import it
 * @param entry module of the package without its extension, relative to `src`
 */
export function allowDropIns(name: string, entry: string): void {
  const { href } = new URL(`../${entry}${EXTENSION}`, import.meta.url)
  own = { name, url: href }
  // An `import` in a .ts file outside an ES module package becomes `require`, which the hook does not see.
  const resolveFilename = modules._resolveFilename
  modules._resolveFilename = function (request, ...rest) {
    return request === name ? fileURLToPath(href) : resolveFilename.call(this, request, ...rest)
  }
}

/** Hooks the name of this package, unless Node finds the package from the file. A hook is a thread of 9 MB. */
function allowName(file: string): void {
  if (isHooked || own === null || findsPackage(file, own.name)) return
  isHooked = true
  register(`data:text/javascript,${encodeURIComponent(RESOLVE_HOOK)}`, { data: own })
}

/** Returns whether an import of this package in a file leads to the running copy. */
function findsPackage(file: string, name: string): boolean {
  const above = createRequire(realPathOf(file)).resolve.paths(name) ?? []
  const installed = above.map((directory) => join(directory, name)).find((path) => existsSync(path))
  return installed !== undefined && isInside(PACKAGE, realpathSync(installed))
}

/** Returns a path without links. A path that does not exist is unchanged, and is reported when it is read. */
export function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

/** Parts of Node's CommonJS loader that loaders such as tsx replace. */
const modules = Module as unknown as {
  _resolveFilename: (request: string, ...rest: unknown[]) => string
  readonly _extensions: Record<'.js', (module: object, file: string) => void>
}

const TYPESCRIPT_FILE = /\.m?ts$/

/** Loads an endpoint file once. Needs {@link allowDropIns}. */
export const loadOnce: LoadModule = async (file) => {
  allowName(file)
  // A project of JavaScript needs no loader, which takes 31 MB of memory.
  if (TYPESCRIPT_FILE.test(file)) await allowTypeScript(file)
  // Without tsx, Node itself says that the file needs `"type": "module"`.
  else if (isModuleAsCommonJs(file)) await allowTypeScript(file).catch(() => {})
  return importFile(file)
}

/** Returns whether Node 20 takes a file for CommonJS, because of its package.json, although it is an ES module. */
function isModuleAsCommonJs(file: string): boolean {
  if (!file.endsWith('.js') || !existsSync(file) || nearestPackage(dirname(file)).type === 'module')
    return false
  return /^\s*(?:import|export)\b/m.test(readFileSync(file, 'utf8'))
}

let allowed: Promise<void> | null = null

/**
 * Lets Node load TypeScript, with the `paths` of the tsconfig.json nearest to the first file.
 *
 * @throws {Error} that says what to install
 */
function allowTypeScript(first: string): Promise<void> {
  allowed ??= registerTypeScript(first)
  return allowed
}

/**
 * Registers tsx for all files except this package's own, which Node loads itself. For `require`, tsx creates a second,
 * transformed copy of an ES module. Stack traces of the first copy then show the lines of the second.
 */
async function registerTypeScript(first: string): Promise<void> {
  // When this file runs as TypeScript, its loader loads endpoint files too.
  if (EXTENSION === '.ts') return
  const loaders = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')]).catch(withoutTsx)
  if (loaders === null) return
  const [esm, cjs] = loaders
  const { _extensions: extensions } = modules
  const loadByNode = extensions['.js']
  // Without this, tsx takes the tsconfig.json of the working directory. `cjs.register` reads it from here alone.
  const { TSX_TSCONFIG_PATH: given } = process.env
  const tsconfig = given ?? tsconfigAbove(first)
  if (tsconfig !== undefined) process.env.TSX_TSCONFIG_PATH = tsconfig
  esm.register({ ...(tsconfig !== undefined && { tsconfig }) })
  cjs.register()
  if (given === undefined) delete process.env.TSX_TSCONFIG_PATH
  const loadByTsx = extensions['.js']
  extensions['.js'] = (module, file) => (file.startsWith(PACKAGE) ? loadByNode : loadByTsx)(module, file)
}

/** Returns the path of the tsconfig.json nearest to a file; undefined without one. */
function tsconfigAbove(file: string): string | undefined {
  const directory = dirname(file)
  if (directory === file) return undefined
  const found = join(directory, 'tsconfig.json')
  return existsSync(found) ? found : tsconfigAbove(directory)
}

/** Returns null where Node loads TypeScript itself, by removing the types. */
function withoutTsx(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  if ('typescript' in process.features && process.features.typescript) return null
  throw new Error('this Node does not load TypeScript. Run "npm install tsx", or use Node 22.18 or later')
}

export interface Reloader {
  readonly load: LoadModule
  /**
   * Forgets the files of a directory, the changed files, and all that import a forgotten one.
   *
   * @param changed real paths
   */
  readonly refresh: (directory: string, changed: ReadonlySet<string>) => void
  /** Returns the real paths of the files that were loaded from a path, or from a directory, and of all that they import. */
  readonly importsOf: (path: string) => ReadonlySet<string>
}

/** Module in the cache of `require`. Built-in modules and those of other loaders have no file name. */
interface CachedModule {
  readonly filename?: string | null
  readonly children: readonly CachedModule[]
}

const cache = createRequire(import.meta.url).cache as unknown as Record<string, CachedModule | undefined>

/** Real paths of the files that {@link reloader} loaded, by the path that was asked for. */
const loaded = new Map<string, string>()

/**
 * Loads files as CommonJS, because Node never forgets an ES module and --watch would leak every old version. Files
 * therefore cannot use top-level `await`. Needs {@link allowDropIns}.
 */
export const reloader: Reloader = {
  // Each file has its own root, because a module keeps the files that it required in its list of children.
  load: async (file) => {
    allowName(file)
    await allowTypeScript(file)
    loaded.set(file, realPathOf(file))
    try {
      return createRequire(file)(file)
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ERR_REQUIRE_ASYNC_MODULE'
        ? topLevelAwait(error)
        : error
    }
  },

  refresh(directory, changed) {
    const stale = new Set<CachedModule>()
    const isStale = (module: CachedModule): boolean => {
      const { filename, children } = module
      return (
        isOfProject(filename) &&
        (isInside(filename, directory) || changed.has(filename) || children.some((each) => stale.has(each)))
      )
    }
    // One round finds what imports the files that the round before found.
    for (let before = -1; before !== stale.size; ) {
      before = stale.size
      for (const module of Object.values(cache)) if (module && isStale(module)) stale.add(module)
    }
    for (const [file, module] of Object.entries(cache)) if (module && stale.has(module)) delete cache[file]
  },

  importsOf(path) {
    const found = new Set<string>()
    const add = (module: CachedModule | undefined): void => {
      if (!module || !isOfProject(module.filename) || found.has(module.filename)) return
      found.add(module.filename)
      for (const child of module.children) add(child)
    }
    for (const [file, real] of loaded) if (isInside(file, path)) add(cache[real])
    return found
  },
}

/** Returns whether a file is neither part of this package nor of an installed one. */
function isOfProject(file: string | null | undefined): file is string {
  return typeof file === 'string' && !file.includes('/node_modules/') && !isInside(file, join(PACKAGE, 'src'))
}

/** Returns the error for a file with top-level await. The message of tsx has its place. */
function topLevelAwait(error: unknown): Error {
  const [, place] = /^(.+:\d+):\d+: ERROR/m.exec((error as Error).message) ?? []
  return new Error(
    `${place === undefined ? '' : `${place}: `}--watch cannot load a file with top-level await. Move the await into open() of _services, or into a function`,
    { cause: error },
  )
}
