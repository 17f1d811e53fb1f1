/** Converts the schemas of handlers to JSON Schema for the API description. Named schemas are listed once, under components. */
import type { TSchema } from '@sinclair/typebox'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Pattern equal to `noControls`, which is not a JSON Schema keyword. */
const NO_CONTROLS = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$'
/** Pattern equal to `notBlank`. */
const NOT_BLANK = '\\S'

export class ComponentSchemas {
  /** `components.schemas`. {@link reference} fills it. */
  readonly byName: Record<string, JsonSchema> = {}

  /** Returns a reference to a schema whose `title` is a name, such as `ProducerMessage`; else the schema itself. */
  reference(schema: TSchema): JsonSchema {
    const plain = this.#plain(schema)
    const { title } = schema
    if (typeof title !== 'string' || !/^[\w.-]+$/.test(title)) return plain
    const text = JSON.stringify(plain)
    // Two trees may use one name for different schemas. The second gets a number.
    for (let name = title, n = 2; ; name = `${title}${n++}`) {
      const other = this.byName[name]
      if (other && JSON.stringify(other) !== text) continue
      this.byName[name] = plain
      return { $ref: `#/components/schemas/${name}` }
    }
  }

  #plain(schema: TSchema): JsonSchema {
    const plain: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(schema)) {
      // A parameter declares comma-separated lists with `explode`.
      if (value === undefined || (key === 'comma' && schema.type === 'array')) continue
      if (key === 'noControls') plain.pattern = NO_CONTROLS
      else if (key === 'notBlank') plain.pattern = NOT_BLANK
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
