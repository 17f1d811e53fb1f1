/** The trees of all prefixes → one tree, and which classes no path of it reaches. Runs at load; a request never gets here. */
import { type Handler, KNOWN_METHODS } from './handler.ts'
import { type ClassEntry, type ModuleNode, match, takes } from './match.ts'
import type { Prefix, Site } from './site.ts'
import { type Module, type Route, routes } from './tree.ts'

/** Merges the trees of all prefixes. Of two classes with one name at one path, that of the earlier prefix stays. */
export function mergeTrees(prefixes: readonly Prefix[]): ModuleNode {
  return mergeModules(prefixes.map((prefix) => ({ prefix, module: prefix.tree })))
}

interface Part {
  readonly prefix: Prefix
  readonly module: Module
}

function mergeModules(parts: readonly Part[]): ModuleNode {
  const inner = new Map<string, Part[]>()
  const classes = new Map<string, ClassEntry>()
  const defaults: ClassEntry[] = []
  for (const { prefix, module } of parts) {
    for (const [name, child] of module.modules) {
      inner.set(name, [...(inner.get(name) ?? []), { prefix, module: child }])
    }
    for (const [name, handler] of module.classes) {
      if (!classes.has(name)) classes.set(name, { handler, prefix })
    }
    if (module.fallback) defaults.push({ handler: module.fallback, prefix })
  }
  return {
    parts: parts.map(({ prefix, module }) => ({ prefix, file: module.file })),
    hasFile: parts.some(({ module }) => module.file !== null),
    modules: new Map([...inner].map(([name, children]) => [name, mergeModules(children)])),
    classes,
    maxMember: Math.max(0, ...[...classes.values()].map(({ handler }) => handler.member)),
    defaults,
  }
}

/** Largest number of arguments that is tried: a rest takes any number, and no method in use names so many. */
const MOST_ARGUMENTS = 16

/**
 * Returns the file that hides a method of a class: what answers each of its paths instead. Empty when nothing answers
 * them; null when some path reaches the method.
 */
export function hiddenBy(
  { tree }: Pick<Site, 'tree'>,
  { handler, spell }: Route,
  name: string,
): string | null {
  const verb = handler.verbs.get(name)
  if (!verb) return null
  const methods = name === 'ANY' ? KNOWN_METHODS : [name]
  let hider: string | null = null
  for (let count = 0; count <= MOST_ARGUMENTS; count++) {
    if (!takes(verb, count)) continue
    const segments = segmentsOfSpelling(spell(Array.from({ length: count }, () => '/{}')))
    for (const method of methods) {
      const found = match(tree, method, segments)
      if (found?.handler === handler) return null
      hider ??= found?.handler.file ?? fileAt(tree, segments)
    }
  }
  return hider ?? ''
}

/** Returns the classes that no path reaches, with the file that hides each of them. */
export function hiddenClasses(site: Pick<Site, 'tree' | 'prefixes'>): ReadonlyMap<Handler, string> {
  const hidden = new Map<Handler, string>()
  const reached = new Set<Handler>()
  for (const { tree } of site.prefixes) {
    for (const route of routes(tree)) {
      for (const method of route.methods) {
        const by = hiddenBy(site, route, method)
        if (by === null) reached.add(route.handler)
        else if (!hidden.has(route.handler)) hidden.set(route.handler, by)
      }
    }
  }
  for (const handler of reached) hidden.delete(handler)
  return hidden
}

/** Cuts the path of a {@link Route}. */
export function segmentsOfSpelling(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** Returns the first file of the deepest module on a path; empty when no module with a file is on it. */
function fileAt(root: ModuleNode, segments: readonly string[]): string {
  let file = ''
  match(root, 'GET', segments, (step) => {
    if (step.tried !== 'module' || !step.found?.hasFile) return
    file = step.found.parts.find((part) => part.file !== null)?.file ?? ''
  })
  return file
}
