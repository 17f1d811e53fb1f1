/** Reports failed logins to a listener. Knows neither HTTP nor the listener. */
import type { Accounts } from './accounts.ts'
import { TooManyFailures, WrongCredentials } from './errors.ts'

export interface FailedLogin {
  readonly reason: 'WRONG_CREDENTIALS' | 'TOO_MANY_FAILURES'
  readonly message: string
  /** Device id of the login, which may be unknown. */
  readonly deviceId: string
  readonly address: string
}

/**
 * Wraps accounts so that failures are reported.
 *
 * @param failed called for each wrong password, and for each login that the rate limit refused
 */
export function withFailureLog(
  accounts: Accounts,
  failed: (login: FailedLogin) => void,
): Pick<Accounts, 'login' | 'check' | 'session'> {
  const report = (deviceId: string, address: string, error: Error): void => {
    const reason = error instanceof TooManyFailures ? 'TOO_MANY_FAILURES' : 'WRONG_CREDENTIALS'
    failed({ reason, message: error.message, deviceId, address })
  }
  return {
    session: (token) => accounts.session(token),
    login: (deviceId, password, address) =>
      accounts.login(deviceId, password, address).catch((error: Error) => {
        if (error instanceof TooManyFailures || error instanceof WrongCredentials)
          report(deviceId, address, error)
        throw error
      }),
    async check(deviceId, password, address) {
      const fits = await accounts.check(deviceId, password, address).catch((error: Error) => {
        if (error instanceof TooManyFailures) report(deviceId, address, error)
        throw error
      })
      if (!fits) report(deviceId, address, new WrongCredentials())
      return fits
    },
  }
}
