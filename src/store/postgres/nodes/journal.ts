/**
 * Reads the journal, the change feed of the nodes: the changes made by other nodes. Each handler receives each change
 * at least once, in the order of writing. The journal is read every 400 ms, and soon after a hint. A change that a
 * handler cannot process, such as a change by a newer release, is retried a few times and then skipped, so that it does
 * not block the journal.
 */
import { setImmediate } from 'node:timers/promises'
import type { Connection } from '../database/connection.ts'

/** Row of the table `changes`. */
export interface ChangeRow {
  /** Number of the row. Grows with each change of the same message, device or client. */
  readonly seq: number
  /** Node that made the change. */
  readonly origin: number
  readonly kind: string
  readonly message_id: number | null
  readonly tmp_id: number | null
  readonly until_ms: number | null
  readonly status: number | null
  readonly cause: number | null
  readonly subject: string
  readonly producer_id: string | null
  readonly content: unknown
  /** True if the message was parked by its own limit of attempts. */
  readonly has_own_limit: boolean | null
}

interface Page {
  readonly rows: readonly ChangeRow[]
  /** Time of the database. */
  readonly nowMs: number
  /** Snapshot with which the next read begins. */
  readonly snapshot: string
  readonly more: boolean
}

/**
 * Handles a change.
 *
 * @param nowMs time of the database
 * @returns a promise if the journal must wait. After an error the journal repeats the change for all handlers
 */
export type ChangeHandler = (row: ChangeRow, nowMs: number) => void | Promise<void>

export interface JournalOptions {
  /** Separate connection, so that a read waits for nothing else. */
  readonly connection: Connection
  /**
   * Returns all numbers of this process, past and present, whose changes are skipped: results of calls report them. A
   * call that waited for the database may have taken effect under an earlier number.
   */
  ownIds(): readonly number[]
  /** Called when this node has handled the changes before the barrier of another node. */
  readonly onBarrier?: () => void
  /**
   * Called with the error of a failed read or handler, which the journal retries, and with each {@link SkippedChange}.
   */
  readonly onError?: (error: unknown) => void
  readonly nowMs?: () => number
  /** Period of the reads, in milliseconds. */
  readonly readMs: number
  /** Approximate maximum of changes per read. A transaction is not divided. */
  readonly limit?: number
}

/** Minimum time from the end of a read to the next read, in milliseconds. */
const REST_MS = 20
/** Time without a complete read after which the node is behind, in milliseconds. */
const BEHIND_MS = 240_000
const LIMIT = 10_000
/** Number of attempts to handle a change. The pause between two is the period of the reads. */
const MAX_TRIES = 5
/** Kind of the changes that a node waits for; see {@link Node.barrier}. */
export const BARRIER = 'barrier'
const READ = { name: 'read_changes', text: 'SELECT read_changes($1, $2, $3) AS page' }

/** Reports a change that a handler failed to process in all attempts. Listeners re-read their state, as after a gap. */
export class SkippedChange extends Error {
  readonly row: ChangeRow

  constructor(row: ChangeRow, cause: unknown) {
    super(`Change ${row.seq} of kind "${row.kind}" was skipped.`, { cause })
    this.name = 'SkippedChange'
    this.row = row
  }
}

export class Journal {
  readonly #options: JournalOptions
  readonly #handlers = new Map<string, Set<ChangeHandler>>()
  readonly #gapListeners = new Set<() => void>()
  readonly #setBackListeners = new Set<() => void>()
  readonly #now: () => number
  #position = ''
  /** Time of the database at the start or the latest read. */
  #databaseMs = Number.NEGATIVE_INFINITY
  #readAtMs = 0
  #timer: NodeJS.Timeout | null = null
  #reading: Promise<void> | null = null
  #isHinted = false
  #isClosed = false
  /** Change that a handler failed to process, and the number of attempts so far. */
  #failed: { readonly seq: number; readonly tries: number } | null = null

  constructor(options: JournalOptions) {
    this.#options = options
    this.#now = options.nowMs ?? (() => performance.now())
  }

  /** Snapshot of the database whose changes this node has handled. */
  get position(): string {
    return this.#position
  }

  /** True if the journal could not be read for minutes. */
  get isBehind(): boolean {
    return this.#now() - this.#readAtMs > BEHIND_MS
  }

