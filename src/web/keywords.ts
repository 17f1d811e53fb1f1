/** Builds the keyword arguments of a request from its query, form or JSON body. Knows no handler. */
import { parse } from 'fast-querystring'
import { webError } from './errors.ts'
import { extractRawMembers, parseObject, refusePrototypes } from './json.ts'
import { mendJson } from './mended-json.ts'
import { BROKEN } from './schema.ts'
import type { Signature } from './signature.ts'
import type { RequestHead } from './types.ts'
import { checkRequired, type Keywords, type KeywordValidator } from './validators.ts'
import type { Verb } from './verb.ts'

export const MAX_FORM_PARTS = 1_000

/**
 * Creates objects that inherit no names. V8 keeps them in fast mode; the objects of `Object.create(null)` are slow-mode
 * dictionaries.
 */
const NullPrototypeObject = function Bag() {} as unknown as new () => Keywords
NullPrototypeObject.prototype = Object.create(null)

/** Parts of a request, besides the body, that keyword arguments come from. */
export interface KeywordSource {
  readonly query: string
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
}

/**
 * Returns the keyword arguments of a request: query parameters merged with body fields, which take precedence. Values
 * of a query or a form are converted to the types of the schema; JSON values are only checked. A name repeated in the
 * query becomes a list. An empty value (`limit=`) that the schema refuses counts as absent. A secret in the query is
 * refused.
 *
 * @throws {HttpError} 400 for an invalid body or parameter, 415 for an unsupported media type
 */
export function keywordsOf(
  request: KeywordSource,
  body: Uint8Array,
  signature: Signature,
  validator: KeywordValidator | null,
): Keywords | Promise<Keywords> {
  const type = body.length === 0 ? 'none' : mediaTypeOf(request)
  if (type === 'multipart/form-data') {
    return parseMultipart(request.contentType as string, body).then((form) => {
      validator?.dropEmpty(form)
      return mergeKeywords(request.query, form, null, signature, validator)
    })
  }
  if (type === 'application/x-www-form-urlencoded') {
    // `curl -d` sends JSON under this media type unless the user sets Content-Type.
    if (body[0] === 0x7b) {
      throw webError(
        'wrong-type',
        'The body looks like JSON, but its Content-Type is a form. Send Content-Type: application/json.',
      )
    }
    const form = parseQuery(textOfForm(body, validator), 'form', validator)
    return mergeKeywords(request.query, form, null, signature, validator)
  }
  if (type === 'none') return mergeKeywords(request.query, null, null, signature, validator)
  if (!validator?.tolerated.size) return mergeKeywords(request.query, null, body, signature, validator)
  return readTolerantly(body, validator, (json) =>
    mergeKeywords(request.query, null, json, signature, validator),
  )
}

/**
 * Reads the keyword arguments of a JSON body, without its broken {@link Tolerated} members.
 *
 * @param read reads a valid body
 * @throws {HttpError} the 400 of `read`, if the other members cannot be read either
 */
export function readTolerantly<T extends Keywords>(
  body: Uint8Array,
  validator: KeywordValidator,
  read: (json: Uint8Array) => T,
): T {
  try {
    return read(body)
  } catch (error) {
    const mended = mendJson(body, validator)
    if (mended === null) throw error
    const keywords: Keywords = read(mended.json)
    for (const name of mended.broken) keywords[name] = BROKEN
    return keywords as T
  }
}

/** Returns the keyword arguments of a WebSocket request, from its query alone. @throws {HttpError} 400 */
export function queryKeywords(
  query: string,
  signature: Signature,
  validator: KeywordValidator | null,
): Keywords {
  return mergeKeywords(query, null, null, signature, validator)
}

/** Returns the members of a WebSocket message as keyword arguments. @throws {HttpError} 400 */
export function messageKeywords(
  message: Uint8Array,
  signature: Signature,
  validator: KeywordValidator | null,
): Keywords {
  return mergeKeywords('', null, message, signature, validator, 'message')
}

/**
 * Returns the keyword arguments of a request whose body is itself an argument, from the query alone. Called before the
 * body is read.
 *
 * @throws {HttpError} 400 for an invalid parameter, 415 for a compressed body
 */
export function keywordsBesideBody(
  head: RequestHead,
  { signature, keywords: validator }: Pick<Verb, 'signature' | 'keywords'>,
): Keywords {
  const keywords = mergeKeywords(head.query, null, null, signature, validator)
  if (head.length !== 0) refuseCompressed(head.header('content-encoding'))
  return keywords
}

