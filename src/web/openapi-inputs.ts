/** Describes the inputs of one operation: parameters of path and query, and the request body. */
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { isCommaList } from './comma-lists.ts'
import { type MediaType, mediaTypeOf } from './openapi-examples.ts'
import type { ComponentSchemas, JsonSchema } from './openapi-schemas.ts'
import { hasDefault } from './schema.ts'
import type { Verb } from './verb.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description?: string
  /** False for a list in one value, separated by commas. */
  readonly explode?: false
  readonly style?: 'form'
  readonly schema: JsonSchema
}

export interface Inputs {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly description?: string
    readonly required: boolean
    readonly content: Readonly<Record<string, MediaType>>
  }
}

/** Describes the inputs of a method on one of its paths. */
export function inputsOf(
  { signature, keywords, positionals, body, bodyLimit }: Verb,
  path: string,
  hasBody: boolean,
  schemas: ComponentSchemas,
): Inputs {
  const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map((match, i): Parameter => {
    const schema = positionals?.[i]?.schema ?? Type.String({ minLength: 1 })
    const isRest = i >= signature.positionals.length
    const more = isRest && { description: 'one segment or more' }
    return {
      name: match[1] as string,
      in: 'path',
      required: true,
      ...more,
      schema: schemas.reference(schema),
    }
  })
  const isParsed = hasBody && body === null
  const contract =
    signature.keywords === null
      ? null
      : withDefaultsOptional(keywords?.schema ?? schemaOfSignature(signature.keywords, isParsed))
  const inQuery =
    contract && !isParsed ? schemas.inside(contract, () => queryParametersOf(contract, schemas)) : []
  const parameters = [...inPath, ...inQuery]
  const description = bodyLimit !== null && { description: `At most ${bodyLimit} bytes.` }
  const content = hasBody && contract && (isParsed ? parsedContent(contract, schemas) : BINARY)
  const required = isParsed && (contract?.required ?? []).length > 0
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { ...description, required, content } }),
  }
}

/** Content of a body that a method receives as bytes. Any media type is accepted. */
const BINARY = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }

function parsedContent(contract: TObject, schemas: ComponentSchemas): Record<string, MediaType> {
  return { [bodyTypeOf(contract)]: mediaTypeOf(contract, schemas) }
}

/**
 * Returns the media type of a request body: a form for a schema with files, else JSON, although forms are accepted too.
 */
function bodyTypeOf({ properties }: TObject): string {
  const hasFile = Object.values(properties).some(({ format }) => format === 'binary')
  return hasFile ? 'multipart/form-data' : 'application/json'
}

/** Returns the schema for clients, who may omit members with a default. */
function withDefaultsOptional(schema: TObject): TObject {
  const required = schema.required?.filter((name) => !hasDefault(schema.properties[name] as TSchema))
  return { ...schema, required: required?.length ? required : undefined } as TObject
}

/**
 * Derives a schema from the keyword parameters of a signature, for a method without declared schemas. A body may have
 * any JSON. A query has texts, and a list for a repeated name.
 */
function schemaOfSignature(
  keys: readonly { readonly name: string; readonly optional: boolean }[],
  hasBody: boolean,
): TObject {
  const value = hasBody ? Type.Unknown() : Type.Union([Type.String(), Type.Array(Type.String())])
  return Type.Object(
    Object.fromEntries(keys.map(({ name, optional }) => [name, optional ? Type.Optional(value) : value])),
  )
}

function queryParametersOf(schema: TObject, schemas: ComponentSchemas): Parameter[] {
  return Object.entries(schema.properties).map(([name, member]) => {
    const { description, ...rest } = withoutNull(member)
    return {
      name,
      in: 'query',
      required: schema.required?.includes(name) ?? false,
      ...(description && { description }),
      ...(isCommaList(member) && ({ style: 'form', explode: false } as const)),
      schema: schemas.reference(rest as TSchema),
    }
  })
}

/** Removes the variant null from a schema, because a query cannot express null. */
function withoutNull(schema: TSchema): TSchema {
  const variants = (schema.anyOf as TSchema[] | undefined)?.filter(({ type }) => type !== 'null')
  return variants?.length === 1 ? (variants[0] as TSchema) : schema
}