  /** Calls the handler with each change of a kind by another node. Returns a function that unsubscribes. */
  on(kind: string, handler: ChangeHandler): () => void {
    const handlers = this.#handlers.get(kind) ?? new Set()
    this.#handlers.set(kind, handlers.add(handler))
    return () => handlers.delete(handler)
  }

  /**
   * Starts with the changes after a snapshot. A later call skips the changes before the snapshot.
   *
   * @param databaseMs time of the database at the snapshot
   */
  start(position: string, databaseMs: number): void {
    this.#position = position
    this.#observeTime(databaseMs)
    this.#readAtMs = this.#now()
    if (this.#timer === null) this.#arm(this.#options.readMs)
    else this.#reportGap()
  }

  /** Triggers a read soon, because another node committed something. */
  hint(): void {
    if (this.#isHinted) return
    this.#isHinted = true
    if (this.#reading === null && this.#timer) this.#arm(REST_MS - (this.#now() - this.#readAtMs))
  }

  /** Calls the listener after changes of other nodes may have been missed. It must re-read its cached state. */
  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener)
    return () => this.#gapListeners.delete(listener)
  }

  /** Calls the listener after the clock of the database was set back. */
  onSetBack(listener: () => void): () => void {
    this.#setBackListeners.add(listener)
    return () => this.#setBackListeners.delete(listener)
  }

  /** Stops reading. Resolves when the current read is over. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#reading
  }

  #arm(inMs: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(
      () => {
        this.#reading = this.#read().finally(() => {
          this.#reading = null
          this.#arm(this.#isHinted ? REST_MS : this.#options.readMs)
        })
      },
      Math.max(0, inMs),
    )
    this.#timer.unref()
  }

  /** Reads until nothing is left. Never rejects. */
  async #read(): Promise<void> {
    try {
      for (let more = true; more && !this.#isClosed; ) more = await this.#readPage()
      this.#readAtMs = this.#now()
    } catch (error) {
      if (!this.#isClosed) this.#options.onError?.(error)
    }
  }

  async #readPage(): Promise<boolean> {
    const { connection, limit = LIMIT, ownIds, onBarrier } = this.#options
    this.#isHinted = false
    const from = this.#position
    const [row] = await connection.run<{ page: Page }>(READ, [ownIds(), from, limit])
    if (!row) return false
    const { rows, nowMs, snapshot, more } = row.page
    this.#observeTime(nowMs)
    // A result of this node that was received before these rows is processed first.
    await setImmediate()
    // The node may have registered again during the read, and may have made changes under its new number.
    const own = ownIds()
    let isSkipped = false
    for (const each of rows) {
      if (own.includes(each.origin)) continue
      try {
        const handled = this.#handle(each, nowMs)
        if (handled) await handled
      } catch (error) {
        this.#retry(each, error)
        isSkipped = true
      }
    }
    // The node may have started again meanwhile, from another position.
    if (this.#position === from) this.#position = snapshot
    if (isSkipped) this.#reportGap()
    if (rows.some(({ kind }) => kind === BARRIER)) onBarrier?.()
    return more
  }

  #observeTime(nowMs: number): void {
    const isSetBack = nowMs < this.#databaseMs
    this.#databaseMs = nowMs
    if (isSetBack) for (const listener of this.#setBackListeners) listener()
  }

  /** Calls each handler, even after another one failed. */
  #handle(row: ChangeRow, nowMs: number): Promise<unknown> | null {
    let waits: Promise<void>[] | null = null
    const errors: unknown[] = []
    for (const handler of this.#handlers.get(row.kind) ?? []) {
      try {
        const done = handler(row, nowMs)
        if (done) waits = [...(waits ?? []), done]
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
    return waits && Promise.all(waits)
  }

  /**
   * Throws the error again, so that the journal repeats the change. After the last attempt, reports the change as
   * skipped.
   */
  #retry(row: ChangeRow, error: unknown): void {
    const tries = this.#failed?.seq === row.seq ? this.#failed.tries + 1 : 1
    this.#failed = { seq: row.seq, tries }
    if (tries < MAX_TRIES) throw error
    this.#options.onError?.(new SkippedChange(row, error))
  }

  #reportGap(): void {
    for (const listener of this.#gapListeners) listener()
  }
}
