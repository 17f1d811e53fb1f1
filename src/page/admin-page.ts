/** Serves the built admin page: its files, compressed once, with security headers. */
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

/**
 * Content security policy that allows no inline code and no other origin. The style sheet has its icons as data: URLs.
 */
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

const SECURITY_HEADERS = {
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

/** Directory of the built page, relative to this file in the build or in a clone. */
const directory = ['../../ui', '../../dist/ui']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(join(path, 'index.html')))
/** File names of the page. A name from a request must be in this set before it is used as a path. */
const fileNames = new Set(directory === undefined ? [] : readdirSync(directory))
const loadedFiles = new Map<string, PageFile>()

/** Matches a file name that changes with the file's content. */
const HASHED = /-[\w-]{8}\.\w+$/

/**
 * Returns the reply with a file of the page, compressed if the client accepts gzip.
 *
 * @param accepted value of the Accept-Encoding header
 * @throws {HttpError} 404 when the page has no such file
 */
export function pageReply(name: string, accepted = ''): Reply {
  if (directory === undefined) {
    return new Reply(503, Buffer.from(NOT_BUILT), {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
  }
  if (!fileNames.has(name)) throw new HttpError(404, 'The admin page has no such file. Open it at /.')
  const { type, bytes, compressed } = loadedFiles.get(name) ?? load(directory, name)
  const isCompressed = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted)
  return new Reply(200, isCompressed ? compressed : bytes, {
    headers: {
      ...SECURITY_HEADERS,
      'content-type': type,
      'cache-control': HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    },
  })
}

/** Returns the file name of the page's icon; null if the page is not built. */
export function iconFile(): string | null {
  return [...fileNames].find((name) => /^logo-.*\.svg$/.test(name)) ?? null
}

function load(directory: string, name: string): PageFile {
  const bytes = readFileSync(join(directory, name))
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  const file = { type, bytes, compressed: gzipSync(bytes, { level: 9 }) }
  loadedFiles.set(name, file)
  return file
}
