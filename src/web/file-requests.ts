/** Negotiates the encoding and the byte range of a static file (RFC 9110 sections 12.5.3 and 14). */
import { HttpError } from './endpoint.ts'
import type { FileContent } from './read-files.ts'

/**
 * Returns the content with the encoding that the client prefers. The first of several equally preferred contents wins.
 *
 * @param contents the uncompressed file last
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
    // A client that names neither `identity` nor `*` accepts the file uncompressed, but prefers the encodings that it
    // names.
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

/** Byte range of a content: index of the first byte, and index after the last. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Returns the requested range; null for the whole content, which also answers several ranges or a malformed range.
 *
 * @param range value of the Range header
 * @param ifRange value of the If-Range header; a range of another version gets the whole content
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
  // `-5` requests the last five bytes. An empty content has no range, so its last bytes are the whole content.
  if (first === '' && to > 0 && length === 0) return null
  const start = first === '' ? Math.max(0, length - to) : from
  const end = first === '' || last === '' ? length : Math.min(length, to + 1)
  if (start < length) return { start, end }
  throw new HttpError(416, `The file has ${length} bytes. Ask for a range inside it, or leave Range out.`, {
    headers: { 'content-range': `bytes */${length}` },
  })
}
