/** Logs in the clients of connections: by device id and password, token or API key. */
import type { AccessControl } from '../auth/access.ts'
import type { Accounts } from '../auth/accounts.ts'
import { TooManyFailures, TooManyLogins } from '../auth/errors.ts'
import type { Grant } from '../auth/grant.ts'
import { isKey } from '../auth/key-list.ts'
import type { RejectionLog, RejectionReason } from '../broker/views/rejection-log.ts'

export class LoginRejected extends Error {
  readonly reason: RejectionReason

  constructor(reason: RejectionReason, message: string) {
    super(message)
    this.name = 'LoginRejected'
    this.reason = reason
  }
}

export interface Credentials {
  readonly username: string | undefined
  readonly password: string | undefined
  /** Address of the peer. Failures are counted by client and address, together with logins over REST. */
  readonly address: string
  /** Name of the client's session, for the rejection log; null without one. */
  readonly clientId: string | null
  readonly transport: string
  /** Aborts when the peer has disconnected. */
  readonly signal: AbortSignal
}

export interface LoginsOptions {
  readonly accounts: Pick<Accounts, 'prove' | 'provePassword'>
  readonly access: Pick<AccessControl, 'anyone'>
  /** True admits every client, with all rights. */
  readonly permitAll: boolean
  readonly rejections: Pick<RejectionLog, 'record'>
}

/** Matches a JWT: header, claims and signature (RFC 7515 section 7.1). Hardly any password matches. */
const TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/

export class Logins {
  readonly #options: LoginsOptions

  constructor(options: LoginsOptions) {
    this.#options = options
  }

  /** Logs a client in, or records the rejection. @throws {LoginRejected} {Starting} */
  async logIn(credentials: Credentials): Promise<Grant> {
    const { permitAll, access, rejections } = this.#options
    const { username, address, clientId, transport, signal } = credentials
    if (permitAll) return access.anyone(username)
    try {
      return await this.#check(credentials)
    } catch (error) {
      if (!(error instanceof LoginRejected)) throw error
      const { reason, message } = error
      // A login whose peer left before its turn was not refused.
      if (reason === 'TOO_MANY_LOGINS' && signal.aborted) throw error
      rejections.record({ reason, message, deviceId: username ?? null, clientId, address, transport })
      throw error
    }
  }

  async #check({ username, password, address, signal }: Credentials): Promise<Grant> {
    const { accounts } = this.#options
    if (!username || password === undefined) {
      throw new LoginRejected('NO_CREDENTIALS', 'user name or password is missing')
    }
    if (TOKEN.test(password) || isKey(password)) {
      const grant = accounts.prove(password)
      if (grant?.id === username) return accepted(grant)
    }
    try {
      const grant = await accounts.provePassword(username, password, address, signal)
      if (grant) return accepted(grant)
    } catch (error) {
      if (error instanceof TooManyFailures) throw new LoginRejected('TOO_MANY_FAILURES', error.message)
      if (error instanceof TooManyLogins) throw new LoginRejected('TOO_MANY_LOGINS', error.message)
      throw error
    }
    throw new LoginRejected('WRONG_CREDENTIALS', 'the user name or the password is wrong')
  }
}

/** Returns the grant of valid credentials. @throws {LoginRejected} for a client that may only read */
function accepted(grant: Grant): Grant {
  if (grant.roles.includes('READER')) {
    throw new LoginRejected('ROLE_NOT_ALLOWED', 'a client with role READER may use HTTP only')
  }
  return grant
}
