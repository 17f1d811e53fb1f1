/** Checks the status and the headers of a handler's response. Knows no handler and no server. */
import type { HttpResponse, ReplyHeaders } from './types.ts'

const NO_HEADERS: HttpResponse['headers'] = []

/** Matches a name that is no token (RFC 9110 section 5.6.2). */
const NO_TOKEN = /^$|[^!#$%&'*+.^_`|~0-9A-Za-z-]/
/**
 * Matches a character that HTTP forbids in a header value. CR and LF would begin another header (response splitting).
 * Characters beyond ASCII have no encoding in HTTP: node:http sends them in Latin-1 or UTF-8, depending on the body.
 */
const NO_VALUE = /[^\t -~]/

/**
 * Names of the headers that belong to the connection or to the framing of a message (RFC 9110 sections 7.6.1 and 8.6, RFC 9112
 * section 6.1), and of the time of the answer. The adapters write them. A handler that hands on the headers of an answer
 * that it fetched has them too; a second length would let a client read the rest of the body as the next answer.
 */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Status whose answer must name a protocol in `upgrade` (RFC 9110 section 15.5.22). */
const UPGRADE_REQUIRED = 426

/**
 * Returns the headers of a handler with their names in lower case, without those of the connection.
 *
 * @throws {RangeError} for a status that is no integer of 200 to 599
 * @throws {TypeError} for a name or a value that HTTP forbids
 */
export function checkedHead(status: number, headers: ReplyHeaders | undefined): HttpResponse['headers'] {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new RangeError(
      `A response has status ${JSON.stringify(status)}; it must be an integer of 200 to 599.`,
    )
  }
  if (headers === undefined) return NO_HEADERS
  return Object.entries(headers).flatMap(([given, value]) => {
    const name = checkedName(given)
    if (OF_CONNECTION.has(name) && !(name === 'upgrade' && status === UPGRADE_REQUIRED)) return []
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return values.map((each) => [name, checkedValue(name, each)] as const)
  })
}

function checkedName(name: string): string {
  if (!NO_TOKEN.test(name)) return name.toLowerCase()
  throw new TypeError(
    `A response has a header ${JSON.stringify(name)}; a name must be a token: letters, digits and hyphens.`,
  )
}

function checkedValue(name: string, value: unknown): string {
  if (typeof value === 'string' && !NO_VALUE.test(value)) return value
  const header = `The response header "${name}"`
  if (typeof value !== 'string')
    throw new TypeError(`${header} is no string; a value must be a string, or a list of strings.`)
  const found = NO_VALUE.exec(value) as RegExpExecArray
  const point = value.charCodeAt(found.index).toString(16).toUpperCase().padStart(4, '0')
  throw new TypeError(`${header} has the character U+${point}. Percent-encode it, or leave it out.`)
}
