/** Classifies errors of PostgreSQL and its connections, and converts them to errors of the broker. */
import { BrokerError } from '../../../broker/vocabulary/errors.ts'

/**
 * Meaning of a failed call. `repeat`: PostgreSQL rolled it back because of another transaction. `refused`: PostgreSQL
 * rejected the call as wrong. `full`: PostgreSQL has no room, and rolled the call back. `unknown`: the connection broke
 * or the server went away, and the call may have been committed.
 */
export type FailureKind = 'repeat' | 'refused' | 'full' | 'unknown'

/** Deadlock, serialization failure, lock not available. */
const REPEATED = ['40P01', '40001', '55P03']
/**
 * Classes of SQLSTATE that say nothing about the outcome: connection, server shutdown, system error, internal error.
 */
const UNCERTAIN_CLASSES = ['08', '57', '58', 'XX']
/** Disk full, out of memory. */
const FULL = ['53100', '53200']
/** The primary became a standby (25006), or PostgreSQL does not know whether it committed (40003). */
const UNCERTAIN = ['25006', '40003']
/** A node lost the row of its lane: its lease has lapsed. */
export const NO_LANE = 'WB001'

/** No host accepted a connection. Says nothing about the call, whatever the code of the cause. */
export class NotConnected extends Error {
  /** SQLSTATE of the refusal, or the code of the operating system; null without one. */
  readonly code: string | null

  /** @param cause error of the first host that is not a standby */
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'NotConnected'
    this.code = codeOf(cause)
  }
}

/** The host accepts connections, but no writes. */
export class Standby extends Error {}

export function kindOf(error: unknown): FailureKind {
  const code = codeOf(error)
  if (error instanceof NotConnected) return 'unknown'
  // Errors of the operating system: ECONNRESET, EPIPE. No class of SQLSTATE begins with E.
  if (code === null || code.length !== 5 || code.startsWith('E')) return 'unknown'
  if (UNCERTAIN.includes(code)) return 'unknown'
  if (REPEATED.includes(code)) return 'repeat'
  if (FULL.includes(code)) return 'full'
  // Too many connections (53300) and other missing resources are temporary.
  if (code.startsWith('53') || UNCERTAIN_CLASSES.includes(code.slice(0, 2))) return 'unknown'
  return 'refused'
}

/** Returns the SQLSTATE of an error, or the code of the operating system; null without one. */
export function codeOf(error: unknown): string | null {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : null
}

export function storageFull(cause: unknown): BrokerError {
  return new BrokerError(
    'storage-full',
    'The disk of the database is full: nothing was stored. Free some space and send it again.',
    cause,
  )
}

/** Returns the error of a call without an answer in time. Its outcome is unknown. */
export function storageAway(cause: unknown): BrokerError {
  return new BrokerError(
    'storage-away',
    'The database does not answer. Send it again, with the same Idempotency-Key if it must not be stored twice.',
    cause,
  )
}

export function storageBusy(): BrokerError {
  return new BrokerError(
    'storage-busy',
    'Too many requests wait for the database: nothing was stored. Send it again.',
  )
}

export function storageClosed(): BrokerError {
  return new BrokerError('storage-closed', 'The server is shutting down.')
}
