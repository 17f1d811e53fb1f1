/** Determines the media type of strings that a method returns: JSON, unless its class declares another. */
import { RuleError } from './by-verb.ts'

/** Media types by the extension of a class name: `Robots_txt` answers `/robots.txt`. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  xml: 'application/xml',
  yaml: 'application/yaml',
}

/** Checks `static media`, the media type of the strings of a class. @throws {RuleError} */
export function parseMedia(declared: unknown): string {
  if (
    typeof declared === 'string' &&
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w-]+=[\w.+-]+)*$/.test(declared)
  )
    return declared
  throw new RuleError("must be a media type, such as 'text/calendar'")
}

/** Returns the media type that the name of a class implies; null for a name without a known extension. */
export function mediaOfName(className: string): string | null {
  const extension = /_([a-z]+)$/.exec(className)?.[1]
  return (extension && BY_EXTENSION[extension]) || null
}

/** Returns whether a media type is JSON, so that values are serialised. */
export function isJson(type: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)
}
