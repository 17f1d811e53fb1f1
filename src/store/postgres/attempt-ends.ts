/** Counts the ends of attempts and the deliveries of this node, and reports the deadlines that follow from them. */
import type { AttemptOutcome } from '../../broker/device-lease.ts'
import type { Transitioned } from '../../broker/store.ts'
import type { AttemptEnd } from '../../broker/store-metrics.ts'
import type { PostgresParts } from './parts.ts'
import type { MovedRow } from './store-events.ts'

/** An attempt that a call ended. */
export interface EndedRow {
  readonly transport: string
  /** The validity of the message is over. */
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

  /** Counts and reports the delivery of a NO message, if a call made one. */
  handedOver(change: MovedRow | null, transport: string): Transitioned | null {
    if (change === null) return null
    const end: AttemptEnd = 'HANDED_OVER'
    this.#parts.counts.attemptEnded(transport, end)
    this.#parts.counts.deliveries.observe((change.changed_at_ms - change.created_at_ms) / 1_000)
    return this.#parts.events.moved([change])[0] ?? null
  }
}
