/** One handler class, checked and reflected at load, so that a request only looks things up. Knows no paths. */
import { METHODS } from 'node:http'
import type { TObject, TSchema } from '@sinclair/typebox'
import { type Access, Endpoint, type EndpointClass, isEndpointClass } from './endpoint.ts'
import { kebab, segmentOf } from './names.ts'
import { declared, reflect, type Signature, SignatureError } from './signature.ts'
import { KeywordValidator, PositionalValidator } from './validators.ts'

/** The methods that HTTP knows (the IANA registry, as node keeps it). */
export const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS)

export interface Verb {
  readonly method: (...args: unknown[]) => unknown
  readonly signature: Signature
  /** Positional arguments that have no default. */
  readonly required: number
  readonly keywords: KeywordValidator | null
  /** As many as there are positionals (the rest counts as one), or null: they stay text. */
  readonly positionals: readonly PositionalValidator[] | null
}

export interface Handler {
  readonly name: string
  readonly file: string
  readonly endpoint: EndpointClass
  /** Null: the class says nothing. */
  readonly access: Access | null
  readonly headers: readonly string[]
  /** The number of positional arguments in front of its own segment (a member route): 1 for `/jobs/{id}/cancel`. */
  readonly member: number
  readonly verbs: ReadonlyMap<string, Verb>
  /** The value of `Allow`. */
  readonly allow: string
  readonly nested: ReadonlyMap<string, Handler>
}

/** A tree that cannot be served. Lists every problem, each naming file, class and verb. */
export class TreeError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'TreeError'
  }
}

export type Complain = (problem: string) => void

export function handlerOf(endpoint: EndpointClass, name: string, file: string, complain: Complain): Handler {
  const where = `${file}: class ${name}`
  const verbs = new Map<string, Verb>()
  const methods = verbsOf(endpoint)
  for (const verb of methods) {
    try {
      verbs.set(verb, verbOf(endpoint, verb))
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error
      complain(`${where}, ${verb}: ${error.message}`)
    }
  }
  for (const table of ['keywords', 'positionals', 'signature'] as const) {
    for (const [verb, value] of Object.entries((endpoint[table] as object) ?? {})) {
      if (!methods.has(verb))
        complain(`${where}, ${verb}: static ${table} names it, but there is no such method`)
      else if (value === undefined) complain(`${where}, ${verb}: static ${table} has undefined for it`)
    }
  }
  const { headers = [] } = endpoint as { headers?: unknown }
  // No default for undefined: `access = Roles.Typo` must not open the class.
  const access = 'access' in endpoint ? endpoint.access : null
  if (access !== null && (typeof access !== 'string' || access === '')) {
    complain(`${where}: static access must be 'public', 'any' or the name of a role`)
  }
  if (!Array.isArray(headers) || headers.some((h) => typeof h !== 'string' || h !== h.toLowerCase())) {
    complain(`${where}: static headers must be a list of header names in lower case`)
  }
  const { member = 0 } = endpoint as { member?: unknown }
  if (!Number.isInteger(member) || (member as number) < 0) {
    complain(`${where}: static member must be a number of positional arguments`)
  }
  for (const [verb, { signature }] of verbs) {
    const required = signature.positionals.filter(({ optional }) => !optional).length
    if (required >= (member as number)) continue
    complain(`${where}, ${verb}: static member is ${member}, it needs as many required positional arguments`)
  }
  return {
    name,
    file,
    endpoint,
    member: member as number,
    access: access as Access | null,
    headers: headers as string[],
    verbs,
    allow: allowOf(verbs),
    nested: nestedOf(endpoint, name, file, complain),
  }
}

function nestedOf(
  outer: EndpointClass,
  name: string,
  file: string,
  complain: Complain,
): Map<string, Handler> {
  const found = new Map<string, Handler>()
  for (const key of Object.getOwnPropertyNames(outer)) {
    const value = outer[key]
    if (!isReachable(key) || !isEndpointClass(value)) continue
    const inner = handlerOf(value, `${name}.${key}`, file, complain)
    if (inner.member > 0) complain(`${file}: class ${inner.name}: static member is only for exported classes`)
    addHandler(found, inner, key, complain)
  }
  return found
}

/** Files `handler` under the segment that `key` stands for; two of one name are a clash. */
export function addHandler(
  to: Map<string, Handler>,
  handler: Handler,
  key: string,
  complain: Complain,
): void {
  const segment = kebab(key)
  const other = to.get(segment)
  if (other) {
    complain(
      `${handler.file}: class ${handler.name} and class ${other.name} (${other.file}) both answer /${segmentOf(key)}`,
    )
  }
  to.set(segment, handler)
}

/** `Default` is no segment; leading underscores and the ending `Controller` mark what is only for other code. */
export function isReachable(exported: string): boolean {
  return !exported.startsWith('_') && !exported.endsWith('Controller') && kebab(exported) !== 'default'
}

/** Own and inherited methods that are named after a verb, or `ANY`. */
function verbsOf(endpoint: EndpointClass): Set<string> {
  const found = new Set<string>()
  let prototype = endpoint.prototype as object | null
  while (prototype !== null && prototype !== Endpoint.prototype && prototype !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const { value } = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor
      if (typeof value === 'function' && (name === 'ANY' || KNOWN_METHODS.has(name))) found.add(name)
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  return found
}

function verbOf(endpoint: EndpointClass, verb: string): Verb {
  const method = (endpoint.prototype as unknown as Record<string, Verb['method']>)[verb] as Verb['method']
  const statics = endpoint as {
    signature?: Record<string, unknown>
    keywords?: Record<string, TObject>
    positionals?: Record<string, TSchema[]>
  }
  const explicit = statics.signature?.[verb]
  const signature = explicit === undefined ? reflect(method) : explicitSignature(explicit)
  const schema = statics.keywords?.[verb] ?? null
  const schemas = statics.positionals?.[verb] ?? null
  if (schema) agree(signature, schema)
  const count = signature.positionals.length + (signature.rest === null ? 0 : 1)
  if (schemas && schemas.length !== count) {
    throw new SignatureError(
      `static positionals lists ${schemas.length} schemas, the method takes ${count} positional arguments`,
    )
  }
  return {
    method,
    signature,
    required: signature.positionals.filter(({ optional }) => !optional).length,
    keywords: schema && compiled('keywords', () => new KeywordValidator(schema)),
    positionals:
      schemas && compiled('positionals', () => schemas.map((each) => new PositionalValidator(each))),
  }
}

function explicitSignature(value: unknown): Signature {
  const [count, keys = null] = Array.isArray(value) ? (value as unknown[]) : []
  const areNames = keys === null || (Array.isArray(keys) && keys.every((key) => typeof key === 'string'))
  if (!Number.isInteger(count) || !areNames) {
    throw new SignatureError("its static signature must be like [1, ['command']]")
  }
  return declared(count as number, keys as string[] | null)
}

function compiled<T>(table: string, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    const { message } = error as Error
    throw new SignatureError(`its static ${table} cannot be compiled: use Type of 'waybill' (${message})`)
  }
}

/** What turns a wrapped or down-levelled method into an error at start instead of arguments that never arrive. */
function agree(signature: Signature, schema: TObject): void {
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

function allowOf(verbs: ReadonlyMap<string, Verb>): string {
  if (verbs.has('ANY')) return 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
  const methods = new Set(verbs.keys())
  if (methods.has('GET')) methods.add('HEAD')
  methods.add('OPTIONS')
  return [...methods].sort().join(', ')
}
