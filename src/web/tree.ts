/** Reads a prefix directory into a tree of modules and handler classes. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isEndpointClass } from './endpoint.ts'
import { readFolderRules } from './folder.ts'
import { foreignNames } from './foreign-names.ts'
import {
  type AddProblem,
  addHandler,
  allowOf,
  type Handler,
  handlerOf,
  isReachable,
  TreeError,
} from './handler.ts'
import { type Folder, isImported, type LoadModule, loadProblem, readFolder } from './load.ts'
import { lookAlikes, type TreeWarning } from './look-alikes.ts'
import { kebab, segmentOf } from './names.ts'
import { prepare } from './prepare.ts'
import { isInside } from './read-files.ts'
import type { FolderRules } from './rules.ts'
import { untypedDefaults } from './untyped-defaults.ts'
import type { Verb } from './verb.ts'

/** Group of operations in the API description. */
export interface Tag {
  readonly name: string
  readonly description: string
}

/** Module of a tree: a file with its classes, and the modules below it. */
export interface Module {
  /** Null for a directory without index, which is only part of longer paths. */
  readonly file: string | null
  readonly modules: ReadonlyMap<string, Module>
  readonly classes: ReadonlyMap<string, Handler>
  /** Export `tag` of the file, which groups its operations in the API description. Null without one. */
  readonly tag: Tag | null
  /** Classes without a segment of their own: `Default` first, then classes with `static segment = false`. */
  readonly defaults: readonly Handler[]
  /** Rules for the paths of the module that no class answers; null if no surrounding folder has rules. */
  readonly folder: FolderRules | null
}

export interface LoadedTree {
  readonly root: Module
  readonly warnings: readonly TreeWarning[]
  /** Directories of static files that classes serve. Files in them are not modules. */
  readonly directories: readonly string[]
}

/**
 * Reads and checks the tree of a prefix directory.
 *
 * @param outer rules of all classes of the tree; null without any
 * @throws {TreeError} that lists every problem
 */
export async function loadTree(
  path: string,
  load: LoadModule,
  outer: FolderRules | null,
): Promise<LoadedTree> {
  const problems: string[] = []
  const warnings: TreeWarning[] = []
  const reader = {
    load,
    files: [] as string[],
    directories: [] as string[],
    addProblem: (problem: string) => problems.push(problem),
    addWarning: (warning: TreeWarning) => warnings.push(warning),
  }
  const root = await moduleOf(await readFolder(path), null, outer, reader)
  for (const file of reader.files.filter((each) => isServed(each, reader))) {
    problems.push(
      `${file}: a class serves its directory as static files. Move the class beside that directory`,
    )
  }
  if (problems.length > 0) throw new TreeError(problems)
  return { root, warnings, directories: reader.directories }
}

interface Reader {
  readonly load: LoadModule
  readonly files: string[]
  readonly directories: string[]
  readonly addProblem: AddProblem
  readonly addWarning: (warning: TreeWarning) => void
}

function isServed(path: string, { directories }: Reader): boolean {
  return directories.some((directory) => isInside(resolve(path), directory))
}

/** Loads a module before the modules below it, which may turn out to be static files that its classes serve. */
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
  const source = candidates[0] ?? null
  // A file beside a directory of the same name belongs to the folder that contains both.
  const own = source === file ? outer : rules
  const { classes, defaults, tag } = await handlersOf(source, own, reader)
  // The file of this module may serve the directory beside it.
  const below = folder && !isServed(folder.path, reader) ? folder : undefined
  for (const warning of below ? foreignNames(below) : []) reader.addWarning(warning)
  if (below && candidates.length > 1)
    addProblem(`${candidates.join(' and ')} are both the same module: keep one`)
  const names = new Set([...(below?.files.keys() ?? []), ...(below?.folders.keys() ?? [])])
  names.delete('index')
  for (const name of names) {
    const files = below?.files.get(name) ?? []
    const folders = below?.folders.get(name)
    const inner = folders && !isServed(folders.path, reader) ? folders : undefined
    if (files.length === 0 && !inner) continue
    const places = inner ? [...files, inner.path] : [...files]
    const other = taken.get(kebab(name))
    if (files.length > 1) addProblem(`${files.join(' and ')} are both module ${name}: keep one`)
    if (other) addProblem(`${places[0]} and ${other} both answer /${name}: rename one`)
    taken.set(kebab(name), places[0] as string)
    modules.set(kebab(name), await moduleOf(inner, files[0] ?? null, rules, reader))
  }
  for (const [segment, handler] of classes) {
    if (!modules.get(segment)?.file || handler.member > 0) continue
    addProblem(
      `${handler.file}: class ${handler.name} can never be reached, module ${taken.get(segment)} answers /${segmentOf(handler.name)}`,
    )
  }
  return { file: source, modules, classes, defaults, tag, folder: rules }
}

