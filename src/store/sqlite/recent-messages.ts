/**
 * The messages that are about to be dispatched, or were just now, in memory: most are acknowledged soon. Only those,
 * since objects that survive collections of garbage have their price, and the disk has all messages. Knows no SQL.
 */
import type { PendingMessage, ReplyTo } from '../../broker/message.ts'

const MOST = 2_000
/** Longest data that is kept, in UTF-16 units. */
const LONGEST = 2_048
/** Number of messages that are kept after they left their queues: a commit's worth, as each is announced just after. */
const LEFT = 256

interface RecentMessage {
  readonly message: PendingMessage
  readonly replyTo: ReplyTo | null
}

export class RecentMessages {
  /** A ring, in which the id of a message gives its place. */
  readonly #messages = new Array<RecentMessage | null>(MOST).fill(null)
  /** A ring of the ids that left their queues last. */
  readonly #left = new Array<number>(LEFT).fill(0)
  #leaves = 0

  add(message: PendingMessage, replyTo: ReplyTo | null): void {
    this.#messages[message.id % MOST] = message.data.length > LONGEST ? null : { message, replyTo }
  }

  get(id: number): RecentMessage | undefined {
    const found = this.#messages[id % MOST]
    return found?.message.id === id ? found : undefined
  }

  /** Notes that a message left its queue. */
  leave(id: number): void {
    const at = this.#leaves++ % LEFT
    const earlier = this.#left[at] as number
    if (this.get(earlier)) this.#messages[earlier % MOST] = null
    this.#left[at] = id
  }
}
