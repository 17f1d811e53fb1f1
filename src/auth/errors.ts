/** What authentication throws. The same answer for an unknown client as for a wrong password. */

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
