/** `waybill routes explain`: shows how one request is routed, step by step. */
import { accessOf, unansweredAccess } from '../web/access.ts'
import { accessInWords } from '../web/access-rule.ts'
import { KNOWN_METHODS } from '../web/by-verb.ts'
import { isHttpError } from '../web/endpoint.ts'
import type { TreeWarning } from '../web/look-alikes.ts'
import { type Match, type MatchStep, match, verbFor } from '../web/match.ts'
import { kebab } from '../web/names.ts'
import { decodeSegments, positionalArguments } from '../web/path.ts'
import type { MergedModule, Site } from '../web/site.ts'
import type { Verb } from '../web/verb.ts'
import { shownPath } from './shown-path.ts'

export interface Explanation {
  /** Steps of the search. The last lines show its result. */
  readonly text: string
  /** False if the server would answer the request with an error. */
  readonly found: boolean
}

/**
 * Explains which module, class, method and arguments a request finds, and each step of the search.
 *
 * @param verb an HTTP method, or `WS` for a WebSocket
 */
export function explainRoute(site: Site, verb: string, target: string): Explanation {
  const [path, query] = target.split('?', 2) as [string, string?]
  const method = verb === 'WS' ? 'CONNECT' : verb
  if (verb !== 'WS' && !KNOWN_METHODS.has(method))
    return { text: `501: HTTP has no method "${method}"\n`, found: false }
  const lines: string[] = []
  const ignored = new IgnoredClasses(site)
  let found = false
  try {
    const segments = decodeSegments(path.startsWith('/') ? path : `/${path}`) ?? []
    const entry = match(site.tree, method, segments, (step) => lines.push(...linesOf(step, ignored)))
    const result = entry
      ? outcome(site, entry, method, path, query)
      : unanswered(site, method, path, segments)
    found = result.found
    lines.push(...result.lines)
    if (!found && entry) lines.push(...ignored.methodsOf(entry.handler))
  } catch (error) {
    if (!isHttpError(error)) throw error
    lines.push(`${error.status}: ${error.message}`)
  }
  return { text: `${lines.join('\n')}\n`, found }
}

/** Classes that look like endpoints but have no path, in the module that the search has reached. */
class IgnoredClasses {
  readonly #all: readonly TreeWarning[]
  #module: MergedModule

  constructor({ prefixes, tree }: Site) {
    this.#all = prefixes.flatMap(({ warnings }) => warnings)
    this.#module = tree
  }

  enter(module: MergedModule): void {
    if (module.hasFile) this.#module = module
  }

  /** Returns a line for each ignored class of the module with the name of a segment. */
  named(segment: string): string[] {
    const files = this.#module.parts.map(({ file }) => file)
    return linesFor(
      this.#all.filter(
        ({ file, ignoredClass }) =>
          files.includes(file) && ignoredClass !== null && kebab(ignoredClass) === kebab(segment),
      ),
    )
  }

  methodsOf(handler: { readonly file: string; readonly name: string }): string[] {
    return linesFor(
      this.#all.filter(({ file, ignoredClass }) => file === handler.file && ignoredClass === handler.name),
    )
  }
}

const linesFor = (found: readonly TreeWarning[]): string[] => found.map(({ text }) => `  ignored: ${text}`)

function unanswered(site: Site, method: string, path: string, segments: readonly string[]) {
  const access = [...unansweredAccess(site, method, segments)].map(
    (each) => `  access: ${accessInWords(each.access)}`,
  )
  return { lines: [`404: nothing answers ${path}`, ...access], found: false }
}

function outcome(
  site: Site,
  found: Match,
  method: string,
  path: string,
  query: string | undefined,
): { readonly lines: string[]; readonly found: boolean } {
  const failure = (line: string) => ({ lines: [line], found: false })
  const { handler } = found
  const file = shownPath(handler.file)
  const verb = verbFor(handler, method)
  if (!verb && method === 'OPTIONS')
    return { lines: [`204: ${handler.name} in ${file} has ${handler.allow}`], found: true }
  if (method === 'CONNECT' && !handler.socket)
    return failure(`404: ${handler.name} in ${file} takes no WebSocket`)
  if (!verb) return failure(`405: ${handler.name} in ${file} has no ${method}, only ${handler.allow}`)
  const args = positionalArguments(found, verb, path)
  const lines = [
    `found ${file}, class ${handler.name}, method ${verb.method.name}`,
    ...argumentLines(verb, args),
    ...keywordLines(verb, query),
    `  access: ${accessInWords(accessOf(verb.access, site))}`,
  ]
  return { lines, found: true }
}

function argumentLines(
  { signature: { positionals: declared, rest } }: Verb,
  args: readonly unknown[],
): string[] {
  return Array.from({ length: Math.max(args.length, declared.length) }, (_, i) => {
    const value = args[i] === undefined ? '(its default)' : JSON.stringify(args[i])
    return `  ${declared[i]?.name ?? `...${rest}`} = ${value}`
  })
}

function keywordLines({ signature: { keywords } }: Verb, query: string | undefined): string[] {
  if (!keywords) return []
  const names = keywords.map(({ name }) => name).join(', ')
  return [`  keywords: ${names}${query === undefined ? '' : ` (from ?${query} and the body)`}`]
}

/** Describes a step of the search, with the prefix of the found module or class. */
function linesOf(step: MatchStep, ignored: IgnoredClasses): string[] {
  if (step.tried === 'module') {
    if (!step.found) return [`  no module "${step.segment}"`]
    ignored.enter(step.found)
    return step.found.parts.map(({ prefix, file }) => {
      const what = file === null ? 'a directory without index' : shownPath(file)
      return `  module ${step.segment}: ${what} (prefix ${shownPath(prefix.path)})`
    })
  }
  if (!step.found) {
    const lines = ignored.named(step.tried === 'class' ? step.segment : 'Default')
    if (lines.length > 0) return lines
    return [step.tried === 'class' ? `  no class "${step.segment}"` : noDefault(step)]
  }
  const { handler, prefix } = step.found
  const member = handler.member === 0 ? '' : `, after ${handler.member} of its arguments`
  return [`  class ${handler.name}${member}: ${shownPath(handler.file)} (prefix ${shownPath(prefix.path)})`]
}

function noDefault({ count, inDirectory }: Extract<MatchStep, { tried: 'Default' }>): string {
  if (inDirectory || count === 0)
    return `  no class Default${inDirectory ? ' in a directory without index' : ''}`
  return `  no class Default that takes ${count} ${count === 1 ? 'argument' : 'arguments'}`
}
