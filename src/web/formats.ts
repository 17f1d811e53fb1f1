/** Registers the string formats of JSON Schema (section 7.3 of draft 2020-12), so that schemas with them are checked. */
import { FormatRegistry, type TSchema } from '@sinclair/typebox'
import { fullFormats } from 'ajv-formats/dist/formats.js'

/** Formats that are checked. */
const CHECKED = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
] as const
/** Formats that are notes for the API description. */
const NOTES = ['binary', 'byte', 'password']

for (const name of CHECKED) {
  const definition = fullFormats[name]
  const { validate } = definition as { validate?: (text: string) => boolean }
  if (typeof definition === 'function') registerFormat(name, definition as (text: string) => boolean)
  else if (definition instanceof RegExp) registerFormat(name, (text) => definition.test(text))
  else if (validate) registerFormat(name, validate)
}
for (const name of NOTES) registerFormat(name, () => true)

/**
 * Adds a string format for schemas: `Type.String({ format: 'plate' })`.
 *
 * @param test returns whether a text has the format
 */
export function registerFormat(name: string, test: (text: string) => boolean): void {
  FormatRegistry.Set(name, test)
}

/** Keywords of JSON Schema that hold values, in which a member named format means nothing. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])

/** Returns the formats of a schema, and of all schemas in it, that are not registered. No value would ever fit them. */
export function unknownFormats(schema: TSchema): string[] {
  const found: string[] = []
  JSON.stringify(schema, (key, value: unknown) => {
    if (VALUES.has(key)) return undefined
    if (key === 'format' && typeof value === 'string' && !FormatRegistry.Has(value)) found.push(value)
    return value
  })
  return [...new Set(found)]
}
