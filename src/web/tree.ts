/** Reads a prefix directory into a tree of modules and handler classes. */
import { readFile } from 'node:fs/promises'
import { isEndpointClass } from './endpoint.ts'
import { readFolderRules } from './folder.ts'
import { type AddProblem, addHandler, type Handler, handlerOf, isReachable, TreeError } from './handler.ts'
import { type Folder, isImported, type LoadModule, loadProblem, readFolder } from './load.ts'
import { lookAlikes } from './look-alikes.ts'
import { kebab, segmentOf } from './names.ts'
import type { FolderRules } from './rules.ts'

/** Module of a tree: a file with its classes, and the modules below it. */
export interface Module {
  /** Null for a directory without index, which only forms a part of longer paths. */
  readonly file: string | null
  readonly modules: ReadonlyMap<string, Module>
  readonly classes: ReadonlyMap<string, Handler>
  /** Class `Default`. */
  readonly defaultHandler: Handler | null
}

/** Tree of a prefix directory, with a warning for each file or class in it that looks like an endpoint but is none. */
export interface LoadedTree {
  readonly root: Module
  readonly warnings: readonly string[]
}

/**
 * Reads and checks the tree of a prefix directory.
 *
 * @throws {TreeError} that lists every problem
 */
export async function loadTree(path: string, load: LoadModule): Promise<LoadedTree> {
  const problems: string[] = []
  const warnings: string[] = []
  const reader = {
    load,
    addProblem: (problem: string) => problems.push(problem),
    addWarning: (warning: string) => warnings.push(warning),
  }
  const root = await moduleOf(await readFolder(path), null, null, reader)
  if (problems.length > 0) throw new TreeError(problems)
  return { root, warnings }
}

/** What reading a tree needs and reports. */
interface Reader {
  readonly load: LoadModule
  readonly addProblem: AddProblem
  readonly addWarning: (warning: string) => void
}

async function moduleOf(
  folder: Folder | undefined,
  file: string | null,
  outer: FolderRules | null,
  reader: Reader,
): Promise<Module> {
  const { load, addProblem } = reader
  const rules = await readFolderRules(folder?.rules ?? null, outer, load, addProblem)
  const modules = new Map<string, Module>()
  const taken = new Map<string, string>()
  const indexes = folder?.files.get('index') ?? []
  const candidates = file === null ? indexes : [file, ...indexes]
  if (candidates.length > 1) addProblem(`${candidates.join(' and ')} are both the same module: keep one`)
  const names = new Set([...(folder?.files.keys() ?? []), ...(folder?.folders.keys() ?? [])])
  names.delete('index')
  for (const name of names) {
    const files = folder?.files.get(name) ?? []
    const inner = folder?.folders.get(name)
    const places = inner ? [...files, inner.path] : [...files]
    const other = taken.get(kebab(name))
    if (files.length > 1) addProblem(`${files.join(' and ')} are both module ${name}: keep one`)
    if (other) addProblem(`${places[0]} and ${other} both answer /${name}: rename one`)
    taken.set(kebab(name), places[0] as string)
    modules.set(kebab(name), await moduleOf(inner, files[0] ?? null, rules, reader))
  }
  const source = candidates[0] ?? null
  // A file beside a directory of the same name lies in the folder around both.
  const own = source === file ? outer : rules
  const { classes, defaultHandler } = await handlersOf(source, own, reader)
  for (const [segment, handler] of classes) {
    if (!modules.get(segment)?.file || handler.member > 0) continue
    addProblem(
      `${handler.file}: class ${handler.name} can never be reached, module ${taken.get(segment)} answers /${segmentOf(handler.name)}`,
    )
  }
  return { file: source, modules, classes, defaultHandler }
}

async function handlersOf(
  file: string | null,
  folder: FolderRules | null,
  { load, addProblem, addWarning }: Reader,
): Promise<Pick<Module, 'classes' | 'defaultHandler'>> {
  const classes = new Map<string, Handler>()
  let defaultHandler: Handler | null = null
  if (file === null) return { classes, defaultHandler }
  let exports: Awaited<ReturnType<LoadModule>>
  try {
    exports = await load(file)
  } catch (error) {
    addProblem(loadProblem(file, error))
    return { classes, defaultHandler }
  }
  const source = await readFile(file, 'utf8')
  for (const warning of lookAlikes(file, source, exports)) addWarning(warning)
  for (const [name, value] of Object.entries(exports)) {
    if (!isEndpointClass(value) || isImported(source, name, value.name as string)) continue
    if (name === 'Default') defaultHandler = handlerOf(value, name, file, folder, addProblem)
    else if (isReachable(name))
      addHandler(classes, handlerOf(value, name, file, folder, addProblem), name, addProblem)
  }
  return { classes, defaultHandler }
}

/** Path of a class, with the methods that it answers. */
export interface Route {
  readonly methods: readonly string[]
  readonly path: string
  /** Returns the path with the given positional arguments, each in the form `/{name}`. */
  readonly pathWith: (args: readonly string[]) => string
  readonly handler: Handler
}

/** Yields every class of a tree with its paths, spelled like the names of modules and classes. */
export function* routes(module: Module, path = ''): Generator<Route> {
  if (module.defaultHandler) yield* routesOf(module.defaultHandler, path, '')
  for (const handler of module.classes.values()) yield* routesOf(handler, path, `/${segmentOf(handler.name)}`)
  for (const [name, inner] of module.modules) yield* routes(inner, `${path}/${name}`)
}

function* routesOf(handler: Handler, outer: string, own: string): Generator<Route> {
  const byArguments = new Map<string, string[]>()
  const pathWith = (args: readonly string[]): string => pathOf(handler, outer, own, args) || '/'
  for (const [method, { signature }] of handler.verbs) {
    const args = signature.positionals.map(({ name, optional }) => (optional ? `[/{${name}}]` : `/{${name}}`))
    if (signature.rest !== null) args.push(`[/{${signature.rest}}…]`)
    const full = pathWith(args)
    byArguments.set(full, [...(byArguments.get(full) ?? []), method])
  }
  for (const [full, methods] of byArguments) yield { methods, path: full, pathWith, handler }
  for (const [key, inner] of handler.nested)
    yield* routesOf(inner, `${outer}${own}`, `/${segmentOf(inner.name.split('.').at(-1) ?? key)}`)
}

/** Returns the path of a class with its arguments. `member` of them come before the segment of the class. */
function pathOf({ member }: Handler, outer: string, own: string, args: readonly string[]): string {
  return [outer, ...args.slice(0, member), own, ...args.slice(member)].join('')
}
