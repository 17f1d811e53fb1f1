/** What authentication and the list of clients throw. The same answer for an unknown client as for a wrong password. */

export class WrongCredentials extends Error {
  readonly code = 'wrong-credentials'

  constructor() {
    super('The device id or the password is wrong.')
    this.name = 'WrongCredentials'
  }
}

export class TooManyFailures extends Error {
  readonly code = 'too-many-failures'
  readonly retryAfterSec: number

  constructor(retryAfterSec: number) {
    super(`Too many failed logins. Try again in ${retryAfterSec} seconds.`)
    this.name = 'TooManyFailures'
    this.retryAfterSec = retryAfterSec
  }
}

export type AccountErrorCode =
  | 'unknown-client'
  | 'client-exists'
  | 'last-admin'
  | 'no-device'
  | 'password-too-long'
  | 'password-has-nul'
  | 'unknown-import'
  | 'import-running'

/** What a change of the clients runs into. */
export class AccountError extends Error {
  readonly code: AccountErrorCode

  /** @param message what is wrong and how to mend it; the client reads it */
  constructor(code: AccountErrorCode, message: string) {
    super(message)
    this.name = 'AccountError'
    this.code = code
  }
}
