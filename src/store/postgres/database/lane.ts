/**
 * Lane: performs the calls of one verb in batches, one batch at a time. The calls that arrive during a batch form the
 * next one. After a failure with an unknown outcome the lane repeats the batch until the outcome is known.
 */
import { setTimeout } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { codeOf, kindOf, NO_LANE, storageAway, storageBusy, storageClosed, storageFull } from './faults.ts'

/** Keys of a call, which decide which calls may share a batch. */
export interface BatchKeys {
  /** Keys that no other call of the batch may have, neither here nor in `shared`. */
  readonly alone: readonly string[]
  /** Keys that other calls of the batch may also have in `shared`. */
  readonly shared: readonly string[]
}

/** Identifies a batch of a lane across its retries. */
export interface Ticket {
  readonly nodeId: number
  readonly no: number
}

export interface LaneOptions<Call, Result> {
  readonly connection: Connection
  /** Returns the number of this node. A repeated batch keeps the number of its first attempt. */
  nodeId(): number
  /** Performs a batch in one transaction, and returns the result of each call. A retry has the same ticket. */
  perform(connection: Connection, calls: readonly Call[], ticket: Ticket): Promise<readonly Result[]>
  /** Returns the keys of a call. Two calls whose result depends on being in separate batches have a key in common. */
  keysOf(call: Call): BatchKeys
  /** Handles a late result, whose caller already got an error. */
  readonly onLate?: (call: Call, result: Result) => void
  /** Time after which a caller gets an error, in milliseconds; null: the caller waits for the result. */
  readonly patienceMs: number | null
  /** Called with the error of each failed attempt, and with null after a successful one. */
  readonly onTry?: (error: unknown) => void
  /** Called when a caller is refused because the database does not answer. */
  readonly onAway?: () => void
}

interface Waiting<Call, Result> {
  readonly call: Call
  readonly keys: BatchKeys
  readonly sinceMs: number
  settled: boolean
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

const MAX_BATCH = 250
/**
 * Time between the starts of two batches of a busy lane, in milliseconds, unless enough calls are queued earlier. A
 * batch costs as much as the work for some calls, so gathering calls saves most of that cost for a lane with many
 * callers.
 */
const PERIOD_MS = 20
/** Number of queued calls that start a batch. */
const ENOUGH_CALLS = 16
/**
 * Time for which a lane counts as busy after a call that overlapped another, in milliseconds. A single caller never
 * overlaps.
 */
const BUSY_MS = 100
const MAX_WAITING = 10_000
/** Time after which a caller gets the error storage-away, in milliseconds. */
export const PATIENCE_MS = 5_000
/** Maximum time for a batch to end when the lane closes, in milliseconds. */
const CLOSE_MS = 2_000
/** Pauses between attempts, in milliseconds. The last pause applies to all further attempts. */
const PAUSES_MS = [10, 50, 100, 200, 500]

export class Lane<Call, Result> {
  readonly #options: LaneOptions<Call, Result>
  #queue: Waiting<Call, Result>[] = []
  #batch: readonly Waiting<Call, Result>[] = []
  #no = 0
  #running: Promise<void> | null = null
  #isClosed = false
  /** True if the lane is closed and the database does not answer. */
  #isGivenUp = false
  #startedMs = Number.NEGATIVE_INFINITY
  /** Time of the latest call that arrived during a batch. */
  #metMs = Number.NEGATIVE_INFINITY
  #enough: () => void = () => {}
  #lastError: unknown = null

  constructor(options: LaneOptions<Call, Result>) {
    this.#options = options
  }

  /** True while the outcome of a batch is unknown, because the database does not answer. */
  get isAway(): boolean {
    return this.#lastError !== null && this.#batch.length > 0 && kindOf(this.#lastError) === 'unknown'
  }

