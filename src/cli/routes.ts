/** `waybill routes`: lists the routes of a site as text, and explains how one request is routed. */
import { relative } from 'node:path'
import { accessOf } from '../web/access.ts'
import { accessInWords } from '../web/access-rule.ts'
import { decodeSegments, positionalArguments } from '../web/app.ts'
import { KNOWN_METHODS } from '../web/by-verb.ts'
import { isHttpError } from '../web/endpoint.ts'
import type { Verb } from '../web/handler.ts'
import { type Match, type MatchStep, match, verbFor } from '../web/match.ts'
import { hiddenBy } from '../web/merge.ts'
import type { Site } from '../web/site.ts'
import { routes } from '../web/tree.ts'

/** Headings of the columns. The last column has no name, since only hidden classes have an entry in it. */
const HEADINGS = ['METHOD', 'PATH', 'FILE', 'CLASS', 'ACCESS', '']

/** Returns a line for each method and path. */
export function listRoutes(site: Site): string {
  const rows = site.prefixes.flatMap(({ tree }) =>
    [...routes(tree)].flatMap((route) =>
      route.methods.map((method) => {
        const { path, handler } = route
        const hider = hiddenBy(site, route, method)
        const note = hider === null ? '' : hider === '' ? 'hidden' : `hidden by ${shown(hider)}`
        const access = accessInWords(accessOf(handler.verbs.get(method)?.access ?? null, site))
        return [method, path, shown(handler.file), handler.name, access, note]
      }),
    ),
  )
  const widths = HEADINGS.map((heading, i) =>
    Math.max(heading.length, ...rows.map((row) => (row[i] as string).length)),
  )
  const lines = [HEADINGS, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] as number))
      .join('  ')
      .trimEnd(),
  )
  return text(lines)
}

/** Returns the module, class, method and arguments of one request, with the steps of the search. */
export function explainRoute(site: Site, method: string, target: string): string {
  const [path, query] = target.split('?', 2) as [string, string?]
  if (!KNOWN_METHODS.has(method)) return `501: HTTP has no method "${method}"\n`
  const lines: string[] = []
  try {
    const segments = decodeSegments(path.startsWith('/') ? path : `/${path}`) ?? []
    const found = match(site.tree, method, segments, (step) => lines.push(...linesOf(step)))
    lines.push(...outcome(site, found, method, path, query))
  } catch (error) {
    if (!isHttpError(error)) throw error
    lines.push(`${error.status}: ${error.message}`)
  }
  return text(lines)
}

function outcome(
  site: Site,
  found: Match | null,
  method: string,
  path: string,
  query: string | undefined,
): string[] {
  if (!found) return [`404: nothing answers ${path}`]
  const { handler } = found
  const file = shown(handler.file)
  const verb = verbFor(handler, method)
  if (!verb && method === 'OPTIONS') return [`204: ${handler.name} in ${file} has ${handler.allow}`]
  if (!verb) return [`405: ${handler.name} in ${file} has no ${method}, only ${handler.allow}`]
  const args = positionalArguments(found, verb, path)
  return [
    `found ${file}, class ${handler.name}, method ${verb.method.name}`,
    ...argumentLines(verb, args),
    ...keywordLines(verb, query),
    `  access: ${accessInWords(accessOf(verb.access, site))}`,
  ]
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

/** Describes a step of the search, with the prefix of the module or class that it found. */
function linesOf(step: MatchStep): string[] {
  if (step.tried === 'module') {
    if (!step.found) return [`  no module "${step.segment}"`]
    return step.found.parts.map(({ prefix, file }) => {
      const what = file === null ? 'a directory without index' : shown(file)
      return `  module ${step.segment}: ${what} (prefix ${shown(prefix.path)})`
    })
  }
  if (!step.found) return [step.tried === 'class' ? `  no class "${step.segment}"` : noDefault(step)]
  const { handler, prefix } = step.found
  const member = handler.member === 0 ? '' : `, after ${handler.member} of its arguments`
  return [`  class ${handler.name}${member}: ${shown(handler.file)} (prefix ${shown(prefix.path)})`]
}

function noDefault({ count, inDirectory }: Extract<MatchStep, { tried: 'Default' }>): string {
  if (inDirectory || count === 0)
    return `  no class Default${inDirectory ? ' in a directory without index' : ''}`
  return `  no class Default that takes ${count} ${count === 1 ? 'argument' : 'arguments'}`
}

const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`

/** Returns a path relative to the current directory, if it lies below. */
function shown(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short || '.'
}
