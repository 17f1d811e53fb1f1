/** Counts status changes by status and cause since the start of the process. */

import type { Transitioned } from '../contract/store.ts'
import { CAUSES, type Cause, STATUSES, type Status } from './status.ts'

const INDEX_OF_STATUS = indexes(STATUSES)
const INDEX_OF_CAUSE = indexes(CAUSES)

export class ChangeCounts {
  readonly #counts = new Array<number>(STATUSES.length * CAUSES.length).fill(0)

  all = 0

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
