/**
 * Reads an API description like a client: its operations, matching and non-matching inputs, and whether an answer
 * matches.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDescription, Operation } from '../../src/web/openapi.ts'
import type { Parameter } from '../../src/web/openapi-inputs.ts'

export type Schema = Readonly<Record<string, unknown>>

export interface Described {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export function operationsOf({ paths }: ApiDescription): Described[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

export interface Input {
  readonly parameters: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export function targetOf({ path, operation }: Described, { parameters }: Input): string {
  const query = new URLSearchParams()
  let target = path
  for (const { name, in: place } of operation.parameters ?? []) {
    const value = parameters[name]
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(String(value)))
    else for (const each of [value].flat()) if (each !== undefined) query.append(name, String(each))
  }
  return query.size === 0 ? target : `${target}?${query}`
}

/** Part of the description of a member that makes no request invalid. */
const IS_DROPPED = /another value is dropped/

const DECLARED_HEADERS = ['link', 'location', 'retry-after', 'content-disposition', 'www-authenticate']

export class Reader {
  readonly #description: ApiDescription
  readonly #ajv = new Ajv2020({ strict: false, unicodeRegExp: true })

  /** Compiled schemas by their text: many answers have the same schema. */
  readonly #validators = new Map<string, ValidateFunction>()
  readonly #known: readonly unknown[]
  readonly #files: readonly Blob[]

  /**
   * @param known values of path parameters that exist on the server
   * @param files files to upload
   */
  constructor(description: ApiDescription, known: readonly unknown[], files: readonly Blob[]) {
    this.#description = description
    this.#known = known
    this.#files = files
    this.#ajv.addFormat('binary', true)
    this.#ajv.addSchema(description, 'api')
  }

  /** Returns null if the answer matches its description, else the mismatch. */
  complaint(
    { method, operation }: Described,
    answer: { status: number; type: string; text: string; headers: readonly string[] },
  ): string | null {
    const { responses } = operation
    const { status, type, text, headers } = answer
    const declared = responses[status] ?? responses[`${String(status)[0]}XX`] ?? responses.default
    if (!declared) return `status ${status} is not declared: ${text}`
    const names = Object.keys(declared.headers ?? {}).map((name) => name.toLowerCase())
    const undeclared = headers.find((name) => DECLARED_HEADERS.includes(name) && !names.includes(name))
    if (undeclared !== undefined) return `${status} has a header ${undeclared} that is not declared`
    if (!declared.content || method === 'HEAD') return null
    const described = Object.entries(declared.content) as [string, { schema: Schema }][]
    const [mediaType, { schema }] = (described.find(([each]) => each === type) ?? described[0]) as [
      string,
      { schema: Schema },
    ]
    if (mediaType === '*/*') return null
    if (type !== mediaType) return `${status} has type ${type}, not ${mediaType}`
    if (mediaType !== 'application/json') return null
    const misfit = this.misfit(schema, JSON.parse(text))
    return misfit === null ? null : `${status}: ${misfit}: ${text}`
  }

  /** Returns null if a value matches a schema of the description, else the mismatch. */
  misfit(schema: Schema, value: unknown): string | null {
    const validate = this.#validatorOf(schema)
    return validate(value) ? null : this.#ajv.errorsText(validate.errors)
  }

