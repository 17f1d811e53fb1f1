/** Processes due deadlines. */
import type { Expiry } from '../../../broker/contract/store.ts'
import { ALONE } from '../database/verbs.ts'
import type { PostgresParts } from '../parts.ts'
import { countMove } from './move-counts.ts'
import type { MovedRow } from './store-events.ts'

interface Call {
  readonly max: number
}

interface Result {
  readonly settled: readonly MovedRow[]
  /** Transports of the attempts that ended as TIMEOUT. */
  readonly ended: readonly string[]
  readonly next_in_ms: number | null
}

export class DeadlineVerbs {
  readonly #parts: PostgresParts
  readonly #expire: (call: Call) => Promise<Result>

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.#expire = parts.verbs.write<Call, Result>({
      name: 'expire',
      keysOf: () => ALONE,
      onLate: (_call, result) => {
        for (const transition of this.#report(result)) parts.events.emit({ is: 'transitioned', transition })
      },
    })
  }

  async expire(limit: number): Promise<Expiry> {
    const result = await this.#expire({ max: limit })
    return { settled: this.#report(result), nextInMs: result.next_in_ms }
  }

  /** Reports and counts the changes of a step. */
  #report({ settled, ended }: Result): Expiry['settled'] {
    const { events, counts } = this.#parts
    for (const row of settled) countMove(counts, row)
    for (const transport of ended) counts.attemptEnded(transport, 'TIMEOUT')
    return events
      .moved(settled)
      .map((transition, at) => ({ ...transition, attempts: settled[at]?.attempts ?? 0 }))
  }
}
