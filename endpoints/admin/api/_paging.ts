/** Splits a list into pages: the answer names the next page in a Link header (RFC 8288). Not a route. */
import { Reply } from '../../../src/web/endpoint.ts'
import { Text } from '../../../src/web/schema.ts'

/** Response header of a list, for the API description. */
export const LINK_HEADER = {
  Link: Text({ description: 'next page, if there is one: `<…>; rel="next"`' }),
}

/**
 * Returns one page of a list, with a link to the next page.
 *
 * @param query parameters of this page. The link omits undefined and null parameters, and repeats a parameter for each item of a list
 * @param next parameters of the next page; null for the last page
 * @param headers headers of a page that is not the last
 */
export function page(
  value: unknown,
  path: string,
  query: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, string | number>> | null,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  if (next === null) return new Reply(200, value, { headers })
  const given = Object.entries({ ...query, ...next }).flatMap(([name, each]) =>
    [each]
      .flat()
      .flatMap((one): [string, string][] => (one === undefined || one === null ? [] : [[name, String(one)]])),
  )
  const link = `<${path}?${new URLSearchParams(given)}>; rel="next"`
  return new Reply(200, value, { headers: { link, ...headers } })
}
