/** Splits the path of a request into segments and positional arguments. Knows no tree. */
import type { HttpError } from './endpoint.ts'
import { webError } from './errors.ts'
import { acceptsCount, type Match } from './match.ts'
import type { Verb } from './verb.ts'

/**
 * Splits a path into segments, then decodes each. Omits empty segments. Returns null for `*` (RFC 9110 section 9.3.7).
 *
 * @throws {HttpError} 400 for a malformed percent-encoding
 */
export function decodeSegments(path: string): string[] | null {
  if (path === '*') return null
  const segments = splitSegments(path)
  if (!path.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    throw webError('bad-encoding', 'A percent-encoding in the path is malformed. Encode "%" itself as %25.')
  }
}

/** Splits a path into segments, which stay encoded. Omits empty segments. */
export function splitSegments(path: string): string[] {
  // RFC 9112 section 3.2.2: a server must accept the absolute form.
  const local = path.startsWith('/') ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
  const segments: string[] = []
  for (let start = 0; start < local.length; ) {
    const slash = local.indexOf('/', start)
    const end = slash < 0 ? local.length : slash
    if (end > start) segments.push(local.slice(start, end))
    start = end + 1
  }
  return segments
}

/**
 * Converts, in place, the segments of a match into the positional arguments of a method.
 *
 * @throws {HttpError} 404 for a wrong number of segments, 400 for a segment of the wrong type
 */
export function positionalArguments({ handler, args: segments }: Match, verb: Verb, path: string): unknown[] {
  if (!acceptsCount(verb, segments.length)) {
    // A path that does not name its class should not get an error about the number of its arguments.
    throw handler.hasSegment ? wrongCount(verb, segments.length) : unknownPath(path)
  }
  const { positionals: validators } = verb
  const { positionals: declared, rest, keywords } = verb.signature
  const args: unknown[] = segments
  for (let i = 0; validators !== null && i < args.length; i++) {
    const at = Math.min(i, declared.length)
    args[i] = validators[at]?.parse(declared[at]?.name ?? (rest as string), args[i] as string)
  }
  // Keyword arguments are last. Pass each missing positional as undefined, so that its default applies.
  while (keywords !== null && args.length < declared.length) args.push(undefined)
  return args
}

/** Creates the 404 of a path that no class answers. */
export function unknownPath(path: string): HttpError {
  return webError(
    'unknown-path',
    `No endpoint answers ${path}. Run "waybill routes" for a list of all paths.`,
  )
}

function wrongCount(
  { required, signature: { positionals: declared, rest } }: Verb,
  count: number,
): HttpError {
  const most = rest !== null ? ' or more' : declared.length > required ? ` to ${declared.length}` : ''
  return webError('wrong-count', `The path has ${count} arguments; expected ${required}${most}.`)
}
