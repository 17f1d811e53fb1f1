/** Defines the exit codes of the commands, and the error that carries one. */

/** Exit codes by name. 78 is EX_CONFIG of sysexits.h. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  cannotConnect: 3,
  notAllowed: 4,
  notFound: 5,
  completedWithError: 6,
  cancelled: 7,
  unknown: 8,
  alert: 9,
  timeout: 27,
  configuration: 78,
} as const

export class Exit extends Error {
  readonly code: number

  /** @param message text for standard error; empty if standard output already has the result */
  constructor(code: number, message = '') {
    super(message)
    this.name = 'Exit'
    this.code = code
  }
}
