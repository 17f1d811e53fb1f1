/** Describes the responses of one operation: declared responses, and the errors of access and arguments. */
import { STATUS_CODES } from 'node:http'
import { type TSchema, Type } from '@sinclair/typebox'
import type { AccessRule } from './access-rule.ts'
import type { EndpointDocs } from './endpoint-docs.ts'
import { type BareErrors, type ErrorEntry, type ErrorTable, WEB_ERRORS, type WebErrorCode } from './errors.ts'
import { type MediaType, mediaTypeOf } from './openapi-examples.ts'
import type { ComponentSchemas, JsonSchema } from './openapi-schemas.ts'
import { PROBLEM_TYPE } from './problem.ts'
import { STREAM_TYPES } from './streamed.ts'
import { tagOf, type Verb } from './verb.ts'

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema: JsonSchema }>>
  readonly content?: Readonly<Record<string, MediaType>>
}

const ERROR_MEMBERS = {
  error: Type.String({ description: 'reason phrase of the status', examples: ['Bad Request'] }),
  message: Type.String({
    description: 'what is wrong and how to mend it',
    examples: ['"id" in the path is not valid: expected an integer.'],
  }),
}
const ErrorBody = Type.Object(ERROR_MEMBERS, { title: 'Error' })
/** Schema of a problem details body (RFC 9457). */
const ProblemBody = Type.Object(
  {
    title: Type.String({ description: 'reason phrase of the status', examples: ['Conflict'] }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'what is wrong and how to mend it' }),
    code: Type.Optional(
      Type.String({ description: 'name of the kind of error, for programs', examples: ['client-exists'] }),
    ),
    params: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()]), {
        description: 'values that `detail` names',
        examples: [{ deviseId: 'pump-1' }],
      }),
    ),
  },
  { title: 'Problem', additionalProperties: true },
)

/** Returns the schema of an error body without a message, such as `Unauthorized`. */
function bareErrorBody(status: number): TSchema {
  const reason = STATUS_CODES[status] ?? 'Error'
  return Type.Object({ error: Type.Literal(reason) }, { title: reason.replaceAll(' ', '') })
}

/** Header of every 401 (RFC 9110 section 15.5.2). */
const CHALLENGE = { 'WWW-Authenticate': Type.Literal('Bearer') }

export interface ResponsesOptions {
  readonly verb: Verb
  readonly docs: EndpointDocs
  readonly access: AccessRule
  readonly hasBody: boolean
  /** Error tables that apply to the class, in order of precedence. */
  readonly tables: readonly ErrorTable[]
  readonly schemas: ComponentSchemas
  readonly bareErrors: BareErrors | undefined
  /** True describes errors as problem details too. */
  readonly problems: boolean
}

/**
 * Returns the responses by status. `2XX` stands for the results of a class that declares no responses, `default` for the
 * errors of a class that declares none.
 */
export function responsesOf(options: ResponsesOptions): Record<string, ResponseObject> {
  const { docs, schemas, tables } = options
  const responses: Record<string, ResponseObject> = {}
  for (const [status, schema] of docs.responses ?? []) {
    const headers = status < 400 ? headersOf(docs.replyHeaders, schemas) : {}
    responses[status] = { ...responseObject(status, schema, options), ...headers }
  }
  if (!docs.responses) responses['2XX'] = undeclared(options)
  const reasons = new Map<number, ErrorEntry[]>()
  for (const code of webErrorCodes(options)) addReason(reasons, WEB_ERRORS[code])
  for (const code of docs.errors ?? []) {
    const entry = tables.find((table) => Object.hasOwn(table, code))?.[code]
    if (entry) addReason(reasons, entry)
  }
  for (const [status, entries] of [...reasons].sort(([a], [b]) => a - b)) {
    responses[status] ??= errorResponses(status, entries, options)
  }
  if (!docs.errors) responses.default = errorContent('any other error of the handler', ErrorBody, options)
  return responses
}

function addReason(reasons: Map<number, ErrorEntry[]>, entry: ErrorEntry): void {
  reasons.set(entry.status, [...(reasons.get(entry.status) ?? []), entry])
}

