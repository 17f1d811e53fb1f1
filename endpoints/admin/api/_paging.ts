/** Pages of a list: the answer names the next one in a Link header (RFC 8288). Not a route. */
import { Reply } from '../../../src/web/endpoint.ts'
import { Text } from '../../../src/web/schema.ts'

/** For the API description. */
export const LINK_HEADER = {
  Link: Text({ description: 'leads to the next page, if there is one: `<…>; rel="next"`' }),
}

/**
 * @param query of this page, without what is undefined or null
 * @param next what in the query leads to the next page; null: this is the last one
 */
export function page(
  value: unknown,
  path: string,
  query: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, string | number>> | null,
): Reply {
  if (next === null) return new Reply(200, value)
  const given = Object.entries({ ...query, ...next }).filter(
    ([, each]) => each !== undefined && each !== null,
  )
  const search = new URLSearchParams(given.map(([name, each]) => [name, String(each)] as [string, string]))
  return new Reply(200, value, { headers: { link: `<${path}?${search}>; rel="next"` } })
}
