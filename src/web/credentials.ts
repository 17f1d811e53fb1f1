/** Gives an authenticator what a request proves its caller with. Reads the head on demand. */
import { cookiesOf } from './cookies.ts'
import type { CallerCredentials, Cookies, RequestHead } from './types.ts'

/** Credentials of a request, which note whether cookies were asked for and used. Valid until `route` returns. */
export class HeadCredentials implements CallerCredentials, Cookies {
  readonly #head: RequestHead
  #cookies: Cookies | null = null
  /** True after a cookie that the request has was read. */
  usedCookie = false
  /** True after the authenticator asked for cookies, whether the request has any or not. */
  asksForCookies = false

  constructor(head: RequestHead) {
    this.#head = head
  }

  get authorization(): string | undefined {
    return this.#head.header('authorization')
  }

  get cookies(): Cookies {
    this.asksForCookies = true
    return this
  }

  get peer(): string {
    return this.#head.remote()
  }

  get method(): string {
    return this.#head.method
  }

  get path(): string {
    return this.#head.path
  }

  /** Returns the value of a cookie. The first call parses the header. */
  get(name: string): string | undefined {
    this.#cookies ??= cookiesOf(this.#head.header('cookie'))
    const value = this.#cookies.get(name)
    if (value !== undefined) this.usedCookie = true
    return value
  }
}
