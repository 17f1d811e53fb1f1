/** Writes refused logins into the audit trail, a bounded number of them. Knows no transport and no storage. */
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import type { LoggedRejection } from '../broker/rejection-lines.ts'
import { entryOf } from './actor.ts'
import type { AuditStore } from './audit.ts'

/** Reasons of a refused login or key. The others concern messages, connections, and tokens, each of which expires. */
const REASONS: readonly LoggedRejection['reason'][] = [
  'WRONG_CREDENTIALS',
  'NO_CREDENTIALS',
  'ROLE_NOT_ALLOWED',
  'TOO_MANY_FAILURES',
  'TOO_MANY_LOGINS',
  'WRONG_KEY',
]

/** Maximum lines a minute, of one name from one address and in all. */
export const REFUSED_LINES = { ofOne: 1, inAll: 100 } as const

export interface RefusedLoginsOptions {
  readonly audit: Pick<AuditStore, 'add'>
  readonly log: { debug(fields: object, message: string): void }
}

/** Adds one line for many refused logins, so that a flood of them fills neither the trail nor the disk. */
export class RefusedLogins {
  readonly #options: RefusedLoginsOptions
  readonly #ofOne = new RateLimiterMemory({ points: REFUSED_LINES.ofOne, duration: 60 })
  readonly #inAll = new RateLimiterMemory({ points: REFUSED_LINES.inAll, duration: 60 })

  constructor(options: RefusedLoginsOptions) {
    this.#options = options
  }

  /**
   * Adds a line for a refused login, unless a limit is reached. The given name is the object and not the client, since the
   * login has proved nothing. Never rejects.
   */
  async record({ reason, deviceId, address, transport }: LoggedRejection): Promise<void> {
    if (!REASONS.includes(reason)) return
    // A line beyond the total must not use up the place of its name, so the total is asked first without being charged.
    const total = await this.#inAll.get('')
    if (total !== null && total.remainingPoints <= 0) return
    try {
      await this.#ofOne.consume(JSON.stringify([deviceId, address]))
      await this.#inAll.consume('')
    } catch {
      return
    }
    const by = { clientId: null, keyId: null, address }
    try {
      await this.#options.audit.add(entryOf(by, 'login.refused', deviceId, { reason, transport }))
    } catch (error) {
      // The condition of the storage has log lines of its own.
      this.#options.log.debug({ err: error }, 'a refused login could not be written into the audit trail')
    }
  }
}
