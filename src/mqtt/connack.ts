/** Maps login errors to return codes of CONNACK [MQTT-3.2.2-6]. The library translates them to MQTT 5. */
import { Starting } from '../auth/errors.ts'
import type { RejectionReason } from '../broker/views/rejection-log.ts'
import { LoginRejected } from '../transport/logins.ts'

const SERVER_UNAVAILABLE = 3

const RETURN_CODES: Readonly<Partial<Record<RejectionReason, number>>> = {
  TOO_MANY_FAILURES: SERVER_UNAVAILABLE,
  TOO_MANY_LOGINS: SERVER_UNAVAILABLE,
  WRONG_CREDENTIALS: 4,
  NO_CREDENTIALS: 5,
  ROLE_NOT_ALLOWED: 5,
}

/** Returns the error with which the library refuses a login. An unexpected error has no code of its own. */
export function refused(error: Error): Error {
  if (error instanceof Starting) return unavailable(error)
  const returnCode = error instanceof LoginRejected ? RETURN_CODES[error.reason] : undefined
  return Object.assign(new Error(error.message), { returnCode })
}

/** Returns an error with the code "server unavailable". */
export function unavailable(error: Error): Error {
  return Object.assign(error, { returnCode: SERVER_UNAVAILABLE })
}
