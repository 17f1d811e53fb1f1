/** `waybill routes`: what answers which path, in text. */
import { join, relative } from 'node:path'
import { accessOf } from './web/access.ts'
import { positionals, segmentsOf, verbFor } from './web/app.ts'
import { isHttpError } from './web/endpoint.ts'
import { KNOWN_METHODS } from './web/handler.ts'
import type { Site } from './web/site.ts'
import { match, routes } from './web/tree.ts'

const HEADINGS = ['METHOD', 'PATH', 'FILE', 'CLASS', 'ACCESS']

/** A line for each method and path. */
export function listRoutes(site: Site): string {
  const rows = site.prefixes.flatMap(({ tree }) =>
    [...routes(tree)].flatMap(({ methods, path, handler }) =>
      methods.map((method) => [method, path, shown(handler.file), handler.name, accessOf(handler, site)]),
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
  return `${lines.join('\n')}\n`
}

/** What one request finds: module, class, method, arguments; and what was tried. */
export function explainRoute(site: Site, method: string, target: string): string {
  const lines: string[] = []
  const say = (line: string): void => {
    lines.push(line)
  }
  const [path, query] = target.split('?', 2) as [string, string?]
  if (!KNOWN_METHODS.has(method)) return `501: HTTP has no method "${method}"\n`
  try {
    const segments = segmentsOf(path.startsWith('/') ? path : `/${path}`) ?? []
    for (const prefix of site.prefixes) {
      say(`prefix ${shown(prefix.path)}`)
      const found = match(prefix.tree, segments, (step) =>
        say(`  ${step.replaceAll(join(process.cwd(), '/'), '')}`),
      )
      if (!found) continue
      const { handler } = found
      const verb = verbFor(handler, method)
      if (!verb && method === 'OPTIONS') {
        say(`204: ${handler.name} in ${shown(handler.file)} has ${handler.allow}`)
        return text(lines)
      }
      if (!verb) {
        say(`405: ${handler.name} in ${shown(handler.file)} has no ${method}, only ${handler.allow}`)
        return text(lines)
      }
      const args = positionals(verb, found.args)
      say(`found ${shown(handler.file)}, class ${handler.name}, method ${verb.method.name}`)
      const { positionals: declared, rest: restName } = verb.signature
      for (let i = 0; i < Math.max(args.length, declared.length); i++) {
        const value = args[i] === undefined ? '(its default)' : JSON.stringify(args[i])
        say(`  ${declared[i]?.name ?? `...${restName}`} = ${value}`)
      }
      const keys = verb.signature.keywords?.map(({ name }) => name).join(', ')
      if (keys !== undefined)
        say(`  keywords: ${keys}${query === undefined ? '' : ` (from ?${query} and the body)`}`)
      say(`  access: ${accessOf(handler, site)}`)
      return text(lines)
    }
    say(`404: nothing answers ${path}`)
  } catch (error) {
    if (!isHttpError(error)) throw error
    say(`${error.status}: ${error.message}`)
  }
  return text(lines)
}

const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`

/** Paths below the current directory without it. */
function shown(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short || '.'
}
