/** Logs rejected logins, tokens and connections: at most ten lines a second, then one with their number. */
import type { Log } from '../../process/log.ts'
import type { Rejection, RejectionReason } from '../views/rejection-log.ts'
import { LineLimit } from './line-limit.ts'

/** Maximum lines in a second. */
export const REJECTION_LINES = 10

/** Maximum characters of a text, which a hostile peer may have sent. */
const MAX_CHARACTERS = 256

/** A rejection with a line. Wrong tokens and keys are not listed for admins, since the token of each client expires. */
export type LoggedRejection = Pick<Rejection, 'message' | 'deviceId' | 'address' | 'transport'> & {
  readonly reason: RejectionReason | 'WRONG_TOKEN' | 'WRONG_KEY'
  readonly clientId?: string | null
}

export interface RejectionLinesOptions {
  readonly log: Pick<Log, 'info'>
  /** Returns milliseconds of a clock that is never set back. */
  readonly monotonicMs?: () => number
}

/** Says what was rejected, by reason. Null: the line is written where the message is handled, at level debug. */
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

  /** Writes the number of the rejections of this second that had no line. */
  close(): void {
    this.#limit.close()
  }
}

/** Cuts a text that a peer sent. */
export function short(text: string): string {
  // Cuts between whole characters, since half a surrogate pair would be no UTF-8.
  return text.length <= MAX_CHARACTERS ? text : `${[...text.slice(0, MAX_CHARACTERS)].slice(0, -1).join('')}…`
}
