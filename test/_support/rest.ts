/** Calls a running server over REST as a logged-in client. */

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The body as parsed JSON; undefined for an empty body. */
  readonly body: unknown
  readonly text: string
}

export interface Rest {
  get(path: string): Promise<Answer>
  head(path: string): Promise<Answer>
  /** @param body text is sent as it is */
  put(path: string, body: object | string): Promise<Answer>
  post(path: string, body: object | string): Promise<Answer>
  delete(path: string): Promise<Answer>
}

/** @throws when the login is refused */
export async function logIn(url: string, deviseId: string, password: string): Promise<Rest> {
  return withToken(url, await tokenOf(url, deviseId, password))
}

/** @throws when the login is refused */
export async function tokenOf(url: string, deviseId: string, password: string): Promise<string> {
  const login = await call(url, 'POST', '/auth/login', { deviseId, password })
  if (login.status !== 200) throw new Error(`login refused: ${login.status} ${JSON.stringify(login.body)}`)
  return (login.body as { accessToken: string }).accessToken
}

/** Returns calls with this token, or without one. */
export function withToken(url: string, accessToken?: string): Rest {
  return {
    get: (path) => call(url, 'GET', path, undefined, accessToken),
    head: (path) => call(url, 'HEAD', path, undefined, accessToken),
    put: (path, body) => call(url, 'PUT', path, body, accessToken),
    post: (path, body) => call(url, 'POST', path, body, accessToken),
    delete: (path) => call(url, 'DELETE', path, undefined, accessToken),
  }
}

export async function call(
  url: string,
  method: string,
  path: string,
  body?: object | string,
  token?: string,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
    text,
  }
}
