/** Adds schema types that TypeBox lacks, converts text to typed values, and describes schemas for error messages. */
import {
  Kind,
  type Static,
  type TObject,
  type TOptional,
  type TSchema,
  type TUnsafe,
  Type,
  TypeRegistry,
} from '@sinclair/typebox'
import { Check } from '@sinclair/typebox/value'
import { splitAtCommas } from './comma-lists.ts'
import type { RawJson } from './endpoint.ts'
import type { FormFile } from './types.ts'

export { type Static, type TObject, type TSchema, type TUnsafe, Type }

export interface TextOptions {
  readonly minLength?: number
  readonly maxLength?: number
  /** True refuses control characters: U+0000 to U+001F and U+007F to U+009F. */
  readonly noControls?: boolean
  /** True refuses a text that is empty or has only white space. */
  readonly notBlank?: boolean
  /** Value of a parameter that is not sent. */
  readonly default?: string
  readonly description?: string
  /** Name of the schema in the API description. */
  readonly title?: string
  /** Values for the examples of the API description. */
  readonly examples?: readonly string[]
}

const TEXT = 'waybill.Text'
const CHOICE = 'waybill.Choice'
const FILE = 'waybill.File'
const ANYTHING = 'waybill.Anything'
const RAW = Symbol.for('waybill.raw-json-object')
const RAW_VALUE = Symbol.for('waybill.raw-json-value')
const SECRET = Symbol.for('waybill.secret')
const TOLERATED = Symbol.for('waybill.tolerated')

/** Value of a {@link Tolerated} member that was sent but is unusable. */
export const BROKEN: unique symbol = Symbol('broken')

/** Maximum size of a body with a {@link Tolerated} member, as a multiple of the general limit. */
export const TOLERATED_TIMES = 4

TypeRegistry.Set<TextOptions>(TEXT, (schema, value) => {
  if (typeof value !== 'string' || !value.isWellFormed()) return false
  if (schema.noControls && /\p{Cc}/u.test(value)) return false
  if (schema.notBlank && value.trim() === '') return false
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  // A character has one or two UTF-16 units, so the length in units decides for most texts without counting.
  const { length: units } = value
  if (units <= maxLength && units >= 2 * minLength) return true
  const { length } = [...value]
  return length >= minLength && length <= maxLength
})

TypeRegistry.Set<{ enum: readonly string[] }>(CHOICE, (schema, value) =>
  schema.enum.includes(value as string),
)

TypeRegistry.Set(ANYTHING, () => true)

TypeRegistry.Set(FILE, (_schema, value) => (value as Partial<FormFile> | null)?.bytes instanceof Uint8Array)

/**
 * Schema of a well-formed Unicode string. Its length is counted in code points, as in JSON Schema. `Type.String` would
 * count UTF-16 units and accept lone surrogates, which a database does not return unchanged.
 *
 * @example
 * ```ts
 * const Name = Text({ minLength: 1, maxLength: 100, noControls: true })
 * ```
 */
export function Text(options: TextOptions = {}): TUnsafe<string> {
  return Type.Unsafe<string>({ ...options, [Kind]: TEXT, type: 'string' })
}

/**
 * Schema of a text that a request may have only in its body, such as a password, because proxies and logs record URLs.
 * Only for direct members of the keyword arguments.
 *
 * @example
 * ```ts
 * const NewUser = Type.Object({ id: Text(), password: Secret({ minLength: 12 }) })
 * ```
 */
export function Secret(options: TextOptions = {}): TUnsafe<string> {
  return Type.Unsafe<string>({ ...Text(options), writeOnly: true, [SECRET]: true })
}

/**
 * Schema of one of the given strings.
 *
 * @example
 * ```ts
 * const Speed = Choice(['slow', 'fast'], { default: 'slow' })
 * ```
 */
export function Choice<const T extends string>(
  values: readonly T[],
  options: { default?: T; description?: string; title?: string } = {},
): TUnsafe<T> {
  return Type.Unsafe<T>({ ...options, [Kind]: CHOICE, type: 'string', enum: values })
}

/**
 * Schema of a JSON object that the handler receives as the text that the client sent (a {@link RawJson}). Numbers beyond
 * 2^53, `1.0`, key order and escapes survive. Only for direct members of a JSON body.
 *
 * @example
 * ```ts
 * const Command = Type.Object({ command: Text(), data: RawJsonObject() })
 * ```
 */
export function RawJsonObject(
  options: { description?: string; title?: string; examples?: readonly object[] } = {},
): TUnsafe<RawJson> {
  return Type.Unsafe<RawJson>({
    ...Type.Object({}, { ...options, additionalProperties: true }),
    [RAW]: true,
  })
}

/**
 * Schema of any JSON value except null, which the handler receives as the text that the client sent (a {@link
 * RawJson}). A text of a query or a form becomes a JSON string. Only for direct members of the keyword arguments.
 */
export function RawJsonValue(
  options: { description?: string; examples?: readonly unknown[] } = {},
): TUnsafe<RawJson | null> {
  return Type.Unsafe<RawJson | null>({ ...options, [Kind]: ANYTHING, [RAW]: true, [RAW_VALUE]: true })
}

/** Schema that accepts every value. The options are for the API description alone. */
export function Anything(
  options: { description?: string; examples?: readonly unknown[] } = {},
): TUnsafe<unknown> {
  return Type.Unsafe<unknown>({ ...options, [Kind]: ANYTHING })
}

