/** Derives the examples of the API description from schemas. */
import type { TSchema } from '@sinclair/typebox'
import type { ComponentSchemas, JsonSchema } from './openapi-schemas.ts'

export interface MediaType {
  readonly schema: JsonSchema
  readonly example?: unknown
}

export function mediaTypeOf(schema: TSchema, schemas: ComponentSchemas): MediaType {
  const example = exampleOf(schema)
  return { schema: schemas.reference(schema), ...(example !== undefined && { example }) }
}

/**
 * Returns a value that matches a schema: the first of its `examples`, its default, or a value composed of the examples
 * of its members. Returns undefined for a text without an example, and for every schema that contains such a text.
 */
export function exampleOf(schema: TSchema): unknown {
  if (schema.examples) return (schema.examples as unknown[])[0]
  if ('default' in schema) return schema.default
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return (schema.anyOf as TSchema[]).map(exampleOf).find((each) => each !== undefined)
  switch (schema.type) {
    case 'null':
      return null
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'array':
      return listOf(schema)
    case 'object':
      return objectOf(schema)
  }
  return undefined
}

function listOf({ items }: TSchema): unknown[] | undefined {
  if (typeof items !== 'object' || Array.isArray(items)) return undefined
  const item = exampleOf(items as TSchema)
  return item === undefined ? undefined : [item]
}

function objectOf({ properties = {}, required = [] }: TSchema): object | undefined {
  const members = Object.entries(properties as Record<string, TSchema>)
    .map(([name, member]) => [name, exampleOf(member)] as const)
    .filter(([, example]) => example !== undefined)
  const names = members.map(([name]) => name)
  const isComplete = (required as string[]).every((name) => names.includes(name))
  return isComplete ? Object.fromEntries(members) : undefined
}
