/**
 * Logs rejected logins, tokens and connections: at most ten lines per second, then one line with the number of the
 * others.
 */
import type { Log } from '../../process/log.ts'
import type { Rejection, RejectionReason } from '../views/rejection-log.ts'
import { LineLimit } from './line-limit.ts'

export const REJECTION_LINES = 10

/** Maximum characters of a text, which may come from a hostile peer. */
const MAX_CHARACTERS = 256

/**
 * Rejection with a log line. Wrong tokens and keys are not listed for admins, because the token of each client expires.
 */
export type LoggedRejection = Pick<Rejection, 'message' | 'deviceId' | 'address' | 'transport'> & {
  readonly reason: RejectionReason | 'WRONG_TOKEN' | 'WRONG_KEY'
  readonly clientId?: string | null
}

export interface RejectionLinesOptions {
  readonly log: Pick<Log, 'info'>
  /** Returns monotonic milliseconds. */
  readonly monotonicMs?: () => number
}

/** Names the rejected thing, by reason. Null if the handler of the message logs the line, at level debug. */
const REJECTED: Readonly<Record<LoggedRejection['reason'], string | null>> = {
  WRONG_CREDENTIALS: 'login refused',
  NO_CREDENTIALS: 'login refused',
  ROLE_NOT_ALLOWED: 'login refused',
  TOO_MANY_FAILURES: 'login refused',
  TOO_MANY_LOGINS: 'login refused',
  WRONG_TOKEN: 'token refused',
  WRONG_KEY: 'API key refused',
  PROTOCOL_ERROR: 'connection ended',
  TOO_SLOW: 'connection ended',
  TOPIC_NOT_ALLOWED: null,
  MESSAGE_REFUSED: null,
}

export class RejectionLines {
  readonly #log: RejectionLinesOptions['log']
  readonly #limit: LineLimit

  constructor({ log, monotonicMs }: RejectionLinesOptions) {
    this.#log = log
    this.#limit = new LineLimit({
      linesPerSecond: REJECTION_LINES,
      summarize: (count) => log.info({ count }, 'more logins, tokens and connections were refused'),
      monotonicMs,
    })
  }

  write({ reason, message, deviceId, clientId = null, address, transport }: LoggedRejection): void {
    const rejected = REJECTED[reason]
    if (rejected === null || !this.#limit.admits()) return
    const session = clientId === null ? {} : { clientId }
    const id = deviceId === null ? null : short(deviceId)
    this.#log.info({ reason, deviceId: id, ...session, address, transport }, `${rejected}: ${message}`)
  }

  /** Logs the number of this second's rejections without a line. */
  close(): void {
    this.#limit.close()
  }
}

export function short(text: string): string {
  // Cuts between whole characters, because half a surrogate pair would be no UTF-8.
  return text.length <= MAX_CHARACTERS ? text : `${[...text.slice(0, MAX_CHARACTERS)].slice(0, -1).join('')}…`
}
