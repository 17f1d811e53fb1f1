/** Registers the string formats of JSON Schema (section 7.3 of draft 2020-12), so that schemas with them are checked. */
import { FormatRegistry, type TSchema } from '@sinclair/typebox'
import { fullFormats } from 'ajv-formats/dist/formats.js'

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
/** Formats that only annotate the API description. */
const NOTES = ['binary', 'byte', 'password']

/*
 * Functions that add a format, one of each copy of this package. A drop-in file may load a second copy, with a registry of
 * its own, but the first copy checks the requests. The registered symbol is the same in all copies.
 */
const REGISTRIES = Symbol.for('waybill.format-registries')
const shared = globalThis as { [REGISTRIES]?: Set<typeof FormatRegistry.Set> }
shared[REGISTRIES] ??= new Set()
const registries = shared[REGISTRIES].add(FormatRegistry.Set)

for (const name of CHECKED) {
  const definition = fullFormats[name]
  const { validate } = definition as { validate?: (text: string) => boolean }
  if (typeof definition === 'function') FormatRegistry.Set(name, definition as (text: string) => boolean)
  else if (definition instanceof RegExp) FormatRegistry.Set(name, (text) => definition.test(text))
  else if (validate) FormatRegistry.Set(name, validate)
}
for (const name of NOTES) FormatRegistry.Set(name, () => true)

/**
 * Registers a string format for schemas: `Type.String({ format: 'plate' })`.
 *
 * @param test returns whether a text has the format
 *
 * @example
 * ```ts
 * registerFormat('plate', (text) => /^[A-Z]{1,3}-\d{1,4}$/.test(text))
 * const Plate = Type.String({ format: 'plate' })
 * ```
 */
export function registerFormat(name: string, test: (text: string) => boolean): void {
  for (const add of registries) add(name, test)
}

/** Keywords of JSON Schema that hold values. A member named `format` in a value has no meaning. */
export const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])

/** Returns the unregistered formats of a schema and its nested schemas. No value would ever match them. */
export function unknownFormats(schema: TSchema): string[] {
  const found: string[] = []
  JSON.stringify(schema, (key, value: unknown) => {
    if (VALUES.has(key)) return undefined
    if (key === 'format' && typeof value === 'string' && !FormatRegistry.Has(value)) found.push(value)
    return value
  })
  return [...new Set(found)]
}
