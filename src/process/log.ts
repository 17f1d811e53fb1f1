/** Defines the log interface of all code. Imports nothing, so that every folder may use it. */

/**
 * Writes log lines by level: fields for programs, and a text for people. A pino logger implements it.
 *
 * @example
 * ```ts
 * const quiet: Log = { error: console.error, warn: console.warn, info() {}, debug() {} }
 * ```
 */
export interface Log {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
  debug(fields: object, message: string): void
}
