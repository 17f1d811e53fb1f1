/** Converts started attempts from and to the form of the PostgreSQL functions. */
import type { AttemptRules } from '../../../broker/contract/device-lease.ts'
import type { AttemptState, DispatchedMessage } from '../../../broker/vocabulary/message.ts'
import { GUARANTEE_CODES } from '../schema/codes.ts'
import type { MovedRow } from './store-events.ts'

/** Start of an attempt: the result of `started_json`. */
export interface StartedRow extends AttemptState {
  readonly id: number
  readonly guarantee: number
  readonly atMs: number
  readonly change: MovedRow | null
}

/** @param texts command and data */
export function toDispatched(
  row: StartedRow,
  { command, data }: { readonly command: string; readonly data: string },
): DispatchedMessage {
  const { id, guarantee, atMs, number, counted, maxAttempts, remainingMs, finishSeconds } = row
  const name = GUARANTEE_CODES.name(guarantee)
  return {
    id,
    command,
    guarantee: name,
    data,
    atMs,
    number,
    counted,
    maxAttempts,
    remainingMs,
    finishSeconds,
  }
}

export function ruleColumns({ durationsMs, paced, deaf }: AttemptRules) {
  return { durations_ms: durationsMs, paced, deaf }
}