/**
 * Schema of a file in a multipart form.
 *
 * @example
 * ```ts
 * const Upload = Type.Object({ photo: File({ description: 'PNG or JPEG' }) })
 * ```
 */
export function File(
  options: { description?: string; examples?: readonly string[] } = {},
): TUnsafe<FormFile> {
  return Type.Unsafe<FormFile>({ ...options, [Kind]: FILE, type: 'string', format: 'binary' })
}

/**
 * Schema of an optional member. Null counts as absent.
 *
 * @example
 * ```ts
 * const Query = Type.Object({ limit: Maybe(Type.Integer({ minimum: 1 })) })
 * ```
 */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/**
 * Schema of an optional member that never causes a refusal: an invalid value becomes {@link BROKEN}. The body may be
 * larger than others. Only for direct members of the keyword arguments.
 */
export function Tolerated<T extends TSchema>(schema: T): TOptional<TUnsafe<Static<T> | typeof BROKEN>> {
  return Type.Optional(Type.Unsafe<Static<T> | typeof BROKEN>({ ...schema, [TOLERATED]: true }))
}

export function rawMembersOf(schema: TObject): ReadonlySet<string> {
  return membersWith(RAW, schema)
}

export function rawValuesOf(schema: TObject): ReadonlySet<string> {
  return membersWith(RAW_VALUE, schema)
}

export function secretMembersOf(schema: TObject): ReadonlySet<string> {
  return membersWith(SECRET, schema)
}

export function toleratedMembersOf(schema: TObject): ReadonlySet<string> {
  return membersWith(TOLERATED, schema)
}

function membersWith(mark: symbol, { properties }: TObject): ReadonlySet<string> {
  const isMarked = (member: TSchema): boolean => mark in member || (member.anyOf?.some(isMarked) ?? false)
  return new Set(Object.keys(properties).filter((name) => isMarked(properties[name] as TSchema)))
}

/** Returns whether a schema, or a nested schema, has a default. */
export function hasDefault(schema: TSchema): boolean {
  const nested: TSchema[] = [
    ...Object.values((schema.properties ?? {}) as Record<string, TSchema>),
    ...(schema.anyOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ]
  return 'default' in schema || nested.some(hasDefault)
}

/**
 * Converts text from a path, a query or a form to the type of `schema`. Returns inconvertible text unchanged, so that
 * the following check refuses it. Conversion is strict: `1.0`, ` 1` and `0x1` are not integers.
 *
 * @param around schemas to which `schema` refers
 */
export function fromText(schema: TSchema, text: unknown, around: TSchema[] = []): unknown {
  if (schema.type === 'string') return text
  if (schema.anyOf) {
    for (const variant of schema.anyOf as TSchema[]) {
      const value = fromText(variant, text, around)
      if (Check(variant, around, value)) return value
    }
    return text
  }
  if (schema.type === 'array') {
    const given = Array.isArray(text) ? text : [text]
    const items = schema.comma
      ? given.flatMap((item) => (typeof item === 'string' ? splitAtCommas(item) : [item]))
      : given
    return items.map((item) => fromText(schema.items as TSchema, item, around))
  }
  if (typeof text !== 'string') return text
  const number = Number(text)
  if (schema.type === 'integer' && /^-?\d+$/.test(text) && Number.isSafeInteger(number)) return number
  if (schema.type === 'number' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) && Number.isFinite(number)) {
    return number
  }
  if (schema.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Describes a schema for an error message: "a string of 1 to 255 characters". */
export function describeSchema(schema: TSchema): string {
  if (schema.format === 'binary') return 'a file of a multipart form'
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (schema.anyOf) return [...new Set((schema.anyOf as TSchema[]).map(describeSchema))].join(' or ')
  if ('const' in schema) return JSON.stringify(schema.const)
  const { minimum: min, maximum: max, minLength, maxLength } = schema
  switch (schema.type) {
    case 'string': {
      const noun = schema.notBlank ? 'a non-blank string' : 'a string'
      const isBounded = minLength !== undefined || maxLength !== undefined
      return [
        noun,
        isBounded ? ` of ${describeRange(minLength, maxLength)} characters` : '',
        schema.noControls ? ' without control characters' : '',
        schema.pattern === undefined ? '' : ` like ${schema.pattern}`,
        schema.format === undefined ? '' : ` of format ${schema.format}`,
      ].join('')
    }
    case 'RegExp':
      return `a string like ${schema.source}`
    case 'integer':
    case 'number': {
      const noun = schema.type === 'integer' ? 'an integer' : 'a number'
      return min === undefined && max === undefined ? noun : `${noun} of ${describeRange(min, max)}`
    }
    case 'array':
      return `a list, each item ${describeSchema(schema.items as TSchema)}`
    case 'object':
      return 'a JSON object'
    case 'boolean':
      return 'true or false'
    default:
      return schema.type ?? 'another value'
  }
}

/** Describes the type of a JSON value for an error message. */
export function describeType(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a JSON object' : `a ${typeof value}`
}

/** Returns whether a schema accepts the JSON type of a value. True for a schema without a type. */
export function acceptsType(schema: TSchema, value: unknown): boolean {
  if (schema.anyOf) return (schema.anyOf as TSchema[]).some((variant) => acceptsType(variant, value))
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && schema.format !== 'binary'
    case 'RegExp':
      return typeof value === 'string'
    case 'integer':
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    default:
      return true
  }
}

function describeRange(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `at most ${max}`
  return max === undefined ? `at least ${min}` : `${min} to ${max}`
}
