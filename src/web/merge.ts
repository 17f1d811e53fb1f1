/** Merges the trees of all prefixes, and finds unreachable classes. Runs at load, never for a request. */
import { KNOWN_METHODS } from './by-verb.ts'
import type { Handler } from './handler.ts'
import { acceptsCount, match } from './match.ts'
import type { ClassEntry, MergedModule, Prefix, Site } from './site.ts'
import { type Module, type Route, routes } from './tree.ts'

/**
 * Merges the trees of all prefixes. If two classes have the same name at the same path, the class of the earlier prefix
 * wins.
 */
export function mergeTrees(prefixes: readonly Prefix[]): MergedModule {
  return mergeModules(prefixes.map((prefix) => ({ prefix, module: prefix.tree })))
}

interface Part {
  readonly prefix: Prefix
  readonly module: Module
}

function mergeModules(parts: readonly Part[]): MergedModule {
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
    defaults.push(...module.defaults.map((handler) => ({ handler, prefix })))
  }
  return {
    parts: parts.map(({ prefix, module }) => ({ prefix, file: module.file, folder: module.folder })),
    hasFile: parts.some(({ module }) => module.file !== null),
    modules: new Map([...inner].map(([name, children]) => [name, mergeModules(children)])),
    classes,
    maxMember: Math.max(0, ...[...classes.values()].map(({ handler }) => handler.member)),
    defaults,
  }
}

/** Maximum number of arguments to try. A rest parameter accepts any number. */
const MAX_ARGUMENTS = 16

/**
 * Returns the file whose class answers the paths of a method instead. Returns the empty string if no class answers
 * them, and null if a path reaches the method.
 */
export function hiddenBy(
  { tree }: Pick<Site, 'tree'>,
  { handler, pathWith }: Route,
  name: string,
): string | null {
  const verb = handler.verbs.get(name)
  if (!verb) return null
  const methods = name === 'ANY' ? KNOWN_METHODS : [name]
  let hider: string | null = null
  for (let count = 0; count <= MAX_ARGUMENTS; count++) {
    if (!acceptsCount(verb, count)) continue
    const segments = splitRoutePath(pathWith(Array.from({ length: count }, () => '/{}')))
    for (const method of methods) {
      const found = match(tree, method, segments)
      if (found?.handler === handler) return null
      hider ??= found?.handler.file ?? fileAt(tree, segments)
    }
  }
  return hider ?? ''
}

/** Returns the unreachable classes, each with the file that hides it; an empty name if no file does. */
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

/** Splits the path of a {@link Route} into its segments. */
export function splitRoutePath(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** Returns the first file of the deepest module on a path; empty if no module on the path has a file. */
function fileAt(root: MergedModule, segments: readonly string[]): string {
  let file = ''
  match(root, 'GET', segments, (step) => {
    if (step.tried !== 'module' || !step.found?.hasFile) return
    file = step.found.parts.find((part) => part.file !== null)?.file ?? ''
  })
  return file
}