  /**
   * Performs a call.
   *
   * @throws {BrokerError} storage-busy, storage-full, storage-away, storage-closed; any other error is PostgreSQL's refusal of this call
   */
  call(call: Call): Promise<Result> {
    if (this.#isClosed) return Promise.reject(storageClosed())
    if (this.#queue.length >= MAX_WAITING) return Promise.reject(storageBusy())
    return new Promise((resolve, reject) => {
      const keys = this.#options.keysOf(call)
      const sinceMs = performance.now()
      this.#queue.push({ call, keys, sinceMs, settled: false, resolve, reject })
      if (this.#batch.length > 0) this.#metMs = sinceMs
      if (this.#queue.length === ENOUGH_CALLS) this.#enough()
      if (this.#running === null) this.#running = this.#run()
    })
  }

  /**
   * Rejects the callers that waited too long. A running batch continues, because it may have been committed. The owner
   * of the lane calls this twice a second.
   *
   * @param patienceMs maximum wait, in milliseconds; null for no limit
   */
  giveUp(patienceMs = this.#options.patienceMs): void {
    if (patienceMs === null) return
    const now = performance.now()
    const isOver = ({ sinceMs }: Waiting<Call, Result>) => now - sinceMs > patienceMs
    this.#reject(this.#batch.filter(isOver), storageAway(this.#lastError))
    const over = this.#queue.filter(isOver)
    if (over.length === 0) return
    this.#queue = this.#queue.filter((each) => !isOver(each))
    this.#reject(over, storageAway(this.#lastError))
  }

  /**
   * Refuses new calls, and resolves after the queued ones are done. Calls that wait for a lost database are refused.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    let seen = this.#no
    const timer = setInterval(() => {
      if (seen === this.#no) this.#options.connection.reset()
      seen = this.#no
    }, CLOSE_MS)
    await this.#running
    clearInterval(timer)
  }

  async #run(): Promise<void> {
    // The calls of the same turn of the event loop form the first batch.
    await null
    while (this.#queue.length > 0) {
      await this.#gather()
      this.#batch = this.#nextBatch()
      this.#startedMs = performance.now()
      await this.#perform(this.#batch)
      this.#batch = []
    }
    this.#running = null
  }

  /** Resolves when the next batch may begin. */
  async #gather(): Promise<void> {
    const nowMs = performance.now()
    const inMs = this.#startedMs + PERIOD_MS - nowMs
    const isBusy = nowMs - this.#metMs < BUSY_MS
    if (!isBusy || inMs <= 0 || this.#isClosed || this.#queue.length >= ENOUGH_CALLS) return
    const waiting = new AbortController()
    this.#enough = () => waiting.abort()
    await setTimeout(inMs, undefined, { signal: waiting.signal }).catch(() => {})
    this.#enough = () => {}
  }

  #nextBatch(): Waiting<Call, Result>[] {
    const batch: Waiting<Call, Result>[] = []
    const left: Waiting<Call, Result>[] = []
    const alone = new Set<string>()
    const used = new Set<string>()
    for (const [at, waiting] of this.#queue.entries()) {
      if (batch.length === MAX_BATCH) {
        left.push(...this.#queue.slice(at))
        break
      }
      const { keys } = waiting
      const isFree = !keys.alone.some((key) => used.has(key)) && !keys.shared.some((key) => alone.has(key))
      // The keys of a deferred call block later calls too, so that calls with a common key stay in order.
      for (const key of isFree ? keys.alone : [...keys.alone, ...keys.shared]) alone.add(key)
      for (const key of [...keys.alone, ...keys.shared]) used.add(key)
      ;(isFree ? batch : left).push(waiting)
    }
    this.#queue = left
    return batch
  }

  /** Performs a batch, and settles its callers. Never rejects. */
  async #perform(batch: readonly Waiting<Call, Result>[]): Promise<void> {
    const ticket = { nodeId: this.#options.nodeId(), no: ++this.#no }
    for (let tries = 0; ; tries++) {
      if (this.#isGivenUp) return this.#reject(batch, storageAway(this.#lastError))
      try {
        const { connection, perform } = this.#options
        const results = await perform(
          connection,
          batch.map(({ call }) => call),
          ticket,
        )
        this.#tried(null)
        for (const [at, waiting] of batch.entries()) this.#settle(waiting, results[at] as Result)
        return
      } catch (error) {
        this.#tried(error)
        const kind = kindOf(error)
        if (kind === 'full') return this.#reject(batch, storageFull(error))
        if (codeOf(error) === NO_LANE) return this.#reject(batch, storageAway(error))
        if (kind === 'refused') return this.#refused(batch, error)
        if (kind === 'unknown' && this.#isClosed) {
          this.#isGivenUp = true
          return this.#reject(batch, storageAway(error))
        }
        await setTimeout(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)])
      }
    }
  }

  /** Performs the calls of a refused batch one by one, so that only the wrong ones fail. */
  async #refused(batch: readonly Waiting<Call, Result>[], error: unknown): Promise<void> {
    if (batch.length === 1) return this.#reject(batch, error)
    for (const waiting of batch) await this.#perform([waiting])
  }

  #settle(waiting: Waiting<Call, Result>, result: Result): void {
    if (waiting.settled) this.#options.onLate?.(waiting.call, result)
    else waiting.resolve(result)
    waiting.settled = true
  }

  #reject(batch: readonly Waiting<Call, Result>[], error: unknown): void {
    for (const waiting of batch) {
      if (!waiting.settled) {
        if (codeOf(error) === 'storage-away') this.#options.onAway?.()
        waiting.reject(error)
      }
      waiting.settled = true
    }
  }

  #tried(error: unknown): void {
    this.#lastError = error
    this.#options.onTry?.(error)
  }
}
