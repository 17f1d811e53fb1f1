/**
 * The messages that were stored last, in memory: most are handed over and acknowledged soon. What is kept of one never
 * changes, so each stays until a later one needs its place. Knows no SQL.
 */
import type { NewMessage } from '../../broker/store.ts'

const MOST = 2_000
/** A message with more data than so many UTF-16 units is read from the disk. */
const LONGEST = 2_048

export class RecentMessages {
  /** A ring: a message has its place by its id. */
  readonly #messages = new Array<{ readonly id: number; readonly message: NewMessage } | null>(MOST).fill(
    null,
  )

  add(id: number, message: NewMessage): void {
    this.#messages[id % MOST] = message.data.length > LONGEST ? null : { id, message }
  }

  get(id: number): NewMessage | undefined {
    const found = this.#messages[id % MOST]
    return found?.id === id ? found.message : undefined
  }
}
