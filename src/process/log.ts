/** The log: JSON lines, or coloured text where a person watches. */
import { type DestinationStream, type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

const SECRETS = ['password', 'adminPassword', 'jwtSecret', 'authorization', 'token', 'accessToken']

/** @param to takes the lines, as JSON; standard output by default */
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
