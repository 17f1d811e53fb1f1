/**
 * Numbers by which PostgreSQL stores names. A number is the position in the list, so new names go at the end of their
 * list.
 */
import type { AttemptOutcome } from '../../../broker/contract/device-lease.ts'
import {
  CAUSES,
  type Cause,
  GUARANTEES,
  type Guarantee,
  STATUSES,
  type Status,
} from '../../../broker/vocabulary/status.ts'

const OUTCOMES = ['TIMEOUT', 'CONNECTION', 'BUSY', 'TOO_LARGE'] as const satisfies readonly AttemptOutcome[]

class Codes<Name extends string> {
  readonly names: readonly Name[]
  /** Numbers by name, for the text of statements. */
  readonly numbers: Readonly<Record<Name, number>>

  constructor(names: readonly Name[]) {
    this.names = names
    this.numbers = Object.fromEntries(names.map((name, code) => [name, code])) as Record<Name, number>
  }

  of(name: Name): number {
    return this.names.indexOf(name)
  }

  /** Returns the name of a number. @throws {Error} for a number of a newer release */
  name(code: number): Name {
    const name = this.names[code]
    if (name === undefined) throw new Error(`This release does not know the number ${code} of the database.`)
    return name
  }
}

export const STATUS_CODES = new Codes<Status>(STATUSES)
export const CAUSE_CODES = new Codes<Cause>(CAUSES)
export const GUARANTEE_CODES = new Codes<Guarantee>(GUARANTEES)
export const OUTCOME_CODES = new Codes<AttemptOutcome>(OUTCOMES)

/** Numbers for the text of statements: `${status.CANCELLED}`. */
export const status = STATUS_CODES.numbers
export const cause = CAUSE_CODES.numbers
export const guarantee = GUARANTEE_CODES.numbers
export const outcome = OUTCOME_CODES.numbers
/**
 * Kinds of deadlines: the end of the validity of a pending message, and the end of the finish time of a DELIVERED
 * message.
 */
export const deadline = { EXPIRES: 0, FINISH: 1 } as const

/** Returns the numbers of names as a list for `IN`. */
export function codesOf<Name extends string>(codes: Codes<Name>, names: readonly Name[]): string {
  return names.map((name) => codes.of(name)).join(', ')
}
