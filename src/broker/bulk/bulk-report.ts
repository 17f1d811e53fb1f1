/** Defines the report of an action on many messages, and adds results to it. Pure. */
import type { Actor } from '../../audit/audit.ts'
import type { BrokerError, BrokerErrorCode } from '../vocabulary/errors.ts'
import type { BulkAction, SkipCode } from './bulk-actions.ts'

export const MAX_FAILURES = 100

export interface SkippedCount {
  readonly code: SkipCode
  readonly count: number
}

export interface BulkFailure {
  readonly messageId: number
  readonly deviceId: string
  readonly command: string
  readonly code: BrokerErrorCode
  readonly params: BrokerError['params']
}

/** Effects of an action before it is performed. */
export interface BulkPlan {
  readonly matched: number
  /** False if more messages may match than were counted. */
  readonly isExact: boolean
  /** Number of messages that the action would change. */
  readonly eligible: number
  /** Number of those messages that were dispatched, so that their devices may have them. */
  readonly handedOver: number
  readonly skipped: readonly SkippedCount[]
  /** Id of the newest matching message; null without a match. */
  readonly upToId: number | null
}

export interface BulkReport {
  readonly id: number
  readonly action: BulkAction
  /** STOPPED: a client stopped the job, or the server shut down before the end. Finished changes stay. */
  readonly state: 'RUNNING' | 'DONE' | 'STOPPED'
  /** Number of messages of the job. It grows while the messages are searched. */
  readonly matched: number
  /** Number of matching messages beyond the job's maximum of 10,000. */
  readonly left: number
  /** Number of finished messages: changed, skipped and failed. */
  readonly done: number
  readonly changed: number
  readonly skipped: readonly SkippedCount[]
  readonly failed: number
  /** The first 100 failures. */
  readonly failures: readonly BulkFailure[]
  readonly by: Actor
  readonly startedAtMs: number
  readonly endedAtMs: number | null
}

export function newReport(id: number, action: BulkAction, by: Actor, startedAtMs: number): BulkReport {
  return {
    id,
    action,
    state: 'RUNNING',
    matched: 0,
    left: 0,
    done: 0,
    changed: 0,
    skipped: [],
    failed: 0,
    failures: [],
    by,
    startedAtMs,
    endedAtMs: null,
  }
}

/** Result of one message: null if it was changed. */
export type BulkResult =
  | null
  | { readonly is: 'skipped'; readonly code: SkipCode }
  | { readonly is: 'failed'; readonly failure: BulkFailure }

export function withResults(report: BulkReport, results: readonly BulkResult[]): BulkReport {
  const codes = results.flatMap((each) => (each?.is === 'skipped' ? [each.code] : []))
  const failures = results.flatMap((each) => (each?.is === 'failed' ? [each.failure] : []))
  return {
    ...report,
    done: report.done + results.length,
    changed: report.changed + results.filter((each) => each === null).length,
    skipped: countCodes(report.skipped, codes),
    failed: report.failed + failures.length,
    failures: [...report.failures, ...failures].slice(0, MAX_FAILURES),
  }
}

export function countCodes(counts: readonly SkippedCount[], codes: readonly SkipCode[]): SkippedCount[] {
  const sums = new Map(counts.map(({ code, count }) => [code, count]))
  for (const code of codes) sums.set(code, (sums.get(code) ?? 0) + 1)
  return [...sums].map(([code, count]) => ({ code, count }))
}
