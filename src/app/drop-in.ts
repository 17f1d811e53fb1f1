/** Lets endpoint files in any directory use TypeScript and import 'waybill', without an installed package. */
import { createRequire, Module, register } from 'node:module'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LoadModule } from '../web/load.ts'

const EXTENSION = extname(import.meta.url)
/** URL of the running copy of the package: src/index.ts in a clone, dist/src/index.js in an installation. */
const SELF = new URL(`../index${EXTENSION}`, import.meta.url)
/** Directory of the running copy, with a separator at its end. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))

const RESOLVE_HOOK = `
let self
export function initialize(url) { self = url }
export function resolve(specifier, context, next) {
  return next(specifier === 'waybill' ? self : specifier, context)
}`

/** Installs the loaders. Call it once, before the first endpoint file is loaded. */
export async function allowDropIns(): Promise<void> {
  // When this file runs as TypeScript, its loader loads endpoint files too.
  if (EXTENSION === '.js') await registerTypeScript()
  register(`data:text/javascript,${encodeURIComponent(RESOLVE_HOOK)}`, { data: SELF.href })
  // An `import` in a .ts file outside an ES module package becomes `require`, which the hook does not see.
  const resolveFilename = modules._resolveFilename
  modules._resolveFilename = function (request, ...rest) {
    return request === 'waybill' ? fileURLToPath(SELF) : resolveFilename.call(this, request, ...rest)
  }
}

/** Parts of Node's CommonJS loader that loaders such as tsx replace. */
const modules = Module as unknown as {
  _resolveFilename: (request: string, ...rest: unknown[]) => string
  readonly _extensions: Record<'.js', (module: object, file: string) => void>
}

/**
 * Registers tsx for all files except this package's own, which Node loads itself. For `require`, tsx creates a second,
 * transformed copy of an ES module. Stack traces of the first copy then show the lines of the second.
 */
async function registerTypeScript(): Promise<void> {
  const [esm, cjs] = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')])
  const { _extensions: extensions } = modules
  const loadByNode = extensions['.js']
  esm.register()
  cjs.register()
  const loadByTsx = extensions['.js']
  extensions['.js'] = (module, file) => (file.startsWith(PACKAGE) ? loadByNode : loadByTsx)(module, file)
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
  load: async (file) => createRequire(file)(file),
  refresh(directory) {
    const { cache } = createRequire(import.meta.url)
    for (const file of Object.keys(cache)) {
      if (file.startsWith(join(directory, '/')) && !file.includes('/node_modules/')) delete cache[file]
    }
  },
}
