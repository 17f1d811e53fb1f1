/** /auth: tokens and credentials. */
import type { Uses } from '../src/services.ts'
import { Endpoint, HttpError } from '../src/web/endpoint.ts'
import { CredentialCheck, CredentialDecision, LoginRequest, LoginResult, SessionAnswer } from './_schemas.ts'

export class Login extends Endpoint<Uses<'accounts'>> {
  static access = 'public'
  static keywords = { POST: LoginRequest }
  static summary = 'Gives a token for a device id and its password'
  static responses = { POST: LoginResult }
  static errors = { POST: ['wrong-credentials', 'too-many-failures'] }

  async POST({ deviseId, password }: LoginRequest) {
    const { deviceId, role, token } = await this.services.accounts.login(deviseId, password, this.call.remote)
    return { accessToken: token, tokenType: 'Bearer', deviseId: deviceId, role }
  }
}

export class Me extends Endpoint<Uses<'accounts'>> {
  static access = 'any'
  static summary = 'Tells whose token this is'
  static responses = { GET: SessionAnswer }
  static errors = { GET: [] }

  GET() {
    const { identity } = this.call
    // With access checks off there may be nobody to tell about.
    if (!identity?.id) throw new HttpError(401, 'A valid token is needed.')
    return { deviseId: identity.id, role: identity.roles[0] }
  }
}

export class IsClientEnabled extends Endpoint<Uses<'accounts'>> {
  static access = 'public'
  static keywords = { POST: CredentialCheck }
  static summary = 'Tells whether a device id and a password fit'
  static responses = { POST: CredentialDecision }
  static errors = { POST: ['too-many-failures'] }

  async POST({ username, password }: CredentialCheck) {
    return { decision: await this.services.accounts.check(username, password, this.call.remote) }
  }
}