/** @param what name of the JSON in the message of an error */
function mergeKeywords(
  query: string,
  form: Keywords | null,
  json: Uint8Array | null,
  signature: Signature,
  validator: KeywordValidator | null,
  what?: string,
): Keywords {
  const members = json && parseObject(json, what)
  const keywords = query === '' ? new NullPrototypeObject() : parseQuery(query, 'query', validator)
  if (query !== '') validator?.checkQuery(keywords)
  if (form) Object.assign(keywords, form)
  if (query !== '' || form) validator?.convert(keywords)
  if (members) Object.assign(keywords, members)
  if (validator) validator.check(keywords, members)
  else checkRequired(keywords, signature)
  if (json && validator && validator.rawMembers.size > 0)
    extractRawMembers(keywords, json, validator.rawMembers, validator.rawValues)
  if (json && validator === null) refusePrototypes(keywords, json, what)
  return keywords
}

/**
 * Returns the text of a urlencoded form. With {@link Tolerated} members it ends at a NUL, as JSON does: a C program ends
 * its text so, and may send the rest of its buffer.
 */
function textOfForm(body: Uint8Array, validator: KeywordValidator | null): string {
  const text = Buffer.from(body).toString('latin1')
  const end = validator?.tolerated.size ? text.indexOf('\0') : -1
  return end < 0 ? text : text.slice(0, end)
}

/**
 * Parses a query or a urlencoded form, and omits the empty values that count as absent.
 *
 * @throws {HttpError} 400 for a malformed percent-encoding (RFC 3986 section 2.1)
 */
function parseQuery(text: string, where: string, validator: KeywordValidator | null): Keywords {
  try {
    if (!validator?.tolerated.size) decodeURIComponent(text)
  } catch {
    throw webError(
      'bad-encoding',
      `A percent-encoding in the ${where} is malformed. Encode "%" itself as %25.`,
    )
  }
  const keywords = parse(text) as Keywords
  validator?.dropEmpty(keywords, text)
  return keywords
}

/**
 * Returns the media type of a body. A missing type counts as JSON, because small devices omit the header.
 *
 * @throws {HttpError} 415 for an unsupported type, charset or content coding
 */
function mediaTypeOf({ contentType, contentEncoding }: KeywordSource): string {
  refuseCompressed(contentEncoding)
  if (contentType === undefined || contentType === '' || contentType === 'application/json') {
    return 'application/json'
  }
  const type = (contentType.split(';', 1)[0] as string).trim().toLowerCase()
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase()
  if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset)) {
    throw webError('wrong-type', `A body in "${charset}" is not accepted. Send it in UTF-8.`)
  }
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(type)) return 'application/json'
  if (type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data') return type
  throw webError('wrong-type', `A body of type "${type}" is not accepted. Send application/json or a form.`)
}

/** @throws {HttpError} 415 for a content coding */
function refuseCompressed(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || contentEncoding.toLowerCase() === 'identity') return
  throw webError(
    'compressed-body',
    `A body in content-encoding "${contentEncoding}" is not accepted. Send it without an encoding.`,
  )
}

async function parseMultipart(contentType: string, body: Uint8Array): Promise<Keywords> {
  // Copied before the first await, because the adapter may reuse the memory of the body.
  const bytes = Buffer.from(body)
  // Loaded with the first multipart form, because the library needs 1 MB of heap.
  const { Busboy } = await import('@fastify/busboy')
  const fields = new NullPrototypeObject()
  const add = (name: string | undefined, value: unknown): void => {
    if (name === undefined) return
    const before = fields[name]
    if (before === undefined) fields[name] = value
    else fields[name] = Array.isArray(before) ? [...before, value] : [before, value]
  }
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown): void =>
      reject(webError('bad-form', `The multipart body does not parse: ${(error as Error).message}`))
    try {
      // The app limits the whole body; these limits bound the cost of one part.
      const limits = { fieldSize: bytes.length, parts: MAX_FORM_PARTS, headerPairs: 100 }
      const busboy = new Busboy({ headers: { 'content-type': contentType }, limits })
      busboy.on('field', add)
      busboy.on('file', (name, stream, filename, _encoding, mediaType) => {
        const chunks: Buffer[] = []
        // The stream fails when the body ends inside a file. Without a listener the error would end the process.
        stream.on('error', refuse)
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const content = Buffer.concat(chunks)
          // HTML standard, "constructing the entry list": a file input left empty sends an empty file without a name.
          if (content.length > 0 || filename) add(name, { filename, mediaType, bytes: content })
        })
      })
      busboy.on('partsLimit', () => refuse(new Error(`it has more than ${MAX_FORM_PARTS} parts. Send fewer`)))
      busboy.on('error', refuse)
      busboy.on('finish', () => resolve(fields))
      busboy.end(bytes)
    } catch (error) {
      refuse(error)
    }
  })
}
