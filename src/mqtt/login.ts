/** Who a CONNECT comes from: a client's id with its password, or with a token in the password's place. Knows no aedes. */
import type { Accounts, Session } from '../auth/accounts.ts'
import { TooManyFailures } from '../auth/errors.ts'
import type { Client } from '../auth/queue-access.ts'
import type { RejectionReason } from '../broker/rejection-log.ts'

/** CONNACK return codes [MQTT-3.2.2-6]; the library has the reason codes of MQTT 5 for them. */
export const CONNACK = { unavailable: 3, badCredentials: 4, notAuthorized: 5 } as const

/** The same for those who read why. */
export const REJECTION_REASONS: Readonly<Record<number, RejectionReason>> = {
  [CONNACK.unavailable]: 'TOO_MANY_FAILURES',
  [CONNACK.badCredentials]: 'WRONG_CREDENTIALS',
  [CONNACK.notAuthorized]: 'NO_CREDENTIALS',
}

export class LoginRefused extends Error {
  readonly returnCode: number

  constructor(returnCode: number, message: string) {
    super(message)
    this.name = 'LoginRefused'
    this.returnCode = returnCode
  }
}

export interface Credentials {
  readonly username: string | undefined
  readonly password: string | undefined
  /** Failures are counted by client and address, together with those over REST. */
  readonly remote: string
}

export interface LoggedIn extends Client {
  /** What it logged in with, if that was a token. */
  readonly token: string | null
}

/** Header, claims, signature (RFC 7515 section 7.1): no password that was chosen looks like it. */
const TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/

/** @throws {LoginRefused} */
export async function logIn(
  accounts: Pick<Accounts, 'check' | 'find' | 'session'>,
  { username, password, remote }: Credentials,
): Promise<LoggedIn> {
  if (!username || password === undefined) {
    throw new LoginRefused(CONNACK.notAuthorized, 'no user name and password')
  }
  if (TOKEN.test(password)) {
    const session = accounts.session(password)
    if (session?.deviceId === username) return loggedIn(session, password)
  }
  try {
    const session = (await accounts.check(username, password, remote)) ? accounts.find(username) : null
    if (session) return loggedIn(session, null)
  } catch (error) {
    if (error instanceof TooManyFailures) throw new LoginRefused(CONNACK.unavailable, error.message)
    throw error
  }
  throw new LoginRefused(CONNACK.badCredentials, 'the user name or the password is wrong')
}

function loggedIn({ deviceId, role }: Session, token: string | null): LoggedIn {
  return { id: deviceId, roles: [role], token }
}