async function handlersOf(
  file: string | null,
  folder: FolderRules | null,
  { load, files, directories, addProblem, addWarning }: Reader,
): Promise<Pick<Module, 'classes' | 'defaults' | 'tag'>> {
  const classes = new Map<string, Handler>()
  if (file === null) return { classes, defaults: [], tag: null }
  files.push(file)
  let exports: Awaited<ReturnType<LoadModule>>
  try {
    exports = await load(file)
  } catch (error) {
    addProblem(loadProblem(file, error))
    return { classes, defaults: [], tag: null }
  }
  const defaults: Handler[] = []
  const source = await readFile(file, 'utf8')
  for (const warning of lookAlikes(file, source, exports)) addWarning(warning)
  for (const [name, value] of Object.entries(exports)) {
    if (!isEndpointClass(value)) continue
    if (isImported(source, name, value.name as string)) {
      const text = `${file}: class ${name} comes from another file, so no path reaches it here. Extend it: export class ${name} extends Base {}`
      if (name === 'Default' || isReachable(name)) addWarning({ file, ignoredClass: name, text })
      continue
    }
    if (name !== 'Default' && !isReachable(name)) continue
    const handler = handlerOf(value, name, file, folder, addProblem)
    await prepare(handler, directories, addProblem)
    for (const warning of untypedDefaults(handler, source)) addWarning(warning)
    if (name === 'Default') defaults.unshift(handler)
    else if (!handler.hasSegment) defaults.push(handler)
    else addHandler(classes, handler, name, addProblem)
  }
  const { tag = null } = exports
  if (tag !== null && !isTag(tag)) addProblem(`${file}: tag must be { name, description }, two texts`)
  return { classes, defaults: asOneResource(defaults, addProblem), tag: tag as Tag | null }
}

function isTag(value: unknown): value is Tag {
  const { name, description } = value as Partial<Tag>
  return typeof name === 'string' && name !== '' && typeof description === 'string'
}

/**
 * Gives the classes without a segment the methods of all of them as `Allow`. Reports two classes that answer the same
 * requests.
 */
function asOneResource(defaults: readonly Handler[], addProblem: AddProblem): Handler[] {
  const allow = allowOf(new Map(defaults.flatMap(({ verbs }) => [...verbs])))
  for (const [i, handler] of defaults.entries()) {
    for (const other of defaults.slice(0, i)) {
      for (const [name, verb] of handler.verbs) {
        const rival = other.verbs.get(name)
        if (!rival || !takeSameCount(verb, rival)) continue
        addProblem(
          `${handler.file}: class ${handler.name} and class ${other.name} both answer ${name} with the same number of arguments`,
        )
      }
    }
  }
  return defaults.map((handler) => ({ ...handler, allow }))
}

function takeSameCount(one: Verb, other: Verb): boolean {
  const most = ({ signature: { positionals, rest } }: Verb): number =>
    rest === null ? positionals.length : Number.POSITIVE_INFINITY
  return one.required <= most(other) && other.required <= most(one)
}

/** Path of a class, with the methods that it answers. */
export interface Route {
  readonly methods: readonly string[]
  readonly path: string
  /** Returns the path with the given positional arguments, each in the form `/{name}`. */
  readonly pathWith: (args: readonly string[]) => string
  readonly handler: Handler
  readonly tag: Tag | null
}

/** Yields every class of a tree with its paths, in the spelling of modules and classes. */
export function* routes(module: Module, path = ''): Generator<Route> {
  for (const handler of module.defaults) yield* routesOf(handler, module.tag, path, '')
  for (const handler of module.classes.values()) {
    yield* routesOf(handler, module.tag, path, `/${segmentOf(handler.name)}`)
  }
  for (const [name, inner] of module.modules) yield* routes(inner, `${path}/${name}`)
}

function* routesOf(handler: Handler, tag: Tag | null, outer: string, own: string): Generator<Route> {
  const byArguments = new Map<string, string[]>()
  const pathWith = (args: readonly string[]): string => pathOf(handler, outer, own, args) || '/'
  for (const [method, { signature }] of handler.verbs) {
    const args = signature.positionals.map(({ name, optional }) => (optional ? `[/{${name}}]` : `/{${name}}`))
    if (signature.rest !== null) args.push(`[/{${signature.rest}}…]`)
    const full = pathWith(args)
    byArguments.set(full, [...(byArguments.get(full) ?? []), method])
  }
  for (const [full, methods] of byArguments) yield { methods, path: full, pathWith, handler, tag }
  for (const [key, inner] of handler.nested)
    yield* routesOf(inner, tag, `${outer}${own}`, `/${segmentOf(inner.name.split('.').at(-1) ?? key)}`)
}

/** Returns the path of a class with its arguments; `member` of them precede the segment of the class. */
function pathOf({ member }: Handler, outer: string, own: string, args: readonly string[]): string {
  return [outer, ...args.slice(0, member), own, ...args.slice(member)].join('')
}
