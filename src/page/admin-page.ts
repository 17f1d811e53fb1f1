/** Serves the built admin page: its files, compressed once, and the headers that guard it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { HttpError, Reply } from '../web/endpoint.ts'

interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array
  readonly compressed: Uint8Array
}

/** Nothing inline, nothing from elsewhere. The style sheet carries its icons as data: URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const GUARDS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.md': 'text/plain; charset=utf-8',
}

const NOT_BUILT = 'The admin page is not built. Build it with: npm run build\n'

/** Directory of the built page, as the build and as a clone see it. */
const directory = ['../../ui', '../../dist/ui']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(join(path, 'index.html')))
/** A name from a request is looked up here, it never becomes a path. */
const names = new Set(directory === undefined ? [] : readdirSync(directory))
const read = new Map<string, PageFile>()

/** Matches a file name that changes with the file's content. */
const HASHED = /-[\w-]{8}\.\w+$/

/**
 * @param name of a file
 * @param accepted the request's Accept-Encoding
 * @throws {HttpError} 404: the page has no such file
 */
export function pageReply(name: string, accepted = ''): Reply {
  if (directory === undefined) {
    return new Reply(503, Buffer.from(NOT_BUILT), {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
  }
  if (!names.has(name)) throw new HttpError(404, 'The admin page has no such file. It is at /.')
  const { type, bytes, compressed } = read.get(name) ?? load(directory, name)
  const isCompressed = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted)
  return new Reply(200, isCompressed ? compressed : bytes, {
    headers: {
      ...GUARDS,
      'content-type': type,
      'cache-control': HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    },
  })
}

function load(directory: string, name: string): PageFile {
  const bytes = readFileSync(join(directory, name))
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  const file = { type, bytes, compressed: gzipSync(bytes, { level: 9 }) }
  read.set(name, file)
  return file
}
