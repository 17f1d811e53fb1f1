/** Validates the arguments of a method: converts text, applies defaults, and names the parameter in the 400. */
import type { TObject, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { Check, Default, type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import { RawJson } from './endpoint.ts'
import { webError } from './errors.ts'
import {
  acceptsType,
  BROKEN,
  describeSchema,
  describeType,
  fromText,
  hasDefault,
  rawMembersOf,
  rawValuesOf,
  secretMembersOf,
  toleratedMembersOf,
} from './schema.ts'
import type { Signature } from './signature.ts'

/** Keyword arguments by name. The object inherits no names, so that none is special. */
export type Keywords = Record<string, unknown>

/** Compiled schema of the keyword arguments of a method. */
export class KeywordValidator {
  readonly schema: TObject
  /** Names of the members that the handler receives as raw JSON. */
  readonly rawMembers: ReadonlySet<string>
  /** Names of the raw members that may have any type. The other raw members are objects. */
  readonly rawValues: ReadonlySet<string>
  /** Names of the members that become {@link BROKEN} instead of causing a refusal. Empty for most schemas. */
  readonly tolerated: ReadonlySet<string>
  readonly #secretMembers: ReadonlySet<string>
  readonly #check: TypeCheck<TObject>
  readonly #hasDefault: boolean
  /** Names of the members that refuse the empty text of a query or a form. */
  readonly #refusesEmpty: ReadonlySet<string>

  constructor(schema: TObject) {
    this.schema = schema
    this.rawMembers = rawMembersOf(schema)
    this.rawValues = rawValuesOf(schema)
    this.tolerated = toleratedMembersOf(schema)
    this.#secretMembers = secretMembersOf(schema)
    this.#check = TypeCompiler.Compile(schema)
    this.#hasDefault = hasDefault(schema)
    this.#refusesEmpty = new Set(
      Object.keys(schema.properties).filter((name) => {
        const member = schema.properties[name] as TSchema
        return !Check(member, [schema], fromText(member, '', [schema]))
      }),
    )
  }

  /**
   * Removes, in place, the empty values of a query or a form that the schema refuses, because a form sends fields that
   * its user left empty. A name without `=` stays, and is refused: `?dryRun` must not mean `dryRun=false`.
   *
   * @param text the query or the form as sent, if it has pairs
   */
  dropEmpty(keywords: Keywords, text = ''): void {
    for (const name of this.#refusesEmpty) {
      if (keywords[name] === '' && !`&${text}&`.includes(`&${name}&`)) delete keywords[name]
    }
  }

  /**
   * Refuses secrets in the parameters of a query.
   *
   * @throws {HttpError} 400 that names the parameter
   */
  checkQuery(query: Keywords): void {
    for (const name of this.#secretMembers) {
      if (!(name in query)) continue
      throw webError(
        'bad-keyword',
        `Parameter "${name}" is in the URL, which proxies and logs keep. Send it in the body.`,
        ...named(name),
      )
    }
  }

  /** Converts, in place, the values of a query or a form to the types of the schema. */
  convert(keywords: Keywords): void {
    for (const name of Object.keys(keywords)) {
      const member = Object.hasOwn(this.schema.properties, name) ? this.schema.properties[name] : undefined
      if (member) keywords[name] = fromText(member, keywords[name], [this.schema])
      if (this.rawValues.has(name)) keywords[name] = new RawJson(JSON.stringify(keywords[name]))
      // A file of a form is an object too, but not JSON.
      else if (this.rawMembers.has(name) && typeof keywords[name] === 'object')
        throw webError(
          'bad-keyword',
          `Parameter "${name}" is not valid: expected ${describeSchema(member as TSchema)}.`,
          ...named(name),
        )
    }
  }

  /**
   * Applies defaults, then checks the keyword arguments.
   *
   * @param json the arguments that come from JSON, for which an error may name the given type. All others were text
   * @throws {HttpError} 400 that names the parameter
   */
  check(keywords: Keywords, json: Keywords | null = keywords): void {
    try {
      if (this.#hasDefault) Default(this.schema, keywords)
      if (this.#check.Check(keywords) || this.#fitsWithoutTolerated(keywords)) return
    } catch (error) {
      if (error instanceof RangeError)
        throw webError('bad-keyword', 'The parameters are nested too deeply. Use fewer levels.')
      throw error
    }
    const { name, text } = this.#problemIn(keywords, json ?? {})
    throw webError('bad-keyword', `Parameter ${text}`, ...named(name))
  }

  /** Marks, in place, the tolerated members that do not match. Returns true if no other member is wrong. */
  #fitsWithoutTolerated(keywords: Keywords): boolean {
    const { properties } = this.schema
    const broken = [...this.tolerated].filter(
      (name) => name in keywords && !Check(properties[name] as TSchema, [this.schema], keywords[name]),
    )
    for (const name of broken) delete keywords[name]
    const fits = broken.length > 0 && this.#check.Check(keywords)
    for (const name of broken) keywords[name] = BROKEN
    return fits
  }

  /**
   * Returns the first problem of values that come from no request: `"speed" is missing: expected …`; null without a
   * problem.
   */
  problemOf(values: Keywords): string | null {
    return this.#check.Check(values) ? null : this.#problemIn(values, values).text
  }

  #problemIn(keywords: Keywords, json: Keywords): KeywordProblem {
    return describeProblem(this.#check.Errors(keywords).First() as ValueError, json)
  }
}

/**
 * Checks the keyword arguments of a method without a schema: every key without a default must be present.
 *
 * @throws {HttpError} 400 that names the missing parameter
 */
export function checkRequired(keywords: Keywords, signature: Signature): void {
  for (const { name, optional } of signature.keywords ?? []) {
    if (!optional && keywords[name] === undefined)
      throw webError('bad-keyword', `Parameter "${name}" is missing.`, ...named(name))
  }
}

interface KeywordProblem {
  readonly name: string
  readonly text: string
}

/** Returns the last arguments of an error about a parameter. */
const named = (name: string) => [undefined, { name }] as const

function describeProblem(error: ValueError, json: Keywords): KeywordProblem {
  const { type, path, schema, value } = innermostError(error)
  const names = path.slice(1).split('/').map(unescapePointer)
  const name = names.join('.')
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    return { name, text: `"${name}" is not known. Omit it.` }
  }
  if (value === undefined) return { name, text: `"${name}" is missing: expected ${describeSchema(schema)}.` }
  const isOfWrongType = Object.hasOwn(json, names[0] as string) && !acceptsType(schema, value)
  const not = isOfWrongType ? `, not ${describeType(value)}` : ''
  return { name, text: `"${name}" is not valid: expected ${describeSchema(schema)}${not}.` }
}

/** Unescapes a name in a JSON Pointer (RFC 6901 section 4). */
function unescapePointer(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

/**
 * Returns the error inside a variant of a union, if a variant has the type of the value; else the error of the union.
 */
function innermostError(error: ValueError): ValueError {
  if (error.type !== ValueErrorType.Union) return error
  for (const variant of error.errors) {
    const inner = variant.First()
    if (inner && inner.path !== error.path) return innermostError(inner)
  }
  return error
}

/** Compiled schema of one positional argument. */
export class PositionalValidator {
  readonly schema: TSchema
  readonly #check: TypeCheck<TSchema>

  constructor(schema: TSchema) {
    this.schema = schema
    this.#check = TypeCompiler.Compile(schema)
  }

  /**
   * Converts and checks a path segment.
   *
   * @param name of the parameter, for the error
   * @throws {HttpError} 400
   */
  parse(name: string, segment: string): unknown {
    const value = fromText(this.schema, segment)
    if (this.#check.Check(value)) return value
    throw webError(
      'bad-positional',
      `"${name}" in the path is not valid: expected ${describeSchema(this.schema)}.`,
      ...named(name),
    )
  }
}
