/** Holds the access token of a client, and calls operations of the API with it. Knows no operation except the login. */
import createFetch, { type Client as Api } from 'openapi-fetch'
import { ConnectionError, RequestError } from './errors.ts'
import type { ClientOptions, LoginResult } from './options.ts'
import type { paths } from './types.ts'

export interface Result<T> {
  readonly data?: T
  readonly error?: unknown
  readonly response: Response
}

export const PROBLEM_TYPE = 'application/problem+json'
/** Accepts every media type, and errors as problem details, which have a code and values. */
const ACCEPT = `${PROBLEM_TYPE}, */*;q=0.9`

export class Session {
  /**
   * Typed access to every operation of the API description. It sends the token but does not log in. An error status
   * does not throw: it resolves with `error`. {@link call} adds the login and throws.
   */
  readonly api: Api<paths>
  readonly #url: string
  readonly #credentials: ClientOptions['credentials']
  readonly #fetch: typeof fetch
  #token: string | undefined

  constructor({ url, token, credentials, fetch: ownFetch }: ClientOptions) {
    this.#url = url.replace(/\/+$/, '')
    this.#token = token
    this.#credentials = credentials
    // Look up the global function at each call, so that a program may replace it.
    this.#fetch = ownFetch ?? ((...request) => fetch(...request))
    this.api = createFetch<paths>({ baseUrl: this.#url, fetch: (request) => this.#fetch(request) })
    this.api.use({
      onRequest: ({ request }) => {
        if (this.#token !== undefined) request.headers.set('authorization', `Bearer ${this.#token}`)
        if (!request.headers.has('accept')) request.headers.set('accept', ACCEPT)
      },
    })
  }

  /** Access token for the next calls; undefined before the first login. */
  get token(): string | undefined {
    return this.#token
  }

  /**
   * Logs in. All later calls send the new token.
   *
   * @returns the token, and the id and role of the client
   * @throws {RequestError} 401: wrong id or password; 429: too many failed logins
   */
  async login(deviseId: string, password: string): Promise<LoginResult> {
    const login = this.api.POST('/auth/login', { body: { deviseId, password } })
    const result = await this.#value(login)
    this.#token = result.accessToken
    return result
  }

  /**
   * Runs one operation of {@link api}. Logs in first if the client has credentials and no token, and repeats the
   * operation once if the token has expired.
   *
   * @returns the body of the answer
   * @throws {RequestError} the server answered with an error status
   * @throws {ConnectionError} no answer arrived
   */
  call<T>(operation: (api: Api<paths>) => Promise<Result<T>>): Promise<T> {
    return this.#value(this.#withToken(() => this.#withConnectionError(operation(this.api))))
  }

  /** Requests an event stream, with the login of {@link call}. @throws {RequestError} @throws {ConnectionError} */
  protected async stream(
    path: string,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Response> {
    const { response } = await this.#withToken(async () => {
      const all = new Headers({ accept: `text/event-stream, ${PROBLEM_TYPE}`, ...headers })
      if (this.#token !== undefined) all.set('authorization', `Bearer ${this.#token}`)
      const stream = this.#fetch(`${this.#url}${path}`, { headers: all, ...(signal && { signal }) })
      return { response: await this.#withConnectionError(stream) }
    })
    if (response.ok) return response
    throw new RequestError(response.status, await response.json().catch(() => null))
  }

  /** Logs in before an attempt if there is no token. After a 401 it logs in again and repeats the attempt once. */
  async #withToken<R extends { readonly response: Response }>(attempt: () => Promise<R>): Promise<R> {
    const credentials = this.#credentials
    if (!credentials) return attempt()
    const isNewToken = this.#token === undefined
    if (isNewToken) await this.login(credentials.deviceId, credentials.password)
    const result = await attempt()
    if (isNewToken || result.response.status !== 401) return result
    await this.login(credentials.deviceId, credentials.password)
    return attempt()
  }

  async #value<T>(result: Promise<Result<T>>): Promise<T> {
    const { data, error, response } = await this.#withConnectionError(result)
    if (!response.ok) throw new RequestError(response.status, error)
    return data as T
  }

  #withConnectionError<T>(attempt: Promise<T>): Promise<T> {
    return attempt.catch((error: unknown) => {
      // `fetch` throws a TypeError when no answer arrives, in Node and in browsers.
      throw error instanceof TypeError ? new ConnectionError(this.#url, error) : error
    })
  }
}
