/**
 * Segments of the index by device. A segment covers 16,384 message ids, so that new messages land on the few pages of
 * the newest segment, however many messages and devices there are. A reader by device reads segment after segment.
 */
import type { Database, Statement } from 'better-sqlite3'
import type { IdRange } from '../../../broker/contract/message-search.ts'

const BITS = 14

/** Returns the segment of a message id, as SQL. @param id the id, as SQL */
export function segmentOfId(id: string): string {
  return `(${id} >> ${BITS})`
}

export class DeviceSegments {
  readonly #newest: Statement<[upTo: number], number | null>

  /** @param db connection for reads */
  constructor(db: Database) {
    this.#newest = db
      .prepare<[number], number | null>(
        `SELECT max(segment) FROM device_messages WHERE segment <= ${segmentOfId('?')}`,
      )
      .pluck()
  }

  /** Yields the parts of a range of ids that lie in one segment each, newest first. */
  *of({ from, below }: IdRange): Generator<IdRange> {
    for (let end = below; end > from; ) {
      const segment = this.#newest.get(end - 1) ?? -1
      const first = segment * 2 ** BITS
      const last = Math.min(end, first + 2 ** BITS)
      if (last <= from) return
      yield { from: Math.max(from, first), below: last }
      end = first
    }
  }
}
