/** /auth: logs clients in and checks credentials. */
import type { UsesOwn } from '../src/services.ts'
import { Endpoint, HttpError, Reply } from '../src/web/endpoint.ts'
import {
  CredentialCheck,
  CredentialDecision,
  LOGIN_BYTES,
  LoginRequest,
  LoginResult,
  SessionAnswer,
} from './_schemas.ts'

export const tag = { name: 'Login', description: 'Tokens, and checks of credentials' }

export class Login extends Endpoint<UsesOwn<'accounts'>> {
  static access = 'public'
  static keywords = { POST: LoginRequest }
  static bodyLimit = LOGIN_BYTES
  static operationId = { POST: 'login' }
  static summary = 'Log in with a device id and its password to get a token'
  static responses = { POST: LoginResult }
  static errors = { POST: ['wrong-credentials', 'too-many-failures', 'too-many-logins', 'starting'] }

  async POST({ deviseId, password }: LoginRequest) {
    const { remote, signal } = this.call
    const { deviceId, role, token } = await this.services.accounts.login(deviseId, password, remote, signal)
    return confidential({ accessToken: token, tokenType: 'Bearer', deviseId: deviceId, role })
  }
}

export class Me extends Endpoint<UsesOwn<'accounts'>> {
  static access = 'any'
  static operationId = { GET: 'getSession' }
  static summary = 'Show the client that the token belongs to'
  static responses = { GET: SessionAnswer }
  static errors = { GET: [] }

  GET() {
    const { identity } = this.call
    // With access checks off, a request without a token has an identity without an id.
    if (!identity?.id) throw new HttpError(401, 'A valid token is needed.', { code: 'unauthorized' })
    return { deviseId: identity.id, role: identity.roles[0] }
  }
}

export class IsClientEnabled extends Endpoint<UsesOwn<'accounts'>> {
  static access = 'public'
  static keywords = { POST: CredentialCheck }
  static bodyLimit = LOGIN_BYTES
  static operationId = { POST: 'checkCredentials' }
  static summary = 'Check a device id and its password'
  static responses = { POST: CredentialDecision }
  static errors = { POST: ['too-many-failures', 'too-many-logins', 'starting'] }

  async POST({ username, password }: CredentialCheck) {
    const { remote, signal } = this.call
    const decision = await this.services.accounts.check(username, password, remote, signal)
    return confidential({ decision })
  }
}

/** Returns an answer of a public class that no cache may store (RFC 6749 section 5.1). */
function confidential(answer: object): Reply {
  return new Reply(200, answer, { headers: { 'cache-control': 'no-store' } })
}
