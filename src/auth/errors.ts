/**
 * Defines the errors of logins and of changes of clients. An unknown client gets the same error as a wrong password.
 */

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
  readonly params: { readonly seconds: number }

  constructor(retryAfterSec: number) {
    super(`Too many failed logins. Try again in ${retryAfterSec} seconds.`)
    this.name = 'TooManyFailures'
    this.retryAfterSec = retryAfterSec
    this.params = { seconds: retryAfterSec }
  }
}

/** Reports a client that acts for the device id of another client without permission. */
export class OtherClient extends Error {
  readonly code = 'other-client'

  /** @param message text for the client: the problem and what to do */
  constructor(message: string) {
    super(message)
    this.name = 'OtherClient'
  }
}

/** Reports a request from a web page of another origin while access checks are off. */
export class ForeignOrigin extends Error {
  readonly code = 'foreign-origin'

  /** @param origin null if the browser does not send it */
  constructor(origin: string | null) {
    super(
      `Access checks are off (APP_SECURITY_PERMIT_ALL), so ${origin === null ? 'other pages' : `pages of ${origin}`} may not call this server. ` +
        'Add the origin of the page to server.cors-origins, or open the address in a tab of its own.',
    )
    this.name = 'ForeignOrigin'
  }
}

/** Reports a request to a loopback address under another name while access checks are off. */
export class WrongHost extends Error {
  readonly code = 'wrong-host'

  constructor(host: string) {
    super(
      `Access checks are off (APP_SECURITY_PERMIT_ALL), so this server does not answer as "${host}". ` +
        'Call it as localhost or 127.0.0.1, or add the origin with that name to server.cors-origins.',
    )
    this.name = 'WrongHost'
  }
}

/** Reports a login that was not checked because too many logins are queued. */
export class TooManyLogins extends Error {
  readonly code = 'too-many-logins'

  constructor() {
    super('Too many logins are being checked. Try again in a few seconds.')
    this.name = 'TooManyLogins'
  }
}

/** Reports a login before the first admin exists. */
export class Starting extends Error {
  readonly code = 'starting'

  constructor() {
    super('The server is starting, and creates its first admin. Try again in a second.')
    this.name = 'Starting'
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
  | 'expires-in-past'

export const MAX_KEYS = 100

export class AccountError extends Error {
  readonly code: AccountErrorCode
  readonly params: Readonly<Record<string, string | number>>

  /** @param message text for the client: the problem and what to do */
  constructor(code: AccountErrorCode, message: string, params: AccountError['params'] = {}) {
    super(message)
    this.name = 'AccountError'
    this.code = code
    this.params = params
  }
}

/** Returns the error for an import while another one runs. */
export function importRunning(): AccountError {
  return new AccountError('import-running', 'Another import is running: wait for its end.')
}

/** Returns the error for a key beyond a client's maximum. */
export function tooManyKeys(clientId: number): AccountError {
  return new AccountError(
    'too-many-keys',
    `Client ${clientId} has ${MAX_KEYS} keys, which is the limit. Delete one that is no longer used.`,
    { maximum: MAX_KEYS },
  )
}

/** Returns the error for a new key that has already expired. */
export function expiresInPast(): AccountError {
  return new AccountError(
    'expires-in-past',
    'The expiresDate is in the past, so the key would never be valid. Send a later time in milliseconds since 1970, or leave it out.',
  )
}

export function unknownClient(id: number): AccountError {
  return new AccountError('unknown-client', `There is no client ${id}.`, { id })
}

/** Returns the error for a device id that another client has. */
export function clientExists(deviceId: string): AccountError {
  return new AccountError('client-exists', `Client "${deviceId}" exists already: choose another deviseId.`, {
    deviseId: deviceId,
  })
}

/** Returns the error for a change that would leave no admin. */
export function lastAdmin(deviceId: string): AccountError {
  return new AccountError(
    'last-admin',
    `"${deviceId}" is the last client with role MAN, and the broker needs one. Create another client with role MAN first.`,
    { deviseId: deviceId },
  )
}

/** Reports a change from a record that another node has changed meanwhile. */
export class StaleClient extends Error {
  constructor(id: number) {
    super(`Another node changed client ${id} at the same time. Send the change again.`)
    this.name = 'StaleClient'
  }
}
