/** Finds exports that look like endpoints but are unreachable, and misspelt static members. Runs at load. */
import { distance } from 'fastest-levenshtein'
import { isVerb, SOCKET_VERBS } from './by-verb.ts'
import { type EndpointClass, isEndpointClass } from './endpoint.ts'

/** Static members that the framework reads. */
export const STATICS = [
  'access',
  'body',
  'bodyLimit',
  'cache',
  'cors',
  'described',
  'directory',
  'errors',
  'headers',
  'keywords',
  'limit',
  'media',
  'member',
  'operationId',
  'positionals',
  'replyHeaders',
  'responses',
  'segment',
  'signature',
  'subprotocols',
  'summary',
]
/** Renamed static members of earlier releases, with their present names. */
const RENAMED: Readonly<Record<string, string>> = { behind: 'member', answers: 'responses' }

/** Common verbs. A method `get` is likely a mistake; a method `search` is likely a helper. */
const COMMON = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ...SOCKET_VERBS]

/** Likely mistake in a tree, which does not prevent the start. */
export interface TreeWarning {
  readonly file: string
  /** Class that is unreachable, at least for some of its methods. Null when every path is reachable. */
  readonly ignoredClass: string | null
  /** Sentence without its full stop: place, problem and fix. */
  readonly text: string
}

/** Yields a warning for each export that looks like an endpoint but has no path. */
export function* lookAlikes(
  file: string,
  source: string,
  exports: Readonly<Record<string, unknown>>,
): Generator<TreeWarning> {
  for (const [name, value] of Object.entries(exports)) {
    if (!isClass(value)) continue
    const className = name === 'default' ? defaultName(source, value) : name
    for (const text of textsOf(value, { name, className, file, source }))
      yield { file, ignoredClass: className, text }
  }
}

interface ExportedClass {
  readonly name: string
  readonly className: string
  readonly file: string
  readonly source: string
}

function* textsOf(value: EndpointClass, { name, className, file, source }: ExportedClass): Generator<string> {
  const declared = name === 'default' ? /\bexport\s+default\b/ : new RegExp(`\\bclass\\s+${value.name}\\b`)
  const at = `${file}${lineOf(source, declared)}`
  const methods = methodsOf(value)
  if (!isEndpointClass(value)) {
    if (methods.some(isVerb))
      yield `${at}: class ${className} does not extend Endpoint, so no path reaches it`
    return
  }
  if (name === 'default')
    yield `${at}: no path reaches a default export. Export the class by name: export class ${className}`
  for (const method of methods) {
    const verb = method.toUpperCase()
    if (method === verb || !COMMON.includes(verb) || methods.includes(verb)) continue
    const line = lineOf(source, new RegExp(`^\\s*(?:async\\s+|static\\s+)?\\*?\\s*${method}\\s*\\(`, 'm'))
    yield `${line === '' ? at : file + line}: class ${className} has ${method}(), which answers nothing. Verbs are upper case: ${verb}`
  }
  for (const verb of COMMON) {
    const field = new RegExp(
      `(?<=^|[{;}])\\s*(?:(?:public|readonly|override)\\s+)*${verb}\\s*(?::[^=}\\n]*)?=(?![=>])`,
      'm',
    )
    if (
      methods.includes(verb) ||
      !Function.prototype.toString.call(value).includes(verb) ||
      !field.test(source)
    )
      continue
    yield `${file}${lineOf(source, field)}: class ${className} has ${verb} as a field, which answers nothing. Make ${verb} a method`
  }
}

/** Yields a problem for each static member whose name resembles one that the framework reads. */
export function* misspeltStatics(endpoint: EndpointClass): Generator<string> {
  for (const name of Object.getOwnPropertyNames(endpoint)) {
    if (STATICS.includes(name) || name in Function.prototype || isEndpointClass(endpoint[name])) continue
    const renamed = Object.hasOwn(RENAMED, name) ? RENAMED[name] : undefined
    // Names of four letters are within two edits of too many other names.
    const meant = renamed ?? STATICS.find((known) => distance(name, known) <= (known.length > 4 ? 2 : 1))
    if (meant !== undefined) yield `has static ${name}, which means nothing. Rename it to ${meant}`
  }
}

function isClass(value: unknown): value is EndpointClass {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
}

function methodsOf({ prototype }: EndpointClass): string[] {
  const names = Object.getOwnPropertyNames(prototype as object)
  return names.filter((name) => {
    return (
      name !== 'constructor' && typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function'
    )
  })
}

/** Returns the name of a class that is exported by default. A loader invents a name for an anonymous class. */
function defaultName(source: string, { name }: EndpointClass): string {
  const found = /\bexport\s+default\s+class\b(?:\s+(?!extends\b)([\w$]+))?/.exec(source)
  return (found ? found[1] : name) || 'Default'
}

/** Returns `:LINE` of the first match at or after an index; empty without a match. */
export function lineOf(source: string, pattern: RegExp, from = 0): string {
  const found = pattern.exec(source.slice(from))
  if (!found) return ''
  const start = from + found.index + found[0].search(/\S/)
  return `:${source.slice(0, start).split('\n').length}`
}
