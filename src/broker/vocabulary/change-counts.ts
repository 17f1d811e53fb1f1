/** Counts the changes of statuses by status and cause since the start. Lives in memory. */

import type { Transitioned } from '../contract/store.ts'
import { CAUSES, type Cause, STATUSES, type Status } from './status.ts'

const INDEX_OF_STATUS = indexes(STATUSES)
const INDEX_OF_CAUSE = indexes(CAUSES)

export class ChangeCounts {
  readonly #counts = new Array<number>(STATUSES.length * CAUSES.length).fill(0)

  /** Number of all changes. */
  all = 0

  /** Counts a durable change that this node made. */
  count({ status, cause }: Pick<Transitioned, 'status' | 'cause'>): void {
    this.all++
    const at = indexOf(status, cause)
    this.#counts[at] = (this.#counts[at] as number) + 1
  }

  of(status: Status, cause: Cause): number {
    return this.#counts[indexOf(status, cause)] as number
  }
}

function indexOf(status: Status, cause: Cause): number {
  return INDEX_OF_STATUS[status] * CAUSES.length + INDEX_OF_CAUSE[cause]
}

function indexes<Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name, i) => [name, i])) as Record<Name, number>
}
