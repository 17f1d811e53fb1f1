/** Defines the log that all code writes to. Imports nothing, so that every folder may use it. */

/** Log lines by level: fields for programs, and a text for people. A pino logger is one. */
export interface Log {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
  debug(fields: object, message: string): void
}
