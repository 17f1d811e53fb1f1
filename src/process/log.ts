/** Creates the log: JSON lines, or coloured text on a terminal. */
import { type DestinationStream, type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

/** Names of fields whose values are never logged. */
const SECRETS = ['password', 'adminPassword', 'jwtSecret', 'authorization', 'token', 'accessToken']

/**
 * Creates a logger. It replaces the values of {@link SECRETS}.
 *
 * @param to destination of JSON lines; standard output by default
 */
export function createLog(level: string, to?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '(secret)' },
  }
  if (to) return pino(options, to)
  if (!process.stdout.isTTY) return pino(options)
  return pino(options, pretty({ translateTime: 'SYS:HH:MM:ss', sync: true }))
}
