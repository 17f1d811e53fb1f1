/**
 * Keeps retained messages in memory, within limits. Searches run in slices that never block the event loop. Knows no
 * client.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AedesPublishPacket } from 'aedes'
import { bytesOf } from './session-states.ts'
import { patternOf } from './topics.ts'

export const RETAINED_LIMITS = {
  /** Maximum retained messages. Messages of further topics are not retained. */
  messages: 50_000,
  /** Maximum bytes of all retained messages. Messages of further topics are not retained. */
  bytes: 16_777_216,
} as const

/** Maximum topics compared in one turn of the event loop: about 0.3 ms. */
const TOPICS_PER_TURN = 2_000

const MAX_WAITING = 100

interface Searches {
  /** Resolves at the end of the last search. */
  last: Promise<void>
  waiting: number
}

export class RetainedMessages {
  readonly #packets = new Map<string, AedesPublishPacket>()
  #bytes = 0
  /** Searches by reader. The searches of one reader are sequential, so that no reader takes the turns of others. */
  readonly #searches = new WeakMap<object, Searches>()
  /** End of the last turn requested by a search. All searches together get one turn of the event loop at a time. */
  #turns: Promise<unknown> = Promise.resolve()

  topics(): Iterable<string> {
    return this.#packets.keys()
  }

  /**
   * Retains a message, or removes the message of its topic if the payload is empty. Returns false if a limit forbids
   * it.
   */
  store(packet: AedesPublishPacket): boolean {
    const { topic } = packet
    const before = this.#packets.get(topic)
    const bytesBefore = before ? bytesOf(before) : 0
    if (packet.payload.length === 0) {
      this.#bytes -= bytesBefore
      this.#packets.delete(topic)
      return true
    }
    const bytes = this.#bytes - bytesBefore + bytesOf(packet)
    if (bytes > RETAINED_LIMITS.bytes || (!before && this.#packets.size >= RETAINED_LIMITS.messages))
      return false
    this.#bytes = bytes
    this.#packets.set(topic, { ...packet })
    return true
  }

  /** Yields the messages that match each filter, filter by filter, after earlier searches of the same reader. */
  async *matching(filters: readonly string[], reader: object): AsyncGenerator<AedesPublishPacket> {
    const searches = this.#searches.get(reader) ?? { last: Promise.resolve(), waiting: 0 }
    this.#searches.set(reader, searches)
    const before = searches.last
    let finish = (): void => {}
    searches.last = new Promise((resolve) => {
      finish = resolve
    })
    searches.waiting++
    try {
      await before
      for (const filter of filters) yield* this.#search(filter)
    } finally {
      searches.waiting--
      finish()
    }
  }

  /** Resolves when a reader with too many queued searches may begin another; returns null if it may now. */
  whenReady(reader: object): Promise<void> | null {
    const searches = this.#searches.get(reader)
    return searches && searches.waiting >= MAX_WAITING ? searches.last : null
  }

  async *#search(filter: string): AsyncGenerator<AedesPublishPacket> {
    if (!/[+#]/.test(filter)) {
      const packet = this.#packets.get(filter)
      if (packet) yield packet
      return
    }
    const pattern = patternOf(filter)
    let compared = 0
    for (const [topic, packet] of this.#packets) {
      if (compared++ % TOPICS_PER_TURN === 0) await this.#nextTurn()
      if (pattern.test(topic)) yield packet
    }
  }

  #nextTurn(): Promise<unknown> {
    this.#turns = this.#turns.then(() => nextTurn())
    return this.#turns
  }
}
