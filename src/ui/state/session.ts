/** Makes every call to the server, for the session of this tab. */
import { Client, RequestError } from '../../client/index.ts'
import { type Session, session, signOut } from './tab-session.ts'

export { mayChange, type Session, session, signIn, signOut } from './tab-session.ts'

type Api = Client['api']
type Operation<T> = (api: Api) => Promise<{ data?: T; error?: unknown; response: Response }>

const clients = new WeakMap<Session, Client>()

/** Returns the client that calls the server for a session. */
export function clientOf(wanted: Session): Client {
  const client = clients.get(wanted) ?? new Client({ url: location.origin, token: wanted.kept.token })
  clients.set(wanted, client)
  return client
}

/**
 * Runs one operation, and returns the body of its answer. If the token has expired, the session ends: the page shows
 * the sign-in, then the same place.
 *
 * @throws {RequestError} @throws {ConnectionError}
 */
export async function call<T>(operation: Operation<T>): Promise<T> {
  const current = session.peek()
  if (!current) throw new RequestError(401, null)
  try {
    return await clientOf(current).call(operation)
  } catch (error) {
    if (error instanceof RequestError && error.status === 401 && session.peek() === current) {
      signOut({ expired: true })
    }
    throw error
  }
}

export interface Page<T> {
  readonly items: readonly T[]
  /** The query of the next page; null on the last one. */
  readonly next: Readonly<Record<string, string>> | null
}

/**
 * Returns one page of a list, and the query of the next page (link `next`, RFC 8288).
 *
 * @param onResponse reads further headers
 */
export async function callPage<T>(
  operation: Operation<readonly T[]>,
  onResponse?: (response: Response) => void,
): Promise<Page<T>> {
  let link: string | null = null
  const items = await call(async (api) => {
    const result = await operation(api)
    link = result.response.headers.get('link')
    onResponse?.(result.response)
    return result
  })
  return { items, next: nextQuery(link) }
}

function nextQuery(link: string | null): Page<never>['next'] {
  const target = /<([^>]*)>; rel="next"/.exec(link ?? '')?.[1]
  return target === undefined ? null : Object.fromEntries(new URL(target, location.origin).searchParams)
}