/** Describes all errors that share a status. A member that not all of them have is optional. */
function errorResponses(
  status: number,
  entries: readonly ErrorEntry[],
  options: ResponsesOptions,
): ResponseObject {
  const { schemas, bareErrors } = options
  const description = entries.map(({ when }) => when).join('; ')
  const fields = Object.assign({}, ...entries.map(({ gives }) => gives?.fields)) as Record<string, TSchema>
  const members = Object.entries(fields).map(([name, schema]) => {
    const always = entries.every(({ gives }) => gives?.fields?.[name])
    return [name, always ? schema : Type.Optional(schema)] as const
  })
  const more =
    members.length > 0 ? Type.Object({ ...ERROR_MEMBERS, ...Object.fromEntries(members) }) : ErrorBody
  const given = entries.map(({ gives }) => gives?.headers)
  const headers: Record<string, TSchema> = Object.assign({}, ...given, status === 401 && CHALLENGE)
  return {
    ...errorContent(description, bareErrors?.includes(status) ? bareErrorBody(status) : more, options),
    ...headersOf(headers, schemas),
  }
}

function headersOf(
  headers: Readonly<Record<string, TSchema>>,
  schemas: ComponentSchemas,
): Pick<ResponseObject, 'headers'> {
  const all = Object.entries(headers).map(([name, { description, ...schema }]) => {
    return [
      name,
      { ...(description && { description }), schema: schemas.reference(schema as TSchema) },
    ] as const
  })
  return all.length > 0 ? { headers: Object.fromEntries(all) } : {}
}

/**
 * Describes a declared response. `contentMediaType` of JSON Schema marks text or bytes that are not sent as JSON, and a
 * union of such schemas has several media types. The schema of a stream describes its text, or one line.
 */
function responseObject(
  status: number,
  schema: TSchema | null,
  { schemas, verb }: ResponsesOptions,
): ResponseObject {
  const description = (schema?.description as string | undefined) ?? STATUS_CODES[status] ?? 'Answer'
  if (schema === null) return { description }
  const isString = schema.type === 'string'
  const isGenerator = tagOf(verb.method) === 'AsyncGeneratorFunction'
  const byDefault = isGenerator ? STREAM_TYPES[isString ? 'text' : 'values'] : 'application/json'
  const ofHandler = isString || isGenerator ? verb.media : null
  const variants = (schema.anyOf as TSchema[] | undefined)?.every(({ contentMediaType }) => contentMediaType)
    ? (schema.anyOf as TSchema[])
    : [schema]
  const content = variants.map((each) => {
    const type = (each.contentMediaType as string | undefined) ?? ofHandler ?? byDefault
    return [type, mediaTypeOf(each, schemas)] as const
  })
  return { description, content: Object.fromEntries(content) }
}

/**
 * Describes the result of a method without declared responses. The first item of a stream decides its type at run time.
 */
function undeclared({ verb: { media }, schemas }: ResponsesOptions): ResponseObject {
  const content = media && { content: { [media]: { schema: schemas.reference(Type.String()) } } }
  return { description: 'result of the handler', ...content }
}

function jsonResponse(description: string, schema: TSchema, schemas: ComponentSchemas): ResponseObject {
  return { description, content: { 'application/json': { schema: schemas.reference(schema) } } }
}

function errorContent(
  description: string,
  schema: TSchema,
  { schemas, problems }: ResponsesOptions,
): ResponseObject {
  const { content, ...plain } = jsonResponse(description, schema, schemas)
  const more = problems && { [PROBLEM_TYPE]: { schema: schemas.reference(ProblemBody) } }
  return { ...plain, content: { ...content, ...more } }
}

/**
 * Returns the framework errors that depend on this operation. Omits malformed requests, which are independent of it.
 */
function webErrorCodes({ verb, access, hasBody }: ResponsesOptions): WebErrorCode[] {
  const { signature, positionals, body } = verb
  const hasPositionals = signature.positionals.length > 0 || signature.rest !== null
  const codes: WebErrorCode[] = []
  if (hasPositionals || signature.keywords) codes.push('bad-encoding')
  if (positionals) codes.push('bad-positional')
  if (signature.keywords) codes.push('bad-keyword')
  if (hasBody && body === null) codes.push('bad-json', 'bad-form', 'wrong-type')
  if (hasBody) codes.push('too-large', 'compressed-body')
  if (body === 'stream') codes.push('slow-request')
  if (access !== 'public') codes.push('unauthorized')
  if (access !== 'public' && access !== 'any') codes.push('forbidden')
  return [...codes, 'unexpected', 'closing']
}
