/** `waybill routes`: lists the routes of a site as text or as JSON, optionally with their rules. */
import { accessOf } from '../web/access.ts'
import { type AccessRule, accessInWords } from '../web/access-rule.ts'
import { appliedRules, hookFiles } from '../web/applied-rules.ts'
import { ruleVerb } from '../web/by-verb.ts'
import type { Handler } from '../web/handler.ts'
import { hiddenBy } from '../web/merge.ts'
import type { Prefix, Site } from '../web/site.ts'
import { routes } from '../web/tree.ts'
import { shownPath } from './shown-path.ts'

/** Method and path of a site, with the class that answers. */
interface Row {
  /** An HTTP method, or `WS` for WebSockets. */
  readonly method: string
  /** Method whose rules apply: GET for WebSockets. */
  readonly ruledAs: string
  readonly path: string
  readonly handler: Handler
  readonly prefix: Prefix
  readonly access: AccessRule
  /** File whose class answers instead; empty if no class answers the path. Null if a path reaches the method. */
  readonly hiddenBy: string | null
}

function* rowsOf(site: Site): Generator<Row> {
  for (const prefix of site.prefixes) {
    for (const route of routes(prefix.tree)) {
      for (const verb of route.methods) {
        const { path, handler } = route
        const method = verb === 'CONNECT' ? 'WS' : verb
        const access = accessOf(handler.verbs.get(verb)?.access ?? null, site)
        yield {
          method,
          ruledAs: ruleVerb(verb),
          path,
          handler,
          prefix,
          access,
          hiddenBy: hiddenBy(site, route, verb),
        }
      }
    }
  }
}

export interface ListOptions {
  /** True also lists the rules of each method. */
  readonly rules?: boolean
}

interface Column {
  readonly heading: string
  readonly cell: (row: Row) => string
}

/** The last column has no name, because only hidden classes have an entry in it. */
const COLUMNS: readonly Column[] = [
  { heading: 'METHOD', cell: ({ method }) => method },
  { heading: 'PATH', cell: ({ path }) => path },
  { heading: 'FILE', cell: ({ handler }) => shownPath(handler.file) },
  { heading: 'CLASS', cell: ({ handler }) => handler.name },
  { heading: 'ACCESS', cell: ({ access }) => accessInWords(access) },
  {
    heading: '',
    cell: ({ hiddenBy: hider }) =>
      hider === null ? '' : hider === '' ? 'hidden' : `hidden by ${shownPath(hider)}`,
  },
]

/** Returns a line for each method and path. */
export function listRoutes(site: Site, { rules = false }: ListOptions = {}): string {
  const rows = [...rowsOf(site)]
  const lines = aligned([
    COLUMNS.map(({ heading }) => heading),
    ...rows.map((row) => COLUMNS.map(({ cell }) => cell(row))),
  ])
  if (!rules) return text(lines)
  const [heading = '', ...rest] = lines
  return text([heading, ...rows.flatMap((row, i) => [rest[i] as string, ...ruleLines(row, site)])])
}

/** Returns rows of cells as lines of columns. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map((row) => (row[i] as string).length)))
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] as number))
      .join('  ')
      .trimEnd(),
  )
}

/** Returns a JSON object for each method and path, one per line. */
export function routesAsJson(site: Site, { rules = false }: ListOptions = {}): string {
  return text(
    [...rowsOf(site)].map(({ method, ruledAs, path, handler, prefix, access, hiddenBy: hider }) =>
      JSON.stringify({
        method,
        path,
        file: handler.file,
        class: handler.name,
        access,
        prefix: prefix.path,
        hidden: hider !== null,
        hiddenBy: hider || null,
        ...(rules && { rules: rulesAsJson(handler, ruledAs) }),
      }),
    ),
  )
}

const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`

/** Returns a line for each rule of a row, with the file that declares the rule, and for the hooks of its folders. */
function ruleLines({ handler, ruledAs, access }: Row, site: Site): string[] {
  const applied = [...appliedRules(handler, ruledAs)].map(
    ({ name, value, file }) => `    ${name}: ${inJson(value)} (${shownPath(file)})`,
  )
  const guard = site.prefixes.find(({ module }) => module.authenticate)
  const why = guard ? `, since ${shownPath(guard.path)} has an authenticator` : ''
  const byDefault = `    access: ${inJson(access)} (default${why})`
  const hooks = Object.entries(hookFiles(handler)).flatMap(([name, files]) =>
    files.length === 0 ? [] : `    ${name}: ${files.map(shownPath).join(', ')}`,
  )
  const hasAccess = applied.some((line) => line.startsWith('    access:'))
  return [...(hasAccess ? [] : [byDefault]), ...applied, ...hooks]
}

function rulesAsJson(handler: Handler, method: string): object {
  const applied = [...appliedRules(handler, method)].map(({ name, value, file }) => [name, { value, file }])
  return { ...(JSON.parse(inJson(Object.fromEntries(applied))) as object), ...hookFiles(handler) }
}

/** Returns a declared value as JSON. A function, such as `by` of a limit, becomes a text. */
function inJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'function' ? 'a function' : member,
  )
}
