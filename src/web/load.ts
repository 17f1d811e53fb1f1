/** Finds and imports the files of a tree. Runs at start and under --watch, never for a request. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Imports one file and returns the namespace object of its exports. */
export type LoadModule = (file: string) => Promise<Readonly<Record<string, unknown>>>

export const importFile: LoadModule = async (file) => {
  const module: Record<string, unknown> = await import(pathToFileURL(file).href)
  const { default: exports, ...named } = module
  // In a CommonJS file `default` has all exports. TypeScript outside an ES module package loads as CommonJS.
  return typeof exports === 'object' ? { ...named, ...exports } : module
}

const SOURCE_FILE = /\.(?:ts|mts|js|mjs)$/
/** Files with an ending that this package does not load, which a project may mean as endpoints. */
const UNREAD_FILE = /\.(?:tsx|jsx|cts|cjs)$/
/** Names that are no modules. RFC 8615 reserves `.well-known`. */
const IGNORED = /^_|^\.(?!well-known$)|\.d\.m?ts$|\.(?:test|spec|bench|stories|config)\.|^node_modules$/

export interface Folder {
  readonly path: string
  /** Files by module name; more than one is an error. The name `index` stands for the folder itself. */
  readonly files: ReadonlyMap<string, readonly string[]>
  readonly folders: ReadonlyMap<string, Folder>
  readonly rules: string | null
  /** Names of files with an ending that is not loaded. */
  readonly unread: readonly string[]
}

/** Lists the modules of a directory and of its subdirectories. Omits directories without modules. */
export async function readFolder(path: string): Promise<Folder> {
  const files = new Map<string, string[]>()
  const folders = new Map<string, Folder>()
  const unread: string[] = []
  const entries = await readdir(path, { withFileTypes: true })
  const rules = fileNamed(
    '_folder',
    path,
    entries.map(({ name }) => name),
  )
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = join(path, entry.name)
    if (IGNORED.test(entry.name)) continue
    // A dangling link counts as a file, so that loading the module reports it.
    const target = entry.isSymbolicLink() ? await stat(inside).catch(() => entry) : entry
    if (target.isDirectory()) {
      const folder = await readFolder(inside)
      if (folder.files.size + folder.folders.size + folder.unread.length > 0) folders.set(entry.name, folder)
    } else if (UNREAD_FILE.test(entry.name)) {
      unread.push(entry.name)
    } else if (SOURCE_FILE.test(entry.name)) {
      const name = entry.name.replace(SOURCE_FILE, '')
      files.set(name, [...(files.get(name) ?? []), inside])
    }
  }
  return { path, files, folders, rules, unread }
}

export async function servicesFile(path: string): Promise<string | null> {
  return fileNamed('_services', path, await readdir(path))
}

function fileNamed(module: string, folder: string, names: readonly string[]): string | null {
  const name = names.find((name) => SOURCE_FILE.test(name) && name.replace(SOURCE_FILE, '') === module)
  return name === undefined ? null : join(folder, name)
}

/**
 * Returns whether an export of a module is imported or re-exported from another module. Such a class has no path.
 *
 * @param source the module's text, JavaScript or TypeScript
 */
export function isImported(source: string, exported: string, className: string): boolean {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
  const alias = new RegExp(`([\\w$]+)\\s+as\\s+${escapeDollar(exported)}\\s*[,}]`).exec(code)?.[1]
  const declares = (name: string): boolean =>
    new RegExp(`\\b(?:class|const|let|var|function)\\s+${escapeDollar(name)}(?![\\w$])`).test(code)
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

const escapeDollar = (name: string): string => name.replaceAll('$', '\\$')

/** Describes why a file cannot be loaded, with the stack lines that lie outside Node and node_modules. */
export function loadProblem(file: string, error: unknown): string {
  if (!(error instanceof Error)) return `${file}: cannot be loaded: ${String(error)}`
  const own = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !/node:|node_modules/.test(line))
  return [`${file}: cannot be loaded: ${error.message}`, ...own].join('\n')
}
