/** Counts the ends of attempts and the deliveries of this node, and reports the resulting events. */
import type { AttemptOutcome } from '../../../broker/contract/device-lease.ts'
import type { Transitioned } from '../../../broker/contract/store.ts'
import type { PostgresParts } from '../parts.ts'
import { countMove } from './move-counts.ts'
import type { MovedRow } from './store-events.ts'

export interface EndedRow {
  readonly transport: string
  /** True if the validity of the message is over. */
  readonly isExpired?: boolean
}

export class AttemptEnds {
  readonly #parts: Pick<PostgresParts, 'counts' | 'events'>

  constructor({ counts, events }: PostgresParts) {
    this.#parts = { counts, events }
  }

  /** Counts the end of an attempt. Null: the call ended none. */
  ended(row: EndedRow | null, outcome: AttemptOutcome): void {
    if (row === null) return
    this.#parts.counts.attemptEnded(row.transport, outcome)
    if (row.isExpired) this.#parts.events.emit({ is: 'deadline', inMs: 0 })
  }

  /** Counts and reports the delivery of a NO message, if a call made it DELIVERED. */
  handedOver(change: MovedRow | null, transport: string): Transitioned | null {
    if (change === null) return null
    this.#parts.counts.attemptEnded(transport, 'HANDED_OVER')
    countMove(this.#parts.counts, change)
    return this.#parts.events.moved([change])[0] ?? null
  }

  /** Reports a change that no caller announces, like a change by another node. */
  announce(transition: Transitioned | null): void {
    if (transition) this.#parts.events.emit({ is: 'transitioned', transition })
  }
}
