/** Keeps the session, and makes every call to the server. The token is kept in memory and in session storage only. */
import { computed, signal } from '@preact/signals'
import { Client, type components, RequestError } from '../../client/index.ts'

export interface Session {
  readonly client: Client
  readonly deviceId: string
  readonly role: Role
}

type Role = components['schemas']['Role']
type Api = Client['api']
type Operation<T> = (api: Api) => Promise<{ data?: T; error?: unknown; response: Response }>

const KEY = 'waybill.session'

export const session = signal<Session | null>(restored())
/** True if the client may change something: its role is not READER. */
export const mayChange = computed(() => session.value?.role !== 'READER')
/** True if the server ended the last session, false if the user signed out. */
export const hasExpired = signal(false)

function restored(): Session | null {
  const kept = sessionStorage.getItem(KEY)
  if (kept === null) return null
  const { token, deviceId, role } = JSON.parse(kept) as { token: string; deviceId: string; role: Role }
  return { client: new Client({ url: location.origin, token }), deviceId, role }
}

/**
 * Begins a session.
 *
 * @returns false if the client is a device, which may not use this page
 * @throws {RequestError} 401, 429 @throws {ConnectionError}
 */
export async function signIn(deviceId: string, password: string): Promise<boolean> {
  const client = new Client({ url: location.origin })
  const { accessToken: token, role } = await client.login(deviceId, password)
  if (role === 'DEVISE') return false
  sessionStorage.setItem(KEY, JSON.stringify({ token, deviceId, role }))
  hasExpired.value = false
  session.value = { client, deviceId, role }
  return true
}

export function signOut({ expired = false } = {}): void {
  sessionStorage.removeItem(KEY)
  hasExpired.value = expired
  session.value = null
}

/**
 * Runs one operation, and returns the body of its answer. If the token has expired, the session ends: the page shows the
 * sign-in, and after it the same place.
 *
 * @throws {RequestError} @throws {ConnectionError}
 */
export async function call<T>(operation: Operation<T>): Promise<T> {
  const current = session.peek()
  if (!current) throw new RequestError(401, null)
  try {
    return await current.client.call(operation)
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

/** Returns one page of a list, and the query of the next page (link `next`, RFC 8288). */
export async function callPage<T>(operation: Operation<readonly T[]>): Promise<Page<T>> {
  let link: string | null = null
  const items = await call(async (api) => {
    const result = await operation(api)
    link = result.response.headers.get('link')
    return result
  })
  return { items, next: nextQuery(link) }
}

function nextQuery(link: string | null): Page<never>['next'] {
  const target = /<([^>]*)>; rel="next"/.exec(link ?? '')?.[1]
  return target === undefined ? null : Object.fromEntries(new URL(target, location.origin).searchParams)
}
