/** Finds the class that answers a path, by walking the merged tree of all prefixes. The walk only reads maps. */
import type { Handler } from './handler.ts'
import { kebab } from './names.ts'
import type { ClassEntry, MergedModule } from './site.ts'
import type { Verb } from './verb.ts'

/** Class that answers a path, with its arguments. */
export interface Match extends ClassEntry {
  /** Decoded segments that are positional arguments. The caller may modify the list. */
  readonly args: string[]
}

/** One step of the walk, for `waybill routes explain`. `found` is null if the look-up failed. */
export type MatchStep =
  | { readonly tried: 'module'; readonly segment: string; readonly found: MergedModule | null }
  | { readonly tried: 'class'; readonly segment: string; readonly found: ClassEntry | null }
  | {
      readonly tried: 'Default'
      readonly count: number
      /** True if the walk ended in a directory without index, which has no `Default`. */
      readonly inDirectory: boolean
      readonly found: ClassEntry | null
    }

type Trace = (step: MatchStep) => void

/**
 * Finds the class for decoded segments: the deepest module of all prefixes, then the deepest class in that module, else
 * the `Default` of the module. A directory without index is not a module, so the classes of the module above it answer
 * its paths, if they accept them.
 */
export function match(
  root: MergedModule,
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
  const inDirectory = node !== module
  // A class of the module above answers a path in a directory only if it accepts the remaining segments.
  if (found && (!inDirectory || acceptsAny(found.handler, found.args.length))) return found
  // The walk never backtracks. A directory without index has no `Default`, and the `Default` of the module above is not
  // tried.
  const count = segments.length - start
  const entry = inDirectory ? null : pickDefault(module.defaults, method, count)
  trace?.({ tried: 'Default', count, inDirectory, found: entry })
  return entry && { handler: entry.handler, prefix: entry.prefix, args: segments.slice(start) }
}

/** Returns the deepest module or directory on a path. */
export function deepestModule(root: MergedModule, segments: readonly string[]): MergedModule {
  let node = root
  for (const segment of segments) {
    const next = lookUp(node.modules, segment)
    if (!next) break
    node = next
  }
  return node
}

/** Finds a class whose segment follows some of its arguments (a member route). */
function matchMember(
  { classes, maxMember }: MergedModule,
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

/** Finds the deepest class, which may be nested in another class of the same prefix. */
function matchClass(
  { classes }: MergedModule,
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
 * Picks the first class that has the verb and accepts `count` arguments. Otherwise a class answers with its error: the
 * first that has the verb, else the first. Returns null if no method of any class accepts `count` arguments.
 */
function pickDefault(defaults: readonly ClassEntry[], method: string, count: number): ClassEntry | null {
  for (const entry of defaults) {
    const verb = verbFor(entry.handler, method)
    if (verb && acceptsCount(verb, count)) return entry
  }
  if (!defaults.some(({ handler }) => acceptsAny(handler, count))) return null
  return defaults.find(({ handler }) => verbFor(handler, method)) ?? (defaults[0] as ClassEntry)
}

/**
 * Returns the method of a class that answers an HTTP method.
 *
 * @param method `CONNECT` stands for the upgrade to a WebSocket
 */
export function verbFor({ verbs }: Handler, method: string): Verb | undefined {
  const verb = verbs.get(method) ?? (method === 'HEAD' ? verbs.get('GET') : undefined)
  return verb ?? (method === 'CONNECT' ? undefined : verbs.get('ANY'))
}

export function acceptsCount({ required, signature }: Verb, count: number): boolean {
  return count >= required && (signature.rest !== null || count <= signature.positionals.length)
}

function acceptsAny({ verbs }: Handler, count: number): boolean {
  return [...verbs.values()].some((verb) => acceptsCount(verb, count))
}

function lookUp<T>(names: ReadonlyMap<string, T>, segment: string): T | undefined {
  return names.size === 0 ? undefined : (names.get(segment) ?? names.get(kebab(segment)))
}
