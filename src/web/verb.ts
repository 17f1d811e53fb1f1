/** Reflects and checks one method of a handler class at load, so that a request needs look-ups only. */
import type { TObject, TSchema } from '@sinclair/typebox'
import type { AccessRule } from './access-rule.ts'
import { type BodyForm, bodyFormOf, withoutBody } from './body-form.ts'
import { type ByVerb, isVerb } from './by-verb.ts'
import { misusesComma } from './comma-lists.ts'
import { Endpoint, type EndpointClass } from './endpoint.ts'
import { unknownFormats } from './formats.ts'
import type { Rules } from './rules.ts'
import { declaredSignature, reflect, type Signature, SignatureError } from './signature.ts'
import { KeywordValidator, PositionalValidator } from './validators.ts'

/** One method of a handler class, with its parameters and validators. */
export interface Verb {
  readonly method: (...args: unknown[]) => unknown
  readonly signature: Signature
  /** Number of positional arguments without a default. */
  readonly required: number
  readonly keywords: KeywordValidator | null
  /** One validator per positional parameter; a rest parameter counts as one. Null leaves the arguments as text. */
  readonly positionals: readonly PositionalValidator[] | null
  /** Form of the keyword argument `body`; null when the body is parsed into keyword arguments. */
  readonly body: BodyForm | null
  /** Maximum bytes of body; null for the limit of the server. */
  readonly bodyLimit: number | null
  /** Media type of the strings that the method returns; null for JSON. */
  readonly media: string | null
  /** Null when neither the class nor a folder declares it. */
  readonly access: AccessRule | null
  /** Null when neither the class nor a folder declares rules, so that a request can skip them. */
  readonly rules: Rules | null
}

/** Returns the names of own and inherited methods that are verbs. */
export function verbsOf(endpoint: EndpointClass): Set<string> {
  const found = new Set<string>()
  let prototype = endpoint.prototype as object | null
  while (prototype !== null && prototype !== Endpoint.prototype && prototype !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const { value } = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor
      if (typeof value === 'function' && isVerb(name)) found.add(name)
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  return found
}

/**
 * Reflects a method and compiles its schemas.
 *
 * @param bodies `static body` of the class; null when it has none
 * @throws {SignatureError} for parameters that cannot be read, or that contradict their schemas
 */
export function verbOf(
  endpoint: EndpointClass,
  verb: string,
  bodies: ByVerb<BodyForm> | null,
): Omit<Verb, 'bodyLimit' | 'media' | 'access' | 'rules'> {
  const method = (endpoint.prototype as unknown as Record<string, Verb['method']>)[verb] as Verb['method']
  const statics = endpoint as {
    signature?: Record<string, unknown>
    keywords?: Record<string, TObject>
    positionals?: Record<string, TSchema[]>
  }
  if (tagOf(method) === 'GeneratorFunction') {
    throw new SignatureError(`it is a generator that cannot wait. Write async *${verb} to send a stream`)
  }
  const explicit = statics.signature?.[verb]
  const declared = explicit === undefined ? reflect(method) : explicitSignature(explicit)
  const schema = statics.keywords?.[verb] ?? null
  const body = bodies && bodyFormOf(bodies, verb, declared)
  const signature = body === null ? declared : withoutBody(declared, body, schema?.properties ?? {})
  const schemas = statics.positionals?.[verb] ?? null
  if (schema) checkAgainstSchema(signature, schema)
  for (const each of [schema ?? [], schemas ?? []].flat()) {
    checkFormats(each)
    if (misusesComma(each))
      throw new SignatureError('comma must be true or false, and only a Type.Array may have it')
  }
  const count = signature.positionals.length + (signature.rest === null ? 0 : 1)
  if (schemas && schemas.length !== count) {
    throw new SignatureError(
      `static positionals lists ${schemas.length} schemas, the method takes ${count} positional arguments`,
    )
  }
  return {
    method,
    signature,
    body,
    required: signature.positionals.filter(({ optional }) => !optional).length,
    keywords: schema && compileSchema('keywords', () => new KeywordValidator(schema)),
    positionals:
      schemas && compileSchema('positionals', () => schemas.map((each) => new PositionalValidator(each))),
  }
}

/** Returns the kind of a function, such as `AsyncGeneratorFunction`. */
export function tagOf(method: Verb['method']): string {
  return Object.prototype.toString.call(method).slice('[object '.length, -1)
}

function explicitSignature(value: unknown): Signature {
  const [count, keys = null] = Array.isArray(value) ? (value as unknown[]) : []
  const areNames = keys === null || (Array.isArray(keys) && keys.every((key) => typeof key === 'string'))
  if (!Number.isInteger(count) || !areNames) {
    throw new SignatureError("its static signature must be like [1, ['command']]")
  }
  return declaredSignature(count as number, keys as string[] | null)
}

function checkFormats(schema: TSchema): void {
  const [format] = unknownFormats(schema)
  if (format === undefined) return
  throw new SignatureError(
    `its schema has the format "${format}", which no value fits. Add it with registerFormat, or use pattern`,
  )
}

function compileSchema<T>(table: string, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    const { message } = error as Error
    throw new SignatureError(`its static ${table} cannot be compiled: use Type of 'waybill' (${message})`)
  }
}

/**
 * Checks that the schema has every key of the object pattern. This makes a wrapped or down-levelled method, which hides
 * its pattern, fail at start; otherwise its keyword arguments would never arrive.
 */
function checkAgainstSchema(signature: Signature, schema: TObject): void {
  if (schema.type !== 'object' || !schema.properties) {
    throw new SignatureError('its static keywords must be a Type.Object')
  }
  if (signature.keywords === null) {
    throw new SignatureError(
      'static keywords has a schema for it, but no object pattern was found in last place',
    )
  }
  const unknown = signature.keywords.filter(({ name }) => !Object.hasOwn(schema.properties, name))
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => `"${name}"`).join(', ')
    throw new SignatureError(`its parameter ${names} is not in the schema of static keywords`)
  }
}
