/** Query, form and JSON body → keyword arguments. Knows no handler. */
import { Busboy } from '@fastify/busboy'
import { parse } from 'fast-querystring'
import { fail } from './errors.ts'
import { extractRawMembers, parseObject } from './json.ts'
import type { RoutedRequest } from './routed-request.ts'
import type { Signature } from './signature.ts'
import { checkRequired, type Keywords, type KeywordValidator } from './validators.ts'

/** Parts of a multipart form; more are refused. */
export const FORM_PARTS = 1_000

/** Without a prototype that has names. Unlike what `Object.create(null)` makes, it stays an object that the engine reads fast. */
const Bag = function Bag() {} as unknown as new () => Keywords
Bag.prototype = Object.create(null)

/** A file of a multipart form, as a keyword argument. */
export interface FormFile {
  readonly filename: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/**
 * The keyword arguments of one request: query parameters and body fields merged, the body wins. Text is
 * converted to what the schema says, JSON only checked. A name given twice in the query is a list.
 *
 * @throws {HttpError} 400, 415
 */
export function keywordsOf(
  request: RoutedRequest,
  body: Uint8Array,
  signature: Signature,
  validator: KeywordValidator | null,
): Keywords | Promise<Keywords> {
  const type = body.length === 0 ? 'none' : mediaTypeOf(request)
  if (type === 'multipart/form-data') {
    return multipart(request.contentType as string, body).then((form) =>
      finish(request.query, form, null, '', signature, validator),
    )
  }
  if (type === 'application/x-www-form-urlencoded') {
    // What curl -d sends when nobody names a type.
    if (body[0] === 0x7b) {
      throw fail(
        'wrong-type',
        'The body looks like JSON but says it is a form. Send Content-Type: application/json.',
      )
    }
    const form = parseQuery(Buffer.from(body).toString('latin1'), 'form')
    return finish(request.query, form, null, '', signature, validator)
  }
  if (type === 'none') return finish(request.query, null, null, '', signature, validator)
  const { members, text } = parseObject(body)
  return finish(request.query, null, members, text, signature, validator)
}

function finish(
  query: string,
  form: Keywords | null,
  members: Record<string, unknown> | null,
  text: string,
  signature: Signature,
  validator: KeywordValidator | null,
): Keywords {
  const keywords = query === '' ? new Bag() : parseQuery(query, 'query')
  if (form) Object.assign(keywords, form)
  if (query !== '' || form) validator?.convert(keywords)
  if (members) Object.assign(keywords, members)
  if (validator) validator.check(keywords)
  else checkRequired(keywords, signature)
  if (members && validator && validator.rawMembers.size > 0)
    extractRawMembers(keywords, text, validator.rawMembers)
  return keywords
}

/** @throws {HttpError} 400 when a percent-encoding is malformed (RFC 3986 section 2.1), 415 */
function parseQuery(text: string, where: string): Keywords {
  try {
    decodeURIComponent(text)
  } catch {
    throw fail('bad-encoding', `A percent-encoding in the ${where} is malformed. Encode "%" itself as %25.`)
  }
  return parse(text) as Keywords
}

/** The body's media type; JSON where none is given, as small devices leave it out. */
function mediaTypeOf({ contentType, contentEncoding }: RoutedRequest): string {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    throw fail(
      'wrong-type',
      `A body in content-encoding "${contentEncoding}" is not accepted. Send it as it is.`,
    )
  }
  if (contentType === undefined || contentType === '' || contentType === 'application/json') {
    return 'application/json'
  }
  const type = (contentType.split(';', 1)[0] as string).trim().toLowerCase()
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase()
  if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset)) {
    throw fail('wrong-type', `A body in "${charset}" is not accepted. Send it in UTF-8.`)
  }
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(type)) return 'application/json'
  if (type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data') return type
  throw fail('wrong-type', `A body of type "${type}" is not accepted. Send application/json or a form.`)
}

function multipart(contentType: string, body: Uint8Array): Promise<Keywords> {
  const fields = new Bag()
  const add = (name: string | undefined, value: unknown): void => {
    if (name === undefined) return
    const before = fields[name]
    if (before === undefined) fields[name] = value
    else fields[name] = Array.isArray(before) ? [...before, value] : [before, value]
  }
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown): void =>
      reject(fail('bad-form', `The multipart body does not parse: ${(error as Error).message}`))
    try {
      // The body is within the app's limit already; these bound what one part costs.
      const limits = { fieldSize: body.length, parts: FORM_PARTS, headerPairs: 100 }
      const busboy = new Busboy({ headers: { 'content-type': contentType }, limits })
      busboy.on('field', add)
      busboy.on('file', (name, stream, filename, _encoding, mediaType) => {
        const chunks: Buffer[] = []
        // A body that ends within a file; without a listener this would end the process.
        stream.on('error', refuse)
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => add(name, { filename, mediaType, bytes: Buffer.concat(chunks) }))
      })
      busboy.on('partsLimit', () => refuse(new Error(`it has more than ${FORM_PARTS} parts`)))
      busboy.on('error', refuse)
      busboy.on('finish', () => resolve(fields))
      busboy.end(Buffer.from(body))
    } catch (error) {
      refuse(error)
    }
  })
}
