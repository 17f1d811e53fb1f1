/** Reads and checks the prefix directories of an app. Opens no services. */
import { stat } from 'node:fs/promises'
import { checkAuthenticators } from './access.ts'
import { infoProblem } from './api-info.ts'
import { checkDocs } from './endpoint-docs.ts'
import { TreeError } from './handler.ts'
import { importFile, type LoadModule, loadProblem, servicesFile } from './load.ts'
import { mergeTrees } from './merge.ts'
import type { FolderRules } from './rules.ts'
import { Prefix, type ServicesModule, Site } from './site.ts'
import { loadTree, routes } from './tree.ts'

/**
 * Reads every prefix and merges their trees.
 *
 * @param paths of the prefix directories, the first with the highest precedence
 * @param rules of some of the prefixes, by path. They act like a `_folder` file around the prefix
 * @throws {TreeError} that lists the problems of all prefixes
 *
 * @example
 * ```ts
 * const site = await readSite(['api', 'more'])
 * const app = new App({ site, bodyLimit: 262_144, log: console })
 * ```
 */
export async function readSite(
  paths: readonly string[],
  load: LoadModule = importFile,
  rules: ReadonlyMap<string, FolderRules> = new Map(),
): Promise<Site> {
  const prefixes: Prefix[] = []
  const problems: string[] = []
  for (const path of paths) {
    try {
      prefixes.push(await readPrefix(path, load, rules.get(path) ?? null))
    } catch (error) {
      if (!(error instanceof TreeError)) throw error
      problems.push(error.message)
    }
  }
  if (problems.length > 0) throw new TreeError(problems)
  checkPrefixes(prefixes)
  return new Site(prefixes, mergeTrees(prefixes))
}

/**
 * Reads one prefix: its modules, and its `_services` file.
 *
 * @param rules of the whole prefix, besides its own; null without any
 * @throws {TreeError} that lists all problems of the directory
 */
export async function readPrefix(path: string, load: LoadModule, rules: FolderRules | null): Promise<Prefix> {
  const stats = await stat(path).catch(() => null)
  if (!stats?.isDirectory())
    throw new TreeError([`${path}: no such directory. Give --prefix a directory of endpoint files`])
  const file = await servicesFile(path)
  const [module, tree] = await Promise.allSettled([
    file === null ? {} : readServicesModule(file, load),
    loadTree(path, load, rules),
  ])
  if (module.status === 'fulfilled' && tree.status === 'fulfilled') {
    const { root, warnings, directories } = tree.value
    // A prefix may consist of services only, for the classes of other prefixes.
    const isEmpty = file === null && warnings.length === 0 && routes(root).next().done
    const text = `${path}: no file in this directory exports an endpoint, a class that extends Endpoint`
    return new Prefix({
      path,
      rules,
      tree: root,
      warnings: isEmpty ? [{ file: path, ignoredClass: null, text }] : warnings,
      directories,
      servicesFile: file,
      module: module.value,
    })
  }
  const failures = [module, tree].flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  for (const failure of failures) if (!(failure instanceof TreeError)) throw failure
  throw new TreeError(failures.map(({ message }) => message))
}

/**
 * Checks the prefixes together.
 *
 * @throws {TreeError} for problems that concern several prefixes
 */
export function checkPrefixes(prefixes: readonly Prefix[]): void {
  checkAuthenticators(prefixes)
  checkDocs(prefixes)
}

async function readServicesModule(file: string, load: LoadModule): Promise<ServicesModule> {
  let exports: Readonly<Record<string, unknown>>
  try {
    exports = await load(file)
  } catch (error) {
    throw new TreeError([loadProblem(file, error)])
  }
  const wrong = ['open', 'drain', 'close', 'authenticate', 'socket'].filter(
    (name) => exports[name] !== undefined && typeof exports[name] !== 'function',
  )
  const problems = wrong.map((name) => `${file}: ${name} must be a function`)
  const wrongInfo = 'info' in exports ? infoProblem(exports.info) : null
  if (wrongInfo !== null) problems.push(`${file}: ${wrongInfo}`)
  if (exports.shared !== undefined && !isListOfNames(exports.shared))
    problems.push(`${file}: shared must be a list of names, like ['db']`)
  if (exports.bareErrors !== undefined && !isListOfStatuses(exports.bareErrors))
    problems.push(`${file}: bareErrors must be a list of statuses, like [401, 403]`)
  if (problems.length > 0) throw new TreeError(problems)
  return exports
}

function isListOfStatuses(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.every((status) => Number.isInteger(status) && status >= 400 && status <= 599)
  )
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}
