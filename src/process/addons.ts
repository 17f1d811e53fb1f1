/**
 * Detects a native add-on of this package that cannot be loaded, or would abort the process. Knows no module that uses
 * an add-on.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { PermanentStartError } from './start-error.ts'

/** Packages with native code, which is built for one version of Node or one platform. */
const ADDONS = ['better-sqlite3', 'bcrypt'] as const

/** Error texts of Node, and of the loaders `bindings` and `node-gyp-build`, by problem. */
const PROBLEMS: readonly (readonly [text: RegExp, what: string])[] = [
  [/NODE_MODULE_VERSION/, 'was built for another version of Node'],
  [/Could not locate the bindings file|No native build was found/, 'has no native code for this machine'],
  [/invalid ELF header|wrong architecture|not a valid Win32/, 'was built for another kind of machine'],
]

/**
 * Returns one sentence with the problem and what to do, if an error or its cause reports that an add-on cannot be
 * loaded. Returns null for any other error.
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

/**
 * Function that add-ons compiled with the headers of Node 24.19, 26.4 and later call when one of their objects is
 * collected.
 */
const CALL = 'RemoveEnvironmentCleanupHook'

/**
 * Refuses a better-sqlite3 with which this Node aborts at some garbage collection (nodejs/node issues 65446 and 65262).
 * Only the headers of its compilation matter, so prebuilt code is good. A trial would not tell, because an explicitly
 * requested collection does not abort.
 *
 * @throws {PermanentStartError}
 */
export function refuseAbortingAddon(): void {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (major !== 24 && !(major === 26 && minor < 4)) return
  const root = installationOf('better-sqlite3')
  if (!callsHook(join(root, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'))) return
  throw new PermanentStartError(
    `better-sqlite3 was compiled with headers that make it abort Node ${node} (nodejs/node issue 65446): install Node 20, or Node 26.4 or later, run "npm rebuild" in ${root}, then start again`,
  )
}

function callsHook(file: string): boolean {
  try {
    return readFileSync(file).includes(CALL)
  } catch {
    // An add-on in another place cannot be judged. A missing add-on has its own error.
    return false
  }
}

/** Returns the directory whose `node_modules` has a package. */
function installationOf(name: string): string {
  const { resolve } = createRequire(import.meta.url)
  return join(dirname(resolve(`${name}/package.json`)), '../..')
}
