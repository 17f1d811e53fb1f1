/** Lets endpoint files in any directory be TypeScript and `import … from 'waybill'`, though no package is installed there. */
import { createRequire, Module, register } from 'node:module'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LoadModule } from '../web/load.ts'

const EXTENSION = extname(import.meta.url)
/** src/index.ts when a clone runs, dist/src/index.js when the package does: the copy that is running. */
const SELF = new URL(`../index${EXTENSION}`, import.meta.url)

const RESOLVE_HOOK = `
let self
export function initialize(url) { self = url }
export function resolve(specifier, context, next) {
  return next(specifier === 'waybill' ? self : specifier, context)
}`

/** Makes both work. Call it once, before the first such file is loaded. */
export async function allowDropIns(): Promise<void> {
  // When this file runs as TypeScript, its loader loads endpoint files too.
  if (EXTENSION === '.js') {
    const [esm, cjs] = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')])
    esm.register()
    cjs.register()
  }
  register(`data:text/javascript,${encodeURIComponent(RESOLVE_HOOK)}`, { data: SELF.href })
  // The hook does not see `require`, which is what an `import` becomes in a .ts file outside of any ES module package.
  const modules = Module as unknown as { _resolveFilename: (request: string, ...rest: unknown[]) => string }
  const resolveFilename = modules._resolveFilename
  modules._resolveFilename = function (request, ...rest) {
    return request === 'waybill' ? fileURLToPath(SELF) : resolveFilename.call(this, request, ...rest)
  }
}

/** Loads files anew after each `refresh`. */
export interface Reloader {
  readonly load: LoadModule
  /** Lets go of what was loaded from below a directory. */
  readonly refresh: (directory: string) => void
}

/**
 * Node never forgets an ES module, so that --watch would leak every old version: here files are loaded as CommonJS.
 * Needs {@link allowDropIns}. No top-level `await` in such files.
 */
export const reloader: Reloader = {
  // A new root for each file: the module that required a file holds it too, in its list of children.
  load: async (file) => createRequire(file)(file),
  refresh(directory) {
    const { cache } = createRequire(import.meta.url)
    for (const file of Object.keys(cache)) {
      if (file.startsWith(join(directory, '/')) && !file.includes('/node_modules/')) delete cache[file]
    }
  },
}
