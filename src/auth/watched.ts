/** Logging in with what goes wrong told to somebody. Knows neither HTTP nor who listens. */
import type { Accounts } from './accounts.ts'
import { TooManyFailures, WrongCredentials } from './errors.ts'

export interface FailedLogin {
  readonly reason: 'WRONG_CREDENTIALS' | 'TOO_MANY_FAILURES'
  readonly message: string
  /** Whose name was given. */
  readonly deviceId: string
  readonly address: string
}

/** @param failed told of each password that did not fit, and of each login that was not looked at for it */
export function watched(
  accounts: Accounts,
  failed: (login: FailedLogin) => void,
): Pick<Accounts, 'login' | 'check' | 'session'> {
  const tell = (deviceId: string, address: string, error: Error): void => {
    const reason = error instanceof TooManyFailures ? 'TOO_MANY_FAILURES' : 'WRONG_CREDENTIALS'
    failed({ reason, message: error.message, deviceId, address })
  }
  return {
    session: (token) => accounts.session(token),
    login: (deviceId, password, address) =>
      accounts.login(deviceId, password, address).catch((error: Error) => {
        if (error instanceof TooManyFailures || error instanceof WrongCredentials)
          tell(deviceId, address, error)
        throw error
      }),
    async check(deviceId, password, address) {
      const fits = await accounts.check(deviceId, password, address).catch((error: Error) => {
        if (error instanceof TooManyFailures) tell(deviceId, address, error)
        throw error
      })
      if (!fits) tell(deviceId, address, new WrongCredentials())
      return fits
    },
  }
}
