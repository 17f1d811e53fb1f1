/** Serves a directory of static files from memory, as an endpoint class. */
import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { matchesETag } from './cache.ts'
import { Endpoint, type EndpointClass, HttpError, Reply } from './endpoint.ts'
import { contentFor, rangeOf } from './file-requests.ts'
import type { Handler } from './handler.ts'
import { PREPARE } from './prepare.ts'
import { isInside, readFiles, type StoredFile } from './read-files.ts'

interface FileTable {
  readonly files: ReadonlyMap<string, StoredFile>
  readonly index: string | null
  /** True when `static cache` or a folder declares a cache rule, which replaces the Cache-Control of the files. */
  readonly hasCacheRule: boolean
}

/** Files by class, filled when the class is loaded. */
const TABLES = new WeakMap<object, FileTable>()

/** Request headers that {@link Files} needs. */
const HEADERS: readonly string[] = ['accept-encoding', 'if-none-match', 'if-range', 'range']

/**
 * Base of a class that serves a directory of files: `export class Assets extends Files { static directory = 'public' }`
 * answers `GET /assets/app.js` with `public/app.js`. The directory is read when the class is loaded; a request never
 * reaches the file system.
 *
 * Static members beside those of {@link Endpoint}:
 * - `directory`: path of the directory, relative to the file of the class
 * - `index`: name of the file that stands for a directory, or null. Default: `index.html`
 *
 * @example
 * ```ts
 * class Assets extends Files {
 *   static directory = 'public'
 * }
 * ```
 */
export class Files extends Endpoint {
  static index: string | null = 'index.html'
  static described = false
  static headers = HEADERS

  static async [PREPARE]({ endpoint, file, verbs }: Handler, directories: string[]): Promise<void> {
    const directory = checkedStatics(endpoint)
    const named = resolve(dirname(file), directory)
    const root = await realpath(named).catch(() => named)
    const stats = await stat(root).catch(() => null)
    if (!stats?.isDirectory())
      throw new Error(
        `static directory names ${named}, and there is no such directory. Make it, or correct the name`,
      )
    if (isInside(await realpath(file), root)) {
      throw new Error(
        `static directory names ${named}, which holds this file. Name a directory of public files alone`,
      )
    }
    directories.push(named, root)
    const hasCacheRule = Boolean(verbs.get('GET')?.rules?.cache)
    TABLES.set(endpoint, {
      files: await readFiles(root),
      index: endpoint.index as string | null,
      hasCacheRule,
    })
  }

  GET(...path: string[]): Reply {
    const table = TABLES.get(this.constructor)
    if (!table) throw new Error('The files are read when the framework loads the class. Test it with inject.')
    const name = path.join('/')
    const isFolder = this.call.path.endsWith('/')
    const indexName = table.index === null ? null : [...path, table.index].join('/')
    const index = indexName === null ? undefined : table.files.get(indexName)
    const file = isFolder ? index : table.files.get(name)
    // A decoded segment may contain a slash; a file name cannot.
    if (path.some((segment) => segment.includes('/')) || !(file ?? index)) {
      throw new HttpError(
        404,
        `No file answers ${this.call.path}. Check its name; upper and lower case differ.`,
      )
    }
    return file ? this.#reply(file, table) : this.#redirect(table)
  }

  #reply({ type, isHashed, contents }: StoredFile, table: FileTable): Reply {
    const { headers } = this.call
    const content = contentFor(contents, headers['accept-encoding'])
    const shared = {
      etag: content.etag,
      ...this.#cacheControl(isHashed ? 'max-age=31536000, immutable' : 'no-cache', table),
      ...(contents.length > 1 && { vary: 'Accept-Encoding' }),
    }
    if (matchesETag(headers['if-none-match'], content.etag))
      return new Reply(304, undefined, { headers: shared })
    const all = {
      'content-type': type,
      ...(content.encoding && { 'content-encoding': content.encoding }),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      ...shared,
    }
    const range = this.call.method === 'GET' ? rangeOf(content, headers.range, headers['if-range']) : null
    if (!range) return new Reply(200, content.bytes, { headers: all })
    const { start, end } = range
    return new Reply(206, content.bytes.subarray(start, end), {
      headers: { ...all, 'content-range': `bytes ${start}-${end - 1}/${content.bytes.length}` },
    })
  }

  /** Redirects to the path with a trailing slash, so that relative links of the index resolve. */
  #redirect(table: FileTable): Reply {
    const { path, query } = this.call
    // Relative, because a path that begins with two slashes would name another host.
    const location = `./${path.slice(path.lastIndexOf('/') + 1)}/${query === '' ? '' : `?${query}`}`
    // Node passes on bytes beyond ASCII in Latin-1, and no header may contain them.
    const encoded = location.replace(/[^!-~]/g, (each) => `%${Buffer.from(each, 'latin1').toString('hex')}`)
    return new Reply(308, undefined, {
      headers: { location: encoded, ...this.#cacheControl('no-cache', table) },
    })
  }

  #cacheControl(value: string, { hasCacheRule }: FileTable): { readonly 'cache-control'?: string } {
    if (hasCacheRule) return {}
    return { 'cache-control': this.call.identity === null ? value : `private, ${value}` }
  }
}

/** Returns `static directory`. @throws {Error} for an invalid static member */
function checkedStatics({ directory, index, headers }: EndpointClass): string {
  const isName = typeof index === 'string' && index !== '' && !index.includes('/')
  if (!isName && index !== null)
    throw new Error("static index must be the name of a file, like 'index.html', or null")
  if (!HEADERS.every((name) => (headers as readonly string[]).includes(name)))
    throw new Error('static headers must keep those of Files: static headers = [...Files.headers, …]')
  if (typeof directory === 'string' && directory !== '') return directory
  throw new Error("static directory must be a path, relative to this file, like 'public'")
}
