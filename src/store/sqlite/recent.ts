/**
 * The messages that were stored last, in memory: most are handed over and acknowledged soon. What is kept of one never
 * changes, so nothing has to be taken out but what is too much. Knows no SQL.
 */
import type { NewMessage } from '../../broker/store.ts'

const MOST = 2_000
/** A message with more data than so many UTF-16 units is read from the disk: 2,000 of them are 8 MB at most. */
const LONGEST = 2_048

export class RecentMessages {
  readonly #messages = new Map<number, NewMessage>()

  add(id: number, message: NewMessage): void {
    if (message.data.length > LONGEST) return
    this.#messages.set(id, message)
    if (this.#messages.size > MOST) this.#messages.delete(this.#messages.keys().next().value as number)
  }

  get(id: number): NewMessage | undefined {
    return this.#messages.get(id)
  }
}
