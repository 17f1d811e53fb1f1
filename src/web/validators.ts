/** A compiled schema for the arguments of one verb: converts text, fills defaults, refuses with a 400 that names the parameter. */
import type { TObject, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import type { HttpError } from './endpoint.ts'
import { fail } from './errors.ts'
import { describeSchema, fromText, hasDefault, rawMembersOf } from './schema.ts'
import type { Signature } from './signature.ts'

/** Keyword arguments by name; has no prototype, so that no name is special. */
export type Keywords = Record<string, unknown>

export class KeywordValidator {
  readonly schema: TObject
  /** Members of a JSON body that the handler gets as text. */
  readonly rawMembers: ReadonlySet<string>
  readonly #check: TypeCheck<TObject>
  readonly #hasDefault: boolean

  constructor(schema: TObject) {
    this.schema = schema
    this.rawMembers = rawMembersOf(schema)
    this.#check = TypeCompiler.Compile(schema)
    this.#hasDefault = hasDefault(schema)
  }

  /** Converts, in place, the values that came as text. */
  convert(keywords: Keywords): void {
    for (const name of Object.keys(keywords)) {
      const member = Object.hasOwn(this.schema.properties, name) ? this.schema.properties[name] : undefined
      if (member) keywords[name] = fromText(member, keywords[name])
      // A file of a form is an object, and still no JSON.
      if (this.rawMembers.has(name) && typeof keywords[name] === 'object')
        throw invalid(name, member as TSchema)
    }
  }

  /** @throws {HttpError} 400 */
  check(keywords: Keywords): void {
    try {
      if (this.#hasDefault) Value.Default(this.schema, keywords)
      if (this.#check.Check(keywords)) return
    } catch (error) {
      if (error instanceof RangeError) throw fail('bad-keyword', 'The parameters are nested too deeply.')
      throw error
    }
    throw keywordProblem(this.#check.Errors(keywords).First() as ValueError)
  }
}

/** Without a schema the signature alone says what must be there: every key that has no default. */
export function checkRequired(keywords: Keywords, signature: Signature): void {
  for (const { name, optional } of signature.keywords ?? []) {
    if (!optional && keywords[name] === undefined)
      throw fail('bad-keyword', `Parameter "${name}" is missing.`)
  }
}

function keywordProblem(error: ValueError): HttpError {
  const { type, path, schema, value } = innermost(error)
  const name = path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    return fail('bad-keyword', `Parameter "${name}" is not known here: leave it out.`)
  }
  if (value !== undefined) return invalid(name, schema)
  return fail('bad-keyword', `Parameter "${name}" is missing: expected ${describeSchema(schema)}.`)
}

/** Of a union that has a variant for this type of value, the problem is what is wrong inside. */
function innermost(error: ValueError): ValueError {
  if (error.type !== ValueErrorType.Union) return error
  for (const variant of error.errors) {
    const inner = variant.First()
    if (inner && inner.path !== error.path) return innermost(inner)
  }
  return error
}

function invalid(name: string, schema: TSchema): HttpError {
  return fail('bad-keyword', `Parameter "${name}" is not valid: expected ${describeSchema(schema)}.`)
}

export class PositionalValidator {
  readonly schema: TSchema
  readonly #check: TypeCheck<TSchema>

  constructor(schema: TSchema) {
    this.schema = schema
    this.#check = TypeCompiler.Compile(schema)
  }

  /** @throws {HttpError} 400 */
  value(name: string, segment: string): unknown {
    const value = fromText(this.schema, segment)
    if (this.#check.Check(value)) return value
    throw fail(
      'bad-positional',
      `"${name}" in the path is not valid: expected ${describeSchema(this.schema)}.`,
    )
  }
}
