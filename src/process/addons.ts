/** Recognises that a native add-on of this package cannot be loaded. Knows no module that uses one. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Packages with native code, which is built for one version of Node or for one platform. */
const ADDONS = ['better-sqlite3', 'bcrypt'] as const

/** Texts of the errors of Node, and of the loaders `bindings` and `node-gyp-build`, by what is wrong. */
const PROBLEMS: readonly (readonly [text: RegExp, what: string])[] = [
  [/NODE_MODULE_VERSION/, 'was built for another version of Node'],
  [/Could not locate the bindings file|No native build was found/, 'has no native code for this machine'],
  [/invalid ELF header|wrong architecture|not a valid Win32/, 'was built for another kind of machine'],
]

/**
 * Returns one sentence with the problem and its cure, if an error, or an error that caused it, says that an add-on cannot
 * be loaded. Returns null for any other error.
 */
export function addonProblem(error: unknown): string | null {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) {
    const text = `${each.message}\n${each.stack}`
    const what = PROBLEMS.find(([pattern]) => pattern.test(each.message))?.[1]
    const name = ADDONS.find((addon) => text.includes(`${addon}/`))
    if (what === undefined || name === undefined) continue
    return `${name} ${what} (this is Node ${process.versions.node}): run "npm rebuild" in ${installationOf(name)}, then start again`
  }
  return null
}

/** Returns the directory in whose `node_modules` a package is. */
function installationOf(name: string): string {
  const { resolve } = createRequire(import.meta.url)
  return join(dirname(resolve(`${name}/package.json`)), '../..')
}
