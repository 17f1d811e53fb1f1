/**
 * The messages that were stored last and are about to be handed over, in memory: most are acknowledged soon. Only those,
 * since what is kept through collections of garbage has its price, and the disk has all. What is kept of one never
 * changes. Knows no SQL.
 */
import type { Envelope, NewMessage, Waiting } from '../../broker/store.ts'

const MOST = 2_000
/** A message with more data than so many UTF-16 units is read from the disk. */
const LONGEST = 2_048
/** So many that left their queues are kept, a commit's worth: the broker tells of each just after. */
const LEFT = 256

type RecentMessage = Waiting & Envelope

export class RecentMessages {
  /** A ring: a message has its place by its id. */
  readonly #messages = new Array<RecentMessage | null>(MOST).fill(null)
  /** A ring of the ids that left last. */
  readonly #left = new Array<number>(LEFT).fill(0)
  #leaves = 0

  add(id: number, { deviceId, command, guarantee, data, tmpId, producerId }: NewMessage): void {
    this.#messages[id % MOST] =
      data.length > LONGEST ? null : { id, deviceId, command, guarantee, data, tmpId, producerId }
  }

  get(id: number): RecentMessage | undefined {
    const found = this.#messages[id % MOST]
    return found?.id === id ? found : undefined
  }

  /** It is not handed over any more. */
  leave(id: number): void {
    const at = this.#leaves++ % LEFT
    const earlier = this.#left[at] as number
    if (this.get(earlier)) this.#messages[earlier % MOST] = null
    this.#left[at] = id
  }
}
