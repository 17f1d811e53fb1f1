/** The walk over the merged tree of all prefixes: path segments → the class that answers. A request only walks maps. */
import type { Handler, Verb } from './handler.ts'
import { kebab } from './names.ts'
import type { Prefix } from './site.ts'

/** A class in the merged tree, with the prefix that it comes from. */
export interface ClassEntry {
  readonly handler: Handler
  readonly prefix: Prefix
}

/** A module as all prefixes together have it. */
export interface ModuleNode {
  /** The prefixes that have it, with its file in each; null for a directory without index. */
  readonly parts: readonly { readonly prefix: Prefix; readonly file: string | null }[]
  /** False: no prefix has a file for it, so that it is only a part of longer paths. */
  readonly hasFile: boolean
  readonly modules: ReadonlyMap<string, ModuleNode>
  readonly classes: ReadonlyMap<string, ClassEntry>
  /** The largest `member` of its classes. */
  readonly maxMember: number
  /** The classes `Default`, in the order of their prefixes. */
  readonly defaults: readonly ClassEntry[]
}

export interface Match extends ClassEntry {
  /** The decoded segments that are positional arguments; a list of its own. */
  readonly args: string[]
}

/** One step of the walk, for `waybill routes explain`. Null: not found. */
export type Step =
  | { readonly tried: 'module'; readonly segment: string; readonly found: ModuleNode | null }
  | { readonly tried: 'class'; readonly segment: string; readonly found: ClassEntry | null }
  | {
      readonly tried: 'Default'
      readonly count: number
      /** The walk ended in a directory without index, which has no `Default`. */
      readonly inDirectory: boolean
      readonly found: ClassEntry | null
    }

type Trace = (step: Step) => void

/**
 * Follows decoded segments, left to right: the deepest module of all prefixes, then the deepest class in it, else its
 * `Default`. A directory without index is no module: the classes of the module above it still answer.
 */
export function match(
  root: ModuleNode,
  method: string,
  segments: readonly string[],
  trace?: Trace,
): Match | null {
  let node = root
  let module = root
  let start = 0
  for (let i = 0; i < segments.length; ) {
    const next = lookUp(node.modules, segments[i] as string)
    trace?.({ tried: 'module', segment: segments[i] as string, found: next ?? null })
    if (!next) break
    node = next
    i++
    if (!node.hasFile) continue
    module = node
    start = i
  }
  const found =
    (module.maxMember > 0 ? matchMember(module, segments, start, trace) : null) ??
    (start < segments.length ? matchClass(module, segments, start, trace) : null)
  if (found) return found
  // No going back: a directory without index that was walked into has no `Default`, and that of a module above is not asked.
  const count = segments.length - start
  const inDirectory = node !== module
  const entry = inDirectory ? null : pickDefault(module.defaults, method, count)
  trace?.({ tried: 'Default', count, inDirectory, found: entry })
  return entry && { handler: entry.handler, prefix: entry.prefix, args: segments.slice(start) }
}

/** Finds a class whose segment has some of its arguments in front of it. */
function matchMember(
  { classes, maxMember }: ModuleNode,
  segments: readonly string[],
  start: number,
  trace?: Trace,
): Match | null {
  for (let member = 1; member <= maxMember && start + member < segments.length; member++) {
    const segment = segments[start + member] as string
    const entry = lookUp(classes, segment)
    if (entry?.handler.member !== member) continue
    trace?.({ tried: 'class', segment, found: entry })
    const args = segments.slice(start)
    args.splice(member, 1)
    return { handler: entry.handler, prefix: entry.prefix, args }
  }
  return null
}

/** Finds the deepest class, which may be nested in another one of the same prefix. */
function matchClass(
  { classes }: ModuleNode,
  segments: readonly string[],
  start: number,
  trace?: Trace,
): Match | null {
  const segment = segments[start] as string
  const entry = lookUp(classes, segment)
  if (!entry || entry.handler.member > 0) {
    trace?.({ tried: 'class', segment, found: null })
    return null
  }
  const { prefix } = entry
  let { handler } = entry
  for (let end = start + 1; ; end++) {
    trace?.({ tried: 'class', segment: segments[end - 1] as string, found: { handler, prefix } })
    const inner = end < segments.length ? lookUp(handler.nested, segments[end] as string) : undefined
    if (!inner) return { handler, prefix, args: segments.slice(end) }
    handler = inner
  }
}

/**
 * Picks the first `Default` that has the verb and takes that many arguments, else the first. Null: none of their
 * methods takes that many, so that nothing answers the path.
 */
function pickDefault(defaults: readonly ClassEntry[], method: string, count: number): ClassEntry | null {
  for (const entry of defaults) {
    const verb = verbFor(entry.handler, method)
    if (verb && takes(verb, count)) return entry
  }
  for (const { handler } of defaults) {
    for (const verb of handler.verbs.values()) if (takes(verb, count)) return defaults[0] as ClassEntry
  }
  return null
}

/** Returns the method of a class that answers an HTTP method. */
export function verbFor({ verbs }: Handler, method: string): Verb | undefined {
  return verbs.get(method) ?? (method === 'HEAD' ? verbs.get('GET') : undefined) ?? verbs.get('ANY')
}

/** Tells whether a method takes `count` positional arguments. */
export function takes({ required, signature }: Verb, count: number): boolean {
  return count >= required && (signature.rest !== null || count <= signature.positionals.length)
}

function lookUp<T>(names: ReadonlyMap<string, T>, segment: string): T | undefined {
  return names.size === 0 ? undefined : (names.get(segment) ?? names.get(kebab(segment)))
}
