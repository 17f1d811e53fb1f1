/** Names the route of a method: its path with argument names, such as `/devices/{id}`. Reads no request. */
import type { Site } from './site.ts'
import { routes } from './tree.ts'
import type { Verb } from './verb.ts'

export class RouteNames {
  /** Paths of each method by number of arguments; undefined for a number that the method does not accept. */
  readonly #paths = new Map<Verb, (string | undefined)[]>()

  constructor({ prefixes }: Pick<Site, 'prefixes'>) {
    for (const { tree } of prefixes) {
      for (const { handler, pathWith } of routes(tree)) {
        for (const verb of handler.verbs.values()) this.#paths.set(verb, pathsOf(verb, pathWith))
      }
    }
  }

  /** Returns the route of a method with `count` arguments; null if the method does not accept `count` arguments. */
  of(verb: Verb, count: number): string | null {
    const paths = this.#paths.get(verb)
    const path = paths?.[count]
    if (path !== undefined || verb.signature.rest === null) return path ?? null
    return paths?.at(-1) ?? null
  }
}

function pathsOf(
  { signature: { positionals, rest } }: Verb,
  pathWith: (args: readonly string[]) => string,
): (string | undefined)[] {
  const names = rest === null ? positionals : [...positionals, { name: rest, optional: true }]
  return Array.from({ length: names.length + 1 }, (_, count) =>
    names[count]?.optional === false
      ? undefined
      : pathWith(names.slice(0, count).map(({ name }) => `/{${name}}`)),
  )
}
