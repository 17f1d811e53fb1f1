/** Reads the request headers that choose among the contents of a static file, or a part of one (RFC 9110, 12.5.3 and 14). */
import { HttpError } from './endpoint.ts'
import type { FileContent } from './read-files.ts'

/**
 * Returns the content with the encoding that the client prefers. Of two with equal preference the first wins.
 *
 * @param contents the file itself last
 * @param accepted value of the Accept-Encoding header
 */
export function contentFor(contents: readonly FileContent[], accepted: string | undefined): FileContent {
  const plain = contents.at(-1) as FileContent
  if (accepted === undefined || contents.length === 1) return plain
  const weights = weightsOf(accepted)
  let best = plain
  let highest = 0
  for (const content of contents) {
    const { encoding } = content
    // A client that names neither identity nor `*` takes it, but prefers what it names.
    const weight = weights.get(encoding ?? 'identity') ?? weights.get('*') ?? (encoding === null ? 0.0001 : 0)
    if (weight <= highest) continue
    best = content
    highest = weight
  }
  return best
}

function weightsOf(accepted: string): ReadonlyMap<string, number> {
  return new Map(
    accepted.split(',').map((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return [name, weight === undefined ? 1 : Number(weight) || 0] as const
    }),
  )
}

/** Part of a content: positions of its first byte and of the byte behind its last. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Returns the range that a request asks for; null for the whole content. Several ranges, or a malformed one, ask for the
 * whole.
 *
 * @param range value of the Range header
 * @param ifRange value of the If-Range header: a range of another version is the whole
 * @throws {HttpError} 416 for a range outside the content
 */
export function rangeOf(
  { bytes: { length }, etag }: FileContent,
  range: string | undefined,
  ifRange: string | undefined,
): ByteRange | null {
  const [, first, last] = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(range ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return null
  if (ifRange !== undefined && ifRange !== etag) return null
  const [from, to] = [Number(first), Number(last)]
  if (first !== '' && last !== '' && to < from) return null
  // `-5` are the last five bytes. An empty content has no part, so its last bytes are the whole.
  if (first === '' && to > 0 && length === 0) return null
  const start = first === '' ? Math.max(0, length - to) : from
  const end = first === '' || last === '' ? length : Math.min(length, to + 1)
  if (start < length) return { start, end }
  throw new HttpError(416, `The file has ${length} bytes. Ask for a range inside it, or leave Range out.`, {
    headers: { 'content-range': `bytes */${length}` },
  })
}
