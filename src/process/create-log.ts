/** Creates the log: JSON lines, or coloured text on a terminal. */
import { inspect } from 'node:util'
import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino'
import { LISTENING, START_FIELDS, type StartFields, startText } from './start-text.ts'

/** Names of fields whose values are never logged. */
const SECRETS = ['password', 'adminPassword', 'jwtSecret', 'authorization', 'token', 'accessToken']

/** Value of a field of {@link SECRETS} that is logged nevertheless: the password of the first admin. */
export class Unredacted {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toJSON(): string {
    return this.#text
  }
}

/**
 * Creates a logger that redacts the values of {@link SECRETS}.
 *
 * @param to destination of JSON lines; standard output by default
 */
export async function createLog(level: string, to?: DestinationStream): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: errorFields },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor },
  }
  if (to) return pino(options, to)
  // With a minimum length, the destination reports in `flush` when its lines are written.
  if (!process.stdout.isTTY) return pino(options, destination({ fd: process.stdout.fd, minLength: 1 }))
  const { default: pretty } = await import('pino-pretty')
  return pino(
    options,
    pretty({ translateTime: 'SYS:HH:MM:ss', sync: true, ignore: START_FIELDS.join(), messageFormat }),
  )
}

/**
 * Resolves when all lines are written. A process that ends earlier writes the queued lines itself, before the line that
 * a thread of Node is still writing.
 */
export function logWritten(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()))
}

function censor(value: unknown): string {
  return value instanceof Unredacted ? value.toJSON() : '(secret)'
}

/** Formats the message of a line for a terminal. */
function messageFormat(line: Readonly<Record<string, unknown>>, key: string): string {
  return line[key] === LISTENING ? startText(line as unknown as StartFields) : String(line[key] ?? '')
}

/** Returns the fields of an error for a line. pino's own function fails for a frozen error, and the cause would be lost. */
function errorFields(error: Error): object {
  try {
    return stdSerializers.err(error)
  } catch {
    return { type: error.name, message: error.message, stack: inspect(error) }
  }
}
