/** Schemas of handlers → JSON Schema as an API description has it; those with a name stand under components, once. */
import type { TSchema } from '@sinclair/typebox'

export type JsonSchema = Readonly<Record<string, unknown>>

/** What `noControls` refuses, for those who read only the description. */
const NO_CONTROLS = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$'

export class Schemas {
  /** `components.schemas`: filled by {@link of}. */
  readonly named: Record<string, JsonSchema> = {}

  /** The schema itself, or a reference where its `title` is a name, such as `ProducerMessage`. */
  of(schema: TSchema): JsonSchema {
    const plain = this.#plain(schema)
    const { title } = schema
    if (typeof title !== 'string' || !/^[\w.-]+$/.test(title)) return plain
    const text = JSON.stringify(plain)
    // Two trees may call different things by one name.
    for (let name = title, n = 2; ; name = `${title}${n++}`) {
      const other = this.named[name]
      if (other && JSON.stringify(other) !== text) continue
      this.named[name] = plain
      return { $ref: `#/components/schemas/${name}` }
    }
  }

  #plain(schema: TSchema): JsonSchema {
    const plain: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(schema)) {
      if (value === undefined) continue
      if (key === 'noControls') plain.pattern = NO_CONTROLS
      else if (key === 'properties' || key === 'patternProperties') plain[key] = this.#each(value)
      else if (['anyOf', 'oneOf', 'allOf'].includes(key)) plain[key] = this.#all(value)
      // JSON Schema 2020-12, which OpenAPI 3.1 stands on, has another word for a list of fixed length.
      else if (key === 'items' && Array.isArray(value)) plain.prefixItems = this.#all(value)
      else if (key === 'additionalItems') plain.items = value
      else if (['items', 'not', 'additionalProperties'].includes(key) && typeof value === 'object') {
        plain[key] = this.of(value)
      } else plain[key] = value
    }
    return plain
  }

  #each(schemas: Record<string, TSchema>): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.of(schema)]))
  }

  #all(schemas: readonly TSchema[]): JsonSchema[] {
    return schemas.map((schema) => this.of(schema))
  }
}
