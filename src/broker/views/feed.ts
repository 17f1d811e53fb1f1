/**
 * Publishes changes of statuses, connections, alerts, bulk jobs, incidents and logs of devices as a numbered feed. Each
 * reader follows at its own speed. The feed subscribes to the changes only while it has readers, and for a minute after,
 * because events cost time. Knows no HTTP.
 */
import { randomBytes } from 'node:crypto'
import type { BulkReport } from '../bulk/bulk-report.ts'
import type { Transitioned } from '../contract/store.ts'
import type { ListedIncident } from '../incidents/incidents.ts'
import { BrokerError } from '../vocabulary/errors.ts'
import type { AlertChange } from './alert-watch.ts'
import type { LoggedEntry, LogWatch } from './log-watch.ts'
import type { PresenceChange } from './presence.ts'

/** Minimum number of events kept for slow and returning readers. */
const KEPT_EVENTS = 4_096
const MAX_BATCH = 500
export const MAX_READERS = 100
/** Maximum devices that a reader names. */
export const MAX_NAMED_DEVICES = 20
/** Time for which the feed stays subscribed without a reader. */
const LINGER_MS = 60_000
/** Maximum time between two batches of a reader. The HTTP adapters close a connection after ten silent seconds. */
export const HEARTBEAT_MS = 5_000

/** Types of events. */
export const FEED_TYPES = ['message', 'connection', 'alert', 'bulk', 'incident', 'log'] as const

type FeedChange =
  | { readonly type: 'message'; readonly change: Transitioned }
  | { readonly type: 'connection'; readonly change: PresenceChange }
  | { readonly type: 'alert'; readonly change: AlertChange }
  | { readonly type: 'bulk'; readonly change: BulkReport }
  | { readonly type: 'incident'; readonly change: ListedIncident }
  | { readonly type: 'log'; readonly change: LoggedEntry }

/** Change with an id. A reader that returns with the id of its last event receives all later kept events. */
export type FeedEvent = FeedChange & { readonly id: string }

/**
 * Events in order. The first batch of a reader has `start`. `READY`: the reader receives all events from now on. `GAP`:
 * earlier events were lost, so the reader must re-read its state, then continue. A later batch without events shows
 * that the server is alive.
 */
export interface Batch {
  readonly start?: 'READY' | 'GAP'
  readonly events: readonly FeedEvent[]
  /** Id of the event before the first event. */
  readonly after: string
}

interface ChangeSource<T> {
  onChange(listener: (change: T) => void): () => void
}

export interface FeedOptions {
  readonly broker: ChangeSource<Transitioned>
  readonly presence: ChangeSource<PresenceChange>
  readonly alerts: ChangeSource<AlertChange>
  readonly bulk: ChangeSource<BulkReport>
  readonly incidents: ChangeSource<ListedIncident>
  readonly logs: Pick<LogWatch, 'onChange' | 'follow'>
}

