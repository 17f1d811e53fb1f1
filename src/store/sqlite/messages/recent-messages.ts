/**
 * Caches messages from shortly before their dispatch until shortly after their acknowledgement, which usually comes
 * soon. Caching more would cost time, because the garbage collector copies surviving objects. Knows no SQL.
 */
import type { PendingMessage, ReplyTo } from '../../../broker/vocabulary/message.ts'

const MAX_MESSAGES = 2_000
/** Maximum length of the `data` of a cached message, in UTF-16 units. */
const MAX_DATA_LENGTH = 2_048
/**
 * Number of messages kept after they left their queues: one commit's worth, because each is announced after the commit.
 */
const KEPT_AFTER_REMOVAL = 256

export interface RecentMessage {
  readonly message: PendingMessage
  readonly replyTo: ReplyTo | null
  /** True if the producer wants the details of each result. */
  readonly details: boolean
  readonly createdAtMs: number
}

export class RecentMessages {
  /** Ring of messages. The id of a message determines its index. */
  readonly #messages = new Array<RecentMessage | null>(MAX_MESSAGES).fill(null)
  /** Ring of the most recently released ids. */
  readonly #releasedIds = new Array<number>(KEPT_AFTER_REMOVAL).fill(0)
  #releases = 0

  /** Adds a message in place of the message with the same index. */
  add(message: PendingMessage, replyTo: ReplyTo | null, details: boolean, createdAtMs: number): void {
    this.#messages[message.id % MAX_MESSAGES] =
      message.data.length > MAX_DATA_LENGTH ? null : { message, replyTo, details, createdAtMs }
  }

  /** Returns a message; undefined if it is not in memory. */
  get(id: number): RecentMessage | undefined {
    const found = this.#messages[id % MAX_MESSAGES]
    return found?.message.id === id ? found : undefined
  }

  /** Marks a message that left its queue, so that a later release removes it. */
  release(id: number): void {
    const at = this.#releases++ % KEPT_AFTER_REMOVAL
    const earlier = this.#releasedIds[at] as number
    if (this.get(earlier)) this.#messages[earlier % MAX_MESSAGES] = null
    this.#releasedIds[at] = id
  }
}
