/** The responses of one operation: what its class declares, and which errors its access, arguments and class lead to. */
import { STATUS_CODES } from 'node:http'
import { type TSchema, Type } from '@sinclair/typebox'
import type { Access } from './endpoint.ts'
import type { EndpointDocs } from './endpoint-docs.ts'
import { type BareErrors, type ErrorEntry, type ErrorTable, WEB_ERRORS, type WebErrorCode } from './errors.ts'
import type { Verb } from './handler.ts'
import type { JsonSchema, Schemas } from './openapi-schemas.ts'

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema: JsonSchema }>>
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

const FAILURE = {
  error: Type.String(),
  message: Type.String({ description: 'what is wrong and how to mend it' }),
}
const Failure = Type.Object(FAILURE, { title: 'Error' })
/** Returns the schema of an error without a message, such as `Unauthorized`. */
function bareFailure(status: number): TSchema {
  const reason = STATUS_CODES[status] ?? 'Error'
  return Type.Object({ error: Type.Literal(reason) }, { title: reason.replaceAll(' ', '') })
}

/** Every 401 has it (RFC 9110 section 15.5.2). */
const CHALLENGE = { 'WWW-Authenticate': Type.Literal('Bearer') }

export interface ResponsesOptions {
  readonly verb: Verb
  readonly docs: EndpointDocs
  readonly access: Access
  readonly hasBody: boolean
  /** The error tables that hold for the class. */
  readonly tables: readonly ErrorTable[]
  readonly schemas: Schemas
  readonly bareErrors: BareErrors
}

/** By status, `2XX` where the class does not say which, `default` where it does not say what else may go wrong. */
export function responsesOf(options: ResponsesOptions): Record<string, ResponseObject> {
  const { docs, schemas, tables } = options
  const responses: Record<string, ResponseObject> = {}
  for (const [status, schema] of docs.responses ?? []) {
    const headers = status < 400 ? headersOf(docs.replyHeaders, schemas) : {}
    responses[status] = { ...responseObject(status, schema, schemas), ...headers }
  }
  if (!docs.responses) responses['2XX'] = { description: 'what the handler returns' }
  const reasons = new Map<number, ErrorEntry[]>()
  for (const code of webErrors(options)) add(reasons, WEB_ERRORS[code])
  for (const code of docs.errors ?? []) {
    const entry = tables.find((table) => Object.hasOwn(table, code))?.[code]
    if (entry) add(reasons, entry)
  }
  for (const [status, entries] of [...reasons].sort(([a], [b]) => a - b)) {
    responses[status] ??= failures(status, entries, options)
  }
  if (!docs.errors) responses.default = failure('any other error of the handler', Failure, schemas)
  return responses
}

function add(reasons: Map<number, ErrorEntry[]>, entry: ErrorEntry): void {
  reasons.set(entry.status, [...(reasons.get(entry.status) ?? []), entry])
}

/** The errors that share a status. A member that not all of them have may be missing. */
function failures(
  status: number,
  entries: readonly ErrorEntry[],
  { schemas, bareErrors }: ResponsesOptions,
): ResponseObject {
  const description = entries.map(({ when }) => when).join('; ')
  const fields = Object.assign({}, ...entries.map(({ gives }) => gives?.fields)) as Record<string, TSchema>
  const members = Object.entries(fields).map(([name, schema]) => {
    const always = entries.every(({ gives }) => gives?.fields?.[name])
    return [name, always ? schema : Type.Optional(schema)] as const
  })
  const more = members.length > 0 ? Type.Object({ ...FAILURE, ...Object.fromEntries(members) }) : Failure
  const given = entries.map(({ gives }) => gives?.headers)
  const headers: Record<string, TSchema> = Object.assign({}, ...given, status === 401 && CHALLENGE)
  return {
    ...failure(description, bareErrors.has(status) ? bareFailure(status) : more, schemas),
    ...headersOf(headers, schemas),
  }
}

function headersOf(
  headers: Readonly<Record<string, TSchema>>,
  schemas: Schemas,
): Pick<ResponseObject, 'headers'> {
  const all = Object.entries(headers).map(([name, { description, ...schema }]) => {
    return [name, { ...(description && { description }), schema: schemas.of(schema as TSchema) }] as const
  })
  return all.length > 0 ? { headers: Object.fromEntries(all) } : {}
}

/** `contentMediaType` of JSON Schema says that a text or its bytes go out as they are, not as JSON. */
function responseObject(status: number, schema: TSchema | null, schemas: Schemas): ResponseObject {
  const description = (schema?.description as string | undefined) ?? STATUS_CODES[status] ?? 'Answer'
  if (schema === null) return { description }
  const type = (schema.contentMediaType as string | undefined) ?? 'application/json'
  return { description, content: { [type]: { schema: schemas.of(schema) } } }
}

function failure(description: string, schema: TSchema, schemas: Schemas): ResponseObject {
  return { description, content: { 'application/json': { schema: schemas.of(schema) } } }
}

/** Errors of the framework that this operation can meet; what no operation is to blame for is left out. */
function webErrors({ verb, access, hasBody }: ResponsesOptions): WebErrorCode[] {
  const { signature, positionals } = verb
  const hasPositionals = signature.positionals.length > 0 || signature.rest !== null
  const codes: WebErrorCode[] = []
  if (hasPositionals || signature.keywords) codes.push('bad-encoding')
  if (positionals) codes.push('bad-positional')
  if (signature.keywords) codes.push('bad-keyword')
  if (hasBody) codes.push('bad-json', 'bad-form', 'too-large', 'wrong-type')
  if (access !== 'public') codes.push('unauthorized')
  if (access !== 'public' && access !== 'any') codes.push('forbidden')
  return [...codes, 'unexpected', 'closing']
}
