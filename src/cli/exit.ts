/** How a command ends: the exit codes, and the one error that carries them. */

/** sysexits.h has 78 for a configuration error. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  cannotConnect: 3,
  notAllowed: 4,
  notFound: 5,
  completedWithError: 6,
  cancelled: 7,
  timeout: 27,
  configuration: 78,
} as const

/** Ends a command with a code of its own. */
export class Exit extends Error {
  readonly code: number

  /** @param message for standard error; empty: the output has said it already */
  constructor(code: number, message = '') {
    super(message)
    this.name = 'Exit'
    this.code = code
  }
}
