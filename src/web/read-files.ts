/** Reads a directory of static files into memory. Runs at load, never for a request. */
import { createHash } from 'node:crypto'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { mimes } from 'mrmime'

export const MAX_FILES_BYTES = 67_108_864

/** Content of a file in one encoding. */
export interface FileContent {
  readonly encoding: 'br' | 'gzip' | null
  readonly bytes: Uint8Array
  readonly etag: string
}

export interface StoredFile {
  readonly type: string
  /** True for a name that changes with the content, so that caches may keep the file. */
  readonly isHashed: boolean
  /** Precompressed contents first, the uncompressed file last. */
  readonly contents: readonly FileContent[]
}

/** Endings of precompressed files, in the order of preference. */
const ENCODINGS = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
] as const

/**
 * Reads all files of a directory, by their relative paths. Omits names that begin with a dot, except `.well-known` (RFC 8615).
 *
 * @param root real path of the directory
 * @throws {Error} for a link out of the directory, and for more than {@link MAX_FILES_BYTES}
 */
export async function readFiles(root: string): Promise<ReadonlyMap<string, StoredFile>> {
  const sizes = new Map<string, number>()
  await addSizes(sizes, root, '', [root])
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  if (total > MAX_FILES_BYTES) {
    throw new Error(
      `the files in ${root} have ${total} bytes together, more than ${MAX_FILES_BYTES}. Let a proxy or a stream serve large files`,
    )
  }
  const contents = new Map<string, Omit<FileContent, 'encoding'>>()
  for (const path of sizes.keys()) {
    const bytes = await readFile(join(root, path))
    contents.set(path, {
      bytes,
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`,
    })
  }
  const files = new Map<string, StoredFile>()
  for (const [path, content] of contents) {
    const compressed = ENCODINGS.flatMap(([ending, encoding]) => {
      const found = contents.get(path + ending)
      return found ? [{ ...found, encoding }] : []
    })
    // Some file systems decompose letters (NFD). URLs have them composed.
    files.set(path.normalize('NFC'), {
      type: typeOf(path),
      isHashed: isHashed(path.slice(path.lastIndexOf('/') + 1)),
      contents: [...compressed, { ...content, encoding: null }],
    })
  }
  return files
}

/** @param around real paths of the surrounding directories, to which a link may not lead back */
async function addSizes(
  sizes: Map<string, number>,
  root: string,
  folder: string,
  around: readonly string[],
): Promise<void> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    if (entry.name.startsWith('.') && entry.name !== '.well-known') continue
    const path = `${folder}${entry.name}`
    const real = entry.isSymbolicLink() ? await linked(root, path) : join(around.at(-1) as string, entry.name)
    const stats = await stat(real)
    if (stats.isFile()) sizes.set(path, stats.size)
    if (!stats.isDirectory()) continue
    if (around.includes(real))
      throw new Error(`${join(root, path)} is a link to a directory around it. Remove it`)
    await addSizes(sizes, root, `${path}/`, [...around, real])
  }
}

/** Returns the real path of a link. @throws {Error} for a dangling link, or a link out of the directory */
async function linked(root: string, path: string): Promise<string> {
  const link = join(root, path)
  const real = await realpath(link).catch(() => null)
  if (real === null) throw new Error(`${link} is a link to nothing. Remove it`)
  if (isInside(real, root)) return real
  throw new Error(`${link} is a link out of the directory, to ${real}. Copy the file, or remove the link`)
}

/** Returns whether a path is a directory, or in it. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

function typeOf(path: string): string {
  const extension = extname(path).slice(1).toLowerCase()
  const type = Object.hasOwn(mimes, extension) ? (mimes[extension] as string) : 'application/octet-stream'
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}

/**
 * Returns whether a part of a name is a hash of eight or more hex digits. Decimal digits alone are more likely a date.
 */
function isHashed(name: string): boolean {
  return name.split(/[^0-9a-z]/i).some((part) => /^[0-9a-f]{8,}$/i.test(part) && !/^\d+$/.test(part))
}
