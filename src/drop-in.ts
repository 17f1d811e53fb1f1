/** Lets endpoint files in any directory be TypeScript and `import … from 'waybill'`, though no package is installed there. */
import { createRequire, Module, register } from 'node:module'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Load } from './web/load.ts'

/** src/index.ts when a clone runs, dist/src/index.js when the package does: the copy that is running. */
const SELF = new URL(`./index${extname(import.meta.url)}`, import.meta.url)

const RESOLVE_HOOK = `
let self
export function initialize(url) { self = url }
export function resolve(specifier, context, next) {
  return specifier === 'waybill' ? { url: self, shortCircuit: true } : next(specifier, context)
}`

/** To be called once, before the first such file is imported. */
export async function allowDropIns(): Promise<void> {
  // When this file runs as TypeScript, whatever loaded it loads endpoint files too.
  if (extname(import.meta.url) === '.js') (await import('tsx/esm/api')).register()
  register(`data:text/javascript,${encodeURIComponent(RESOLVE_HOOK)}`, { data: SELF.href })
}

/**
 * A loader that reads files anew at each `refresh` and lets go of what it loaded before. Node never forgets an ES
 * module, so these are loaded as CommonJS: no top-level `await` under --watch.
 */
export async function reloadable(): Promise<{ load: Load; refresh(directory: string): void }> {
  ;(await import('tsx/cjs/api')).register()
  const modules = Module as unknown as { _resolveFilename: (request: string, ...rest: unknown[]) => string }
  const resolveFilename = modules._resolveFilename
  modules._resolveFilename = function (request, ...rest) {
    return request === 'waybill' ? fileURLToPath(SELF) : resolveFilename.call(this, request, ...rest)
  }
  return {
    // A new root for each file: a module is also held by the list of children of whoever required it.
    load: async (file) => createRequire(file)(file),
    refresh(directory) {
      const { cache } = createRequire(import.meta.url)
      for (const file of Object.keys(cache)) {
        if (file.startsWith(join(directory, '/')) && !file.includes('/node_modules/')) delete cache[file]
      }
    },
  }
}
