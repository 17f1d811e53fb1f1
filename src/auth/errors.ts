/** Defines the errors of logins and of changes of clients. An unknown client gets the same error as a wrong password. */

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

/** Reports a client that acts for the device id of another client, without the right to. */
export class OtherClient extends Error {
  readonly code = 'other-client'

  /** @param message text for the client: the problem and its cure */
  constructor(message: string) {
    super(message)
    this.name = 'OtherClient'
  }
}

/** Reports a login that was not checked, because too many logins wait for their check. */
export class TooManyLogins extends Error {
  readonly code = 'too-many-logins'

  constructor() {
    super('Too many logins are being checked. Try again in a few seconds.')
    this.name = 'TooManyLogins'
  }
}

export type AccountErrorCode =
  | 'unknown-client'
  | 'client-exists'
  | 'padded-device-id'
  | 'last-admin'
  | 'no-device'
  | 'password-too-long'
  | 'password-has-nul'
  | 'password-hash-cost'
  | 'password-is-hash'
  | 'unknown-import'
  | 'import-running'
  | 'unknown-key'
  | 'too-many-keys'

/** Reports a refused change of the clients. */
export class AccountError extends Error {
  readonly code: AccountErrorCode

  /** @param message text for the client: the problem and its cure */
  constructor(code: AccountErrorCode, message: string) {
    super(message)
    this.name = 'AccountError'
    this.code = code
  }
}
