/** A prefix directory, read once: module path → class path → handler. */
import { readFile } from 'node:fs/promises'
import { isEndpointClass } from './endpoint.ts'
import { addHandler, type Complain, type Handler, handlerOf, isReachable, TreeError } from './handler.ts'
import { type Folder, isImported, type Load, loadProblem, readFolder } from './load.ts'
import { kebab, segmentOf } from './names.ts'

export interface Module {
  /** Null for a directory without index, which is only a part of longer paths. */
  readonly file: string | null
  readonly modules: ReadonlyMap<string, Module>
  readonly classes: ReadonlyMap<string, Handler>
  /** The class `Default`. */
  readonly fallback: Handler | null
}

/** Reads and checks the whole tree. @throws {TreeError} that lists every problem */
export async function loadTree(path: string, load: Load): Promise<Module> {
  const problems: string[] = []
  const root = await moduleOf(await readFolder(path), null, load, (problem) => problems.push(problem))
  if (problems.length > 0) throw new TreeError(problems)
  return root
}

async function moduleOf(
  folder: Folder | undefined,
  file: string | null,
  load: Load,
  complain: Complain,
): Promise<Module> {
  const modules = new Map<string, Module>()
  const taken = new Map<string, string>()
  const own = folder?.files.get('index') ?? []
  const candidates = file === null ? own : [file, ...own]
  if (candidates.length > 1) complain(`${candidates.join(' and ')} are both the same module: keep one`)
  const names = new Set([...(folder?.files.keys() ?? []), ...(folder?.folders.keys() ?? [])])
  names.delete('index')
  for (const name of names) {
    const files = folder?.files.get(name) ?? []
    const inner = folder?.folders.get(name)
    const places = inner ? [...files, inner.path] : [...files]
    const other = taken.get(kebab(name))
    if (files.length > 1) complain(`${files.join(' and ')} are both module ${name}: keep one`)
    if (other) complain(`${places[0]} and ${other} both answer /${name}: rename one`)
    taken.set(kebab(name), places[0] as string)
    modules.set(kebab(name), await moduleOf(inner, files[0] ?? null, load, complain))
  }
  const source = candidates[0] ?? null
  const { classes, fallback } = await handlersOf(source, load, complain)
  for (const [segment, handler] of classes) {
    if (!modules.get(segment)?.file || handler.member > 0) continue
    complain(
      `${handler.file}: class ${handler.name} can never be reached, module ${taken.get(segment)} answers /${segmentOf(handler.name)}`,
    )
  }
  return { file: source, modules, classes, fallback }
}

async function handlersOf(
  file: string | null,
  load: Load,
  complain: Complain,
): Promise<Pick<Module, 'classes' | 'fallback'>> {
  const classes = new Map<string, Handler>()
  let fallback: Handler | null = null
  if (file === null) return { classes, fallback }
  let exports: Awaited<ReturnType<Load>>
  try {
    exports = await load(file)
  } catch (error) {
    complain(loadProblem(file, error))
    return { classes, fallback }
  }
  const source = await readFile(file, 'utf8')
  for (const [name, value] of Object.entries(exports)) {
    if (!isEndpointClass(value) || isImported(source, name, value.name as string)) continue
    if (name === 'Default') fallback = handlerOf(value, name, file, complain)
    else if (isReachable(name)) addHandler(classes, handlerOf(value, name, file, complain), name, complain)
  }
  return { classes, fallback }
}

export interface Route {
  readonly methods: readonly string[]
  readonly path: string
  /** The path with these pieces, `/{name}` each, as positional arguments. */
  readonly spell: (args: readonly string[]) => string
  readonly handler: Handler
}

/** Every class of a tree with the path it answers, in the spelling of its names. */
export function* routes(module: Module, path = ''): Generator<Route> {
  if (module.fallback) yield* routesOf(module.fallback, path, '')
  for (const handler of module.classes.values()) yield* routesOf(handler, path, `/${segmentOf(handler.name)}`)
  for (const [name, inner] of module.modules) yield* routes(inner, `${path}/${name}`)
}

function* routesOf(handler: Handler, outer: string, own: string): Generator<Route> {
  const byArguments = new Map<string, string[]>()
  const spell = (args: readonly string[]): string => pathOf(handler, outer, own, args) || '/'
  for (const [method, { signature }] of handler.verbs) {
    const args = signature.positionals.map(({ name, optional }) => (optional ? `[/{${name}}]` : `/{${name}}`))
    if (signature.rest !== null) args.push(`[/{${signature.rest}}…]`)
    const full = spell(args)
    byArguments.set(full, [...(byArguments.get(full) ?? []), method])
  }
  for (const [full, methods] of byArguments) yield { methods, path: full, spell, handler }
  for (const [key, inner] of handler.nested)
    yield* routesOf(inner, `${outer}${own}`, `/${segmentOf(inner.name.split('.').at(-1) ?? key)}`)
}

/** The path of a class with its arguments, some of which may stand in front of its own segment. */
export function pathOf({ member }: Handler, outer: string, own: string, args: readonly string[]): string {
  return [outer, ...args.slice(0, member), own, ...args.slice(member)].join('')
}