  #validatorOf(schema: Schema): ValidateFunction {
    const text = JSON.stringify(schema)
    const validate = this.#validators.get(text) ?? this.#ajv.compile(rebased(text))
    this.#validators.set(text, validate)
    return validate
  }

  /** Returns inputs that the operation must accept. */
  good({ operation }: Described): Arbitrary<Input> {
    const parameters = (operation.parameters ?? []).map((each) => [each.name, this.#parameter(each)] as const)
    const required = (operation.parameters ?? []).filter((each) => each.required).map(({ name }) => name)
    const body = bodyOf(operation)
    return fc.record({
      parameters: fc.record(Object.fromEntries(parameters), { requiredKeys: required }),
      body: body ? this.#fitting(body) : fc.constant(undefined),
    })
  }

  /** Returns good inputs with one fault that the description forbids; null if it forbids nothing. */
  bad(described: Described): Arbitrary<Input> | null {
    const { operation } = described
    const spoilers: ((input: Input) => Input)[] = []
    for (const { name, schema, required, in: place } of operation.parameters ?? []) {
      if (required && place === 'query') {
        spoilers.push((input) => ({ ...input, parameters: omit(input.parameters, name) }))
      }
      for (const value of this.#wrongText(schema)) {
        spoilers.push((input) => ({ ...input, parameters: { ...input.parameters, [name]: value } }))
      }
    }
    const body = this.#resolved(bodyOf(operation) ?? {})
    const wrong = takesFiles(operation) ? this.#wrongText : this.#wrong
    for (const [name, schema] of Object.entries((body.properties ?? {}) as Record<string, Schema>)) {
      if (IS_DROPPED.test(JSON.stringify(schema))) continue
      if ((body.required as string[] | undefined)?.includes(name)) {
        spoilers.push((input) => ({ ...input, body: omit(input.body as object, name) }))
      }
      for (const value of wrong.call(this, schema)) {
        spoilers.push((input) => ({ ...input, body: { ...(input.body as object), [name]: value } }))
      }
    }
    if (spoilers.length === 0) return null
    return fc.tuple(this.good(described), fc.constantFrom(...spoilers)).map(([input, spoil]) => spoil(input))
  }

  #parameter({ schema, in: place }: Parameter): Arbitrary<unknown> {
    const fitting = this.#fitting(schema)
    if (place === 'query') return fitting
    const fits = this.#validatorOf(schema)
    const known = this.#known.filter((value) => fits(value))
    // An empty segment of a path counts as no segment.
    return fc.oneof(...known.map(fc.constant), fitting).filter((value) => value !== '')
  }

  #resolved(schema: Schema): Schema {
    const { $ref } = schema
    if (typeof $ref !== 'string') return schema
    return this.#description.components.schemas[$ref.split('/').at(-1) as string] as Schema
  }

  #fitting(given: Schema): Arbitrary<unknown> {
    const schema = this.#resolved(given)
    const { minimum: min, maximum: max, minLength, maxLength } = schema as Record<string, number | undefined>
    if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]))
    if ('const' in schema) return fc.constant(schema.const)
    if (schema.anyOf) return fc.oneof(...(schema.anyOf as Schema[]).map((each) => this.#fitting(each)))
    switch (schema.type) {
      case 'string': {
        if (schema.format === 'binary') return fc.constantFrom(...this.#files)
        const most = Math.min(maxLength ?? 30, 30)
        const texts =
          schema.pattern === undefined
            ? fc.string({ unit: 'grapheme', minLength: minLength ?? 0, maxLength: most })
            : fc.stringMatching(new RegExp(schema.pattern as string, 'u'), { maxLength: most })
        return texts.filter((text) => [...text].length >= (minLength ?? 0) && [...text].length <= most)
      }
      case 'integer':
        return fc.maxSafeInteger().map((n) => Math.max(min ?? n, Math.min(max ?? n, n)))
      case 'number':
        return fc.double({ min: min ?? -1e9, max: max ?? 1e9, noNaN: true })
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      case 'array':
        return fc.array(this.#fitting(schema.items as Schema), {
          minLength: (schema.minItems as number | undefined) ?? 0,
          maxLength: 3,
        })
      case 'object':
        // Here `allOf` has conditions on the members of an object.
        return this.#object(schema).filter((value) => !schema.allOf || this.misfit(schema, value) === null)
      default:
        return fc.jsonValue()
    }
  }

  #object(schema: Schema): Arbitrary<unknown> {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    if (properties.length === 0) return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })
    return fc.record(Object.fromEntries(properties.map(([name, each]) => [name, this.#fitting(each)])), {
      requiredKeys: (schema.required as string[] | undefined) ?? [],
    })
  }

  /** Returns values for a JSON body that the schema refuses. */
  #wrong(schema: Schema): unknown[] {
    const fits = this.#validatorOf(schema)
    return ['no such value', 1.5, -1, true, [1], {}, 'é'.repeat(256), '', 'a\u0007b'].filter(
      (value) => !fits(value),
    )
  }

  /** Returns texts for a path or a query that the schema refuses, even after their conversion. */
  #wrongText(given: Schema): unknown[] {
    const schema = this.#resolved(given)
    if (schema.type === 'array') return this.#wrongText(schema.items as Schema)
    const { minimum, maximum, maxLength } = schema as Record<string, number | undefined>
    if (schema.format === 'binary') return ['no file']
    if (schema.type === 'string' && !schema.enum) {
      const tooLong = maxLength === undefined ? [] : ['é'.repeat(maxLength + 1)]
      return schema.pattern === undefined ? tooLong : ['a\u0007b', ...tooLong]
    }
    if (schema.type === undefined) return []
    const outside = [
      minimum === undefined ? [] : minimum - 1,
      maximum === undefined ? [] : maximum + 1,
    ].flat()
    return ['no such value', ...outside]
  }
}

function bodyOf({ requestBody }: Operation): Schema | undefined {
  const { content = {} } = requestBody ?? {}
  return Object.values(content)[0]?.schema
}

export function takesFiles({ requestBody }: Operation): boolean {
  return requestBody?.content['multipart/form-data'] !== undefined
}

/** Makes references point to the document, which the validator holds under another name. */
function rebased(schema: string): Schema {
  return JSON.parse(schema.replaceAll('"#/components/', '"api#/components/')) as Schema
}

function omit(from: object, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => key !== name))
}
