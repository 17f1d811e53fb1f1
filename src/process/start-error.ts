/** Defines the errors that prevent a start for a reason that the user can fix. */

/** Problem that may pass without a change of settings, such as a port in use. The process ends with exit code 1. */
export class StartError extends Error {
  /** @param message says what is wrong, then what to do */
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StartError'
  }
}

/** Problem that no restart fixes, in a setting or in the installation. The process ends with exit code 78. */
export class PermanentStartError extends StartError {
  override readonly name = 'PermanentStartError'
}

/** Operating system error codes caused by a path or an address, not by the state of the machine. */
const PERMANENT_CODES: ReadonlySet<unknown> = new Set([
  'EACCES',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'EPERM',
  'EROFS',
])

/** Returns the error for a failed system call: a permanent error if a setting is the cause. */
export function startErrorFor(cause: unknown, message: string): StartError {
  const isPermanent = PERMANENT_CODES.has((cause as { code?: unknown } | null)?.code)
  return isPermanent ? new PermanentStartError(message, cause) : new StartError(message, cause)
}
