/**
 * What happens, as a numbered feed that any number of readers follow, each at its own speed. Listens only while
 * somebody reads, and for a while after, so that nobody else pays for it. Knows no HTTP.
 */
import { randomBytes } from 'node:crypto'
import { BrokerError } from './errors.ts'
import type { PresenceChange } from './presence.ts'
import type { Transitioned } from './store.ts'

/** Events that are kept for those who come back, and for slow readers. */
const KEPT = 4_096
/** Most events that a reader gets at once. */
const BATCH = 500
/** Readers at a time. */
export const MOST_READERS = 100
/** How long the feed listens on when nobody reads any more. */
const LINGER_MS = 60_000
/** A reader hears of us at least this often. Engines cut connections that are silent for ten seconds. */
export const HEARTBEAT_MS = 5_000

type Happening =
  | { readonly type: 'message'; readonly change: Transitioned }
  | { readonly type: 'connection'; readonly change: PresenceChange }

/** Who comes back with its id misses nothing that is still kept. */
export type FeedEvent = Happening & { readonly id: string }

/**
 * READY: from here on all events come. GAP: so it is, but some from before are lost, so that what the reader knows is
 * to be read anew. Without either and without events, a sign of life.
 */
export interface Batch {
  readonly start?: 'READY' | 'GAP'
  readonly events: readonly FeedEvent[]
  /** The id of the event before them. */
  readonly after: string
}

interface Source<T> {
  onChange(listener: (change: T) => void): () => void
}

export interface FeedOptions {
  readonly broker: Source<Transitioned>
  readonly presence: Source<PresenceChange>
}

export class Feed {
  readonly #options: FeedOptions
  /** Tells the ids of this run from those of another. */
  readonly #run = randomBytes(6).toString('base64url')
  readonly #readers = new Set<Reader>()
  #events: FeedEvent[] = []
  /** The number of the first event in the list. */
  #first = 1
  #endings: (() => void)[] = []
  #linger: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /**
   * @param lastId of the last event that the reader has; undefined: it begins now
   * @param mayRead asked before each batch: false ends it
   * @returns ends when the reader falls behind what is kept, may not read any more, or the feed closes
   * @throws {BrokerError} too-many-streams
   */
  follow(lastId: string | undefined, mayRead: () => boolean): AsyncIterable<Batch> {
    if (this.#readers.size >= MOST_READERS) {
      throw new BrokerError(
        'too-many-streams',
        `${MOST_READERS} read the events already: close some, and try again.`,
      )
    }
    return { [Symbol.asyncIterator]: () => this.#join(lastId, mayRead) }
  }

  /** Ends all readers. */
  close(): void {
    this.#closed = true
    for (const reader of this.#readers) void reader.return()
    this.#stopListening()
  }

  #join(lastId: string | undefined, mayRead: () => boolean): Reader {
    if (!this.#closed) this.#listen()
    const known = this.#numberOf(lastId)
    const misses = lastId !== undefined && known === null
    const reader = new Reader(
      {
        since: (next) => this.#since(next),
        idOf: (number) => this.#idOf(number),
        left: () => this.#leave(reader),
        mayRead: () => !this.#closed && mayRead(),
      },
      { next: known === null ? this.#next : known + 1, start: misses ? 'GAP' : 'READY' },
    )
    this.#readers.add(reader)
    return reader
  }

  get #next(): number {
    return this.#first + this.#events.length
  }

  #idOf(number: number): string {
    return `${this.#run}.${number}`
  }

  /** @returns null when events after it are not kept any more, or it is of another run */
  #numberOf(id: string | undefined): number | null {
    const [run, number] = id?.split('.') ?? []
    const known = run === this.#run ? Number(number) : Number.NaN
    return Number.isInteger(known) && known + 1 >= this.#first && known < this.#next ? known : null
  }

  #since(next: number): readonly FeedEvent[] | null {
    return next < this.#first ? null : this.#events.slice(next - this.#first, next - this.#first + BATCH)
  }

  #add(happening: Happening): void {
    this.#events.push({ id: this.#idOf(this.#next), ...happening })
    if (this.#events.length >= 2 * KEPT) {
      this.#events = this.#events.slice(-KEPT)
      this.#first += KEPT
    }
    for (const reader of this.#readers) reader.wake()
  }

  #listen(): void {
    clearTimeout(this.#linger)
    if (this.#endings.length > 0) return
    const { broker, presence } = this.#options
    this.#endings = [
      broker.onChange((change) => this.#add({ type: 'message', change })),
      presence.onChange((change) => this.#add({ type: 'connection', change })),
    ]
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0 || this.#closed) return
    clearTimeout(this.#linger)
    this.#linger = setTimeout(() => this.#stopListening(), LINGER_MS).unref()
  }

  #stopListening(): void {
    clearTimeout(this.#linger)
    for (const end of this.#endings.splice(0)) end()
    // A hole in the numbers: whoever comes back with one from before it has missed something.
    this.#first = this.#next + 1
    this.#events = []
  }
}

interface Followed {
  /** Null: it is not kept any more. */
  since(next: number): readonly FeedEvent[] | null
  idOf(number: number): string
  left(): void
  mayRead(): boolean
}

class Reader implements AsyncIterator<Batch> {
  readonly #feed: Followed
  #next: number
  #start: Batch['start']
  #ended = false
  #wake: () => void = () => {}

  constructor(feed: Followed, { next, start }: { next: number; start: Batch['start'] }) {
    this.#feed = feed
    this.#next = next
    this.#start = start
  }

  wake(): void {
    this.#wake()
  }

  async next(): Promise<IteratorResult<Batch>> {
    const start = this.#start
    this.#start = undefined
    if (start === undefined && this.#feed.since(this.#next)?.length === 0) await this.#something()
    const events = this.#feed.since(this.#next)
    if (this.#ended || events === null || !this.#feed.mayRead()) return this.return()
    const batch = { events, after: this.#feed.idOf(this.#next - 1) }
    this.#next += events.length
    return { done: false, value: start === undefined ? batch : { start, ...batch } }
  }

  async return(): Promise<IteratorResult<Batch>> {
    if (!this.#ended) {
      this.#ended = true
      this.#feed.left()
    }
    this.#wake()
    return { done: true, value: undefined }
  }

  /** Until an event comes, the time for a sign of life has, or the end. */
  async #something(): Promise<void> {
    if (this.#ended || !this.#feed.mayRead()) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      timer = setTimeout(resolve, HEARTBEAT_MS)
    })
    clearTimeout(timer)
  }
}
