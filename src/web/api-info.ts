/** Defines and checks the title of an API description, which a `_services` file may export as `info`. */
import { Errors, ValueErrorType } from '@sinclair/typebox/errors'
import { describeSchema, type Static, Text, Type } from './schema.ts'

const Line = Text({ minLength: 1 })
const Contact = Type.Partial(Type.Object({ name: Line, url: Line, email: Line }), {
  additionalProperties: false,
})
const License = Type.Object(
  { name: Line, identifier: Type.Optional(Line), url: Type.Optional(Line) },
  { additionalProperties: false },
)

/** Info object of OpenAPI 3.1. `identifier` of the licence is an SPDX identifier. */
const ApiInfo = Type.Object(
  {
    title: Line,
    version: Line,
    summary: Type.Optional(Line),
    description: Type.Optional(Line),
    termsOfService: Type.Optional(Line),
    contact: Type.Optional(Contact),
    license: Type.Optional(License),
  },
  { additionalProperties: false },
)

/**
 * Title and version of an API description: the `info` object of OpenAPI 3.1.
 *
 * @example
 * ```ts
 * const info: ApiInfo = { title: 'Pump house', version: '2.1.0', license: { name: 'MIT', identifier: 'MIT' } }
 * ```
 */
export type ApiInfo = Static<typeof ApiInfo>

/** Returns the problem of an exported `info` and its fix; null for a valid `info`. */
export function infoProblem(info: unknown): string | null {
  const error = Errors(ApiInfo, info).First()
  if (!error) return null
  const { type, path, schema } = error
  const name = `info${path.replaceAll('/', '.')}`
  if (path === '') return "info must be an object like { title: 'Pump house', version: '2.1.0' }"
  if (type === ValueErrorType.ObjectAdditionalProperties)
    return `${name} is not known. ${name.slice(0, name.lastIndexOf('.'))} may have ${Object.keys(schema.properties).join(', ')}`
  return `${name} must be ${describeSchema(schema)}`
}
