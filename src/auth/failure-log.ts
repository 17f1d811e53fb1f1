/** Reports failed logins to a listener. Knows neither HTTP nor the listener. */
import type { Accounts } from './accounts.ts'
import { TooManyFailures, TooManyLogins, WrongCredentials } from './errors.ts'

export interface FailedLogin {
  readonly reason: 'WRONG_CREDENTIALS' | 'TOO_MANY_FAILURES' | 'TOO_MANY_LOGINS'
  readonly message: string
  /** Device id of the login, possibly unknown. */
  readonly deviceId: string
  readonly address: string
}

/**
 * Wraps accounts so that failures are reported.
 *
 * @param failed called for each wrong password, and for each login that a limit refused
 */
export function withFailureLog(
  accounts: Accounts,
  failed: (login: FailedLogin) => void,
): Pick<Accounts, 'login' | 'check'> {
  const report = (deviceId: string, address: string, error: unknown, signal?: AbortSignal): void => {
    const reason = reasonOf(error)
    // A login whose peer left before its turn was not refused.
    if (reason === null || (reason === 'TOO_MANY_LOGINS' && signal?.aborted)) return
    failed({ reason, message: (error as Error).message, deviceId, address })
  }
  return {
    login: (deviceId, password, address, signal) =>
      accounts.login(deviceId, password, address, signal).catch((error: unknown) => {
        report(deviceId, address, error, signal)
        throw error
      }),
    async check(deviceId, password, address, signal) {
      const fits = await accounts.check(deviceId, password, address, signal).catch((error: unknown) => {
        report(deviceId, address, error, signal)
        throw error
      })
      if (!fits) report(deviceId, address, new WrongCredentials())
      return fits
    },
  }
}

/** Returns the reason of a failed login; null for any other error. */
function reasonOf(error: unknown): FailedLogin['reason'] | null {
  if (error instanceof WrongCredentials) return 'WRONG_CREDENTIALS'
  if (error instanceof TooManyFailures) return 'TOO_MANY_FAILURES'
  return error instanceof TooManyLogins ? 'TOO_MANY_LOGINS' : null
}
