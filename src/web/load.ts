/** How a tree's files are found and become modules. Runs at start and under --watch; a request never gets here. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Imports one file; the namespace object of its exports. */
export type Load = (file: string) => Promise<Readonly<Record<string, unknown>>>

export const importFile: Load = async (file) => {
  const module: Record<string, unknown> = await import(pathToFileURL(file).href)
  // CommonJS, and TypeScript outside of any ES module package, which loads as such: node finds only `default`.
  return typeof module.default === 'object' ? { ...module.default, ...module } : module
}

const CODE = /\.(?:ts|mts|js|mjs)$/
const IGNORED = /^[_.]|\.d\.m?ts$|\.test\.|^node_modules$/

/** A directory of handler modules, as it lies on disk. */
export interface Folder {
  readonly path: string
  /** Module name → its files; more than one is a clash. `index` is the folder itself. */
  readonly files: ReadonlyMap<string, readonly string[]>
  readonly folders: ReadonlyMap<string, Folder>
}

/** A directory's modules, all the way down; directories without any are left out. */
export async function readFolder(path: string): Promise<Folder> {
  const files = new Map<string, string[]>()
  const folders = new Map<string, Folder>()
  const entries = await readdir(path, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = join(path, entry.name)
    if (IGNORED.test(entry.name)) continue
    const target = entry.isSymbolicLink() ? await stat(inside) : entry
    if (target.isDirectory()) {
      const folder = await readFolder(inside)
      if (folder.files.size > 0 || folder.folders.size > 0) folders.set(entry.name, folder)
    } else if (CODE.test(entry.name)) {
      const name = entry.name.replace(CODE, '')
      files.set(name, [...(files.get(name) ?? []), inside])
    }
  }
  return { path, files, folders }
}

/** The file of a folder that brings services, `_services.ts` or the like; null when there is none. */
export async function servicesFile(path: string): Promise<string | null> {
  const names = await readdir(path)
  const name = names.find((name) => CODE.test(name) && name.replace(CODE, '') === '_services')
  return name === undefined ? null : join(path, name)
}

/**
 * Tells which exports of a module were not declared in it: what it imports, or exports from elsewhere. Such
 * names are not reachable.
 *
 * @param source the module's text, JavaScript or TypeScript
 */
export function isImported(source: string, exported: string, className: string): boolean {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
  const alias = new RegExp(`([\\w$]+)\\s+as\\s+${literal(exported)}\\s*[,}]`).exec(code)?.[1]
  const declares = (name: string): boolean =>
    new RegExp(`\\b(?:class|const|let|var|function)\\s+${literal(name)}(?![\\w$])`).test(code)
  if (declares(exported) || declares(className)) return false
  const clauses = [...code.matchAll(/\b(?:import|export)\b([^;'"]*)\bfrom\s*['"]/g)].map(
    (match) => match[1] as string,
  )
  const names = (clause: string): string[] => clause.split(/[\s{},]+/)
  return clauses.some(
    (clause) =>
      /\*(?!\s*as\b)/.test(clause) || names(clause).some((name) => name === exported || name === alias),
  )
}

const literal = (name: string): string => name.replaceAll('$', '\\$')

/** What went wrong in a file, with the lines of the stack that are about files of the user's own. */
export function loadProblem(file: string, error: unknown): string {
  if (!(error instanceof Error)) return `${file}: cannot be loaded: ${String(error)}`
  const own = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !/node:|node_modules/.test(line))
  return [`${file}: cannot be loaded: ${error.message}`, ...own].join('\n')
}
