/**
 * Parses lists in one text, separated by commas: `Type.Array(Type.Integer(), { comma: true })` accepts `?l=1,2,3`.
 * Knows no requests.
 */
import type { TSchema } from '@sinclair/typebox'

/** Keywords of JSON Schema that hold values. A member named `comma` in a value has no meaning. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])

/** Returns whether a schema, or a variant of it, is a comma-separated list. */
export function isCommaList({ comma, anyOf }: TSchema): boolean {
  return comma === true || ((anyOf as TSchema[] | undefined)?.some(isCommaList) ?? false)
}

/** Splits a text into its items. The empty text is the empty list. */
export function splitAtCommas(text: string): string[] {
  return text === '' ? [] : text.split(',')
}

/**
 * Returns whether a schema, or a nested schema, has `comma` without being a list, or has a `comma` that is no boolean.
 */
export function misusesComma(schema: TSchema): boolean {
  let misuses = false
  JSON.stringify(schema, (key, value: unknown) => {
    if (VALUES.has(key)) return undefined
    const { comma, type } = (value ?? {}) as { comma?: unknown; type?: unknown }
    // A property may be named `comma`. Its value is a schema.
    if (comma !== undefined && typeof comma !== 'object')
      misuses ||= type !== 'array' || typeof comma !== 'boolean'
    return value
  })
  return misuses
}
