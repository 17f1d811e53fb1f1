/** Converts the schemas of handlers to JSON Schema for the API description. Named schemas are listed once, under components. */
import type { TSchema } from '@sinclair/typebox'
import { VALUES } from './formats.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Pattern equal to `noControls`, which is not a JSON Schema keyword. */
const NO_CONTROLS = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$'
/** Pattern equal to `notBlank`. */
const NOT_BLANK = '\\S'

/** `$id` that TypeBox gives a recursive schema without one. It differs from start to start. */
const GIVEN_ID = /^T\d+$/

const isName = (text: string): boolean => /^[\w.-]+$/.test(text)

/**
 * Returns the first `$ref` of a schema that names no `$id` around it; undefined without one. Only such a schema can be
 * checked and described.
 */
export function unknownRef(schema: TSchema, around: readonly string[] = []): string | undefined {
  const { $ref, $id, $defs = {} } = schema
  const known = [...around, ...($id === undefined ? [] : [$id]), ...Object.keys($defs)]
  if (typeof $ref === 'string' && !known.includes($ref)) return $ref
  for (const [key, value] of Object.entries(schema)) {
    if (VALUES.has(key) || typeof value !== 'object' || value === null) continue
    const found = unknownRef(value, known)
    if (found !== undefined) return found
  }
  return undefined
}

export class ComponentSchemas {
  /** `components.schemas`. {@link reference} fills it. */
  readonly byName: Record<string, JsonSchema> = {}
  /** Names of the schemas with an `$id` around the schema that is converted, by `$id`. */
  #scope: ReadonlyMap<string, string> = new Map()
  /** Names of the schemas with an `$id` that are components already, by their text. */
  readonly #known = new Map<string, ReadonlyMap<string, string>>()

  /**
   * Returns a reference to a schema whose `title` is a name, such as `ProducerMessage`, or that has an `$id`, which a
   * recursive schema needs; else the schema itself.
   */
  reference(schema: TSchema): JsonSchema {
    const { title, $id, $defs } = schema
    if ($defs) return this.#within($defs as Record<string, TSchema>, () => this.#plain(schema))
    if ($id !== undefined) return this.inside(schema, () => this.#plain({ $ref: $id } as unknown as TSchema))
    const plain = this.#plain(schema)
    if (typeof title !== 'string' || !isName(title)) return plain
    const text = JSON.stringify(plain)
    // Two trees may use one name for different schemas. The second gets a number.
    for (let name = title, n = 2; ; name = `${title}${n++}`) {
      const other = this.byName[name]
      if (other && JSON.stringify(other) !== text) continue
      this.byName[name] = plain
      return { $ref: `#/components/schemas/${name}` }
    }
  }

  /** Converts members of a schema, which may refer to the schema itself. */
  inside<T>(schema: TSchema, convert: () => T): T {
    return schema.$id === undefined ? convert() : this.#within({ [schema.$id]: schema }, convert)
  }

  /** Makes components of schemas that may refer to each other by `$id`, and converts what may refer to them. */
  #within<T>(schemas: Readonly<Record<string, TSchema>>, convert: () => T): T {
    const outer = this.#scope
    const key = JSON.stringify([schemas, [...outer]])
    const names = this.#known.get(key)
    this.#scope =
      names ?? new Map([...outer, ...Object.entries(schemas).map((each) => this.#reserve(...each))])
    this.#known.set(key, this.#scope)
    if (!names) {
      for (const [id, schema] of Object.entries(schemas))
        this.byName[this.#scope.get(id) as string] = this.#plain(schema)
    }
    const converted = convert()
    this.#scope = outer
    return converted
  }

  /** Reserves the name of a component for a schema with an `$id`. */
  #reserve(id: string, { title }: TSchema): [id: string, name: string] {
    const wanted = [title, id].find(
      (each) => typeof each === 'string' && isName(each) && !GIVEN_ID.test(each),
    )
    const base = wanted ?? 'Recursive'
    let name = base
    for (let n = 2; this.byName[name]; n++) name = `${base}${n}`
    this.byName[name] = {}
    return [id, name]
  }

  #plain(schema: TSchema): JsonSchema {
    const plain: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(schema)) {
      // A parameter declares comma-separated lists with `explode`.
      if (value === undefined || (key === 'comma' && schema.type === 'array')) continue
      if (key === '$id' || key === '$defs') continue
      if (key === 'noControls') plain.pattern = NO_CONTROLS
      else if (key === 'notBlank') plain.pattern = NOT_BLANK
      else if (key === '$ref') plain.$ref = `#/components/schemas/${this.#scope.get(value)}`
      else if (key === 'properties' || key === 'patternProperties') plain[key] = this.#each(value)
      else if (['anyOf', 'oneOf', 'allOf'].includes(key)) plain[key] = this.#all(value)
      // OpenAPI 3.1 uses JSON Schema 2020-12, where `prefixItems` describes a list of fixed length.
      else if (key === 'items' && Array.isArray(value)) plain.prefixItems = this.#all(value)
      else if (key === 'additionalItems') plain.items = value
      else if (['items', 'not', 'additionalProperties'].includes(key) && typeof value === 'object') {
        plain[key] = this.reference(value)
      } else plain[key] = value
    }
    return plain
  }

  #each(schemas: Record<string, TSchema>): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.reference(schema)]))
  }

  #all(schemas: readonly TSchema[]): JsonSchema[] {
    return schemas.map((schema) => this.reference(schema))
  }
}
