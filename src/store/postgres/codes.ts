/**
 * The numbers by which PostgreSQL stores names. A number is the position in the list, so new names are added at the end of
 * their list.
 */
import type { AttemptOutcome } from '../../broker/device-lease.ts'
import { CAUSES, type Cause, GUARANTEES, type Guarantee, STATUSES, type Status } from '../../broker/status.ts'

const OUTCOMES = ['TIMEOUT', 'CONNECTION', 'BUSY', 'TOO_LARGE'] as const satisfies readonly AttemptOutcome[]

/** Converts the names of one list. */
class Codes<Name extends string> {
  readonly names: readonly Name[]

  constructor(names: readonly Name[]) {
    this.names = names
  }

  /** Returns the number of a name. */
  of(name: Name): number {
    return this.names.indexOf(name)
  }

  /** Returns the name of a number. @throws {Error} when a newer release wrote the number */
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