/** Keeps the latest events in memory, with numbers that grow by one. */
export class Feed {
  readonly #options: FeedOptions
  /** Random prefix of the ids, which distinguishes this process from an earlier one. */
  readonly #run = randomBytes(6).toString('base64url')
  readonly #readers = new Set<Reader>()
  #events: FeedEvent[] = []
  /** Number of the first event in the list. */
  #first = 1
  #unsubscribes: (() => void)[] = []
  #lingerTimer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /**
   * Adds a reader when the iteration begins.
   *
   * @param lastId id of the reader's last event; undefined begins with the next event
   * @param logsOf devices whose logs the reader follows. It also receives the entries that other readers follow
   * @returns batches; the iteration ends when the reader falls behind the kept events, or the feed closes
   * @throws {BrokerError} too-many-streams
   */
  follow(lastId: string | undefined, logsOf: readonly string[] = []): AsyncIterable<Batch> {
    if (this.#readers.size >= MAX_READERS) {
      throw new BrokerError(
        'too-many-streams',
        `${MAX_READERS} event streams are open, which is the limit. Close one and try again.`,
      )
    }
    return { [Symbol.asyncIterator]: () => this.#addReader(lastId, logsOf) }
  }

  close(): void {
    this.#closed = true
    for (const reader of this.#readers) void reader.return()
    this.#stopListening()
  }

  #addReader(lastId: string | undefined, logsOf: readonly string[]): Reader {
    if (!this.#closed) this.#listen()
    const endLogs = this.#options.logs.follow(logsOf)
    const known = this.#numberOf(lastId)
    const misses = lastId !== undefined && known === null
    const reader = new Reader(
      {
        since: (next) => this.#since(next),
        idOf: (number) => this.#idOf(number),
        removeReader: () => {
          endLogs()
          this.#removeReader(reader)
        },
        isClosed: () => this.#closed,
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

  /** Returns the number of an event; null if the id is unknown, or events after it are no longer kept. */
  #numberOf(id: string | undefined): number | null {
    const [run, number] = id?.split('.') ?? []
    const known = run === this.#run ? Number(number) : Number.NaN
    return Number.isInteger(known) && known + 1 >= this.#first && known < this.#next ? known : null
  }

  #since(next: number): readonly FeedEvent[] | null {
    return next < this.#first ? null : this.#events.slice(next - this.#first, next - this.#first + MAX_BATCH)
  }

  #add(happening: FeedChange): void {
    this.#events.push({ id: this.#idOf(this.#next), ...happening })
    if (this.#events.length >= 2 * KEPT_EVENTS) {
      this.#events = this.#events.slice(-KEPT_EVENTS)
      this.#first += KEPT_EVENTS
    }
    for (const reader of this.#readers) reader.wake()
  }

  #listen(): void {
    clearTimeout(this.#lingerTimer)
    if (this.#unsubscribes.length > 0) return
    const { broker, presence, alerts, bulk, incidents, logs } = this.#options
    this.#unsubscribes = [
      broker.onChange((change) => this.#add({ type: 'message', change })),
      presence.onChange((change) => this.#add({ type: 'connection', change })),
      alerts.onChange((change) => this.#add({ type: 'alert', change })),
      bulk.onChange((change) => this.#add({ type: 'bulk', change })),
      incidents.onChange((change) => this.#add({ type: 'incident', change })),
      logs.onChange((change) => this.#add({ type: 'log', change })),
    ]
  }

  #removeReader(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0 || this.#closed) return
    clearTimeout(this.#lingerTimer)
    this.#lingerTimer = setTimeout(() => this.#stopListening(), LINGER_MS).unref()
  }

  #stopListening(): void {
    clearTimeout(this.#lingerTimer)
    for (const end of this.#unsubscribes.splice(0)) end()
    // Skip one number, so that a reader that returns with an earlier id receives GAP.
    this.#first = this.#next + 1
    this.#events = []
  }
}

/** Part of the feed that a reader uses. */
interface ReaderFeed {
  /** Returns the kept events from a number on, at most one batch; null if the number is no longer kept. */
  since(next: number): readonly FeedEvent[] | null
  idOf(number: number): string
  removeReader(): void
  isClosed(): boolean
}

class Reader implements AsyncIterator<Batch> {
  readonly #feed: ReaderFeed
  #next: number
  #start: Batch['start']
  #ended = false
  #wake: () => void = () => {}

  constructor(feed: ReaderFeed, { next, start }: { next: number; start: Batch['start'] }) {
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
    if (start === undefined && this.#feed.since(this.#next)?.length === 0) await this.#waitForEvent()
    const events = this.#feed.since(this.#next)
    if (this.#ended || events === null || this.#feed.isClosed()) return this.return()
    const batch = { events, after: this.#feed.idOf(this.#next - 1) }
    this.#next += events.length
    return { done: false, value: start === undefined ? batch : { start, ...batch } }
  }

  async return(): Promise<IteratorResult<Batch>> {
    if (!this.#ended) {
      this.#ended = true
      this.#feed.removeReader()
    }
    this.#wake()
    return { done: true, value: undefined }
  }

  /** Resolves at the next event, at the end of the reader, or after {@link HEARTBEAT_MS}. */
  async #waitForEvent(): Promise<void> {
    if (this.#ended || this.#feed.isClosed()) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      timer = setTimeout(resolve, HEARTBEAT_MS)
    })
    clearTimeout(timer)
  }
}
