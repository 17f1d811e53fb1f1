/**
 * Group commit for the SQLite store. Writes that arrive during a sync become durable together with the next sync. The
 * writer commits on the thread of the event loop and syncs on other threads, so that a slow disk delays no reader.
 * Knows no tables.
 */
import type { Database, Statement } from 'better-sqlite3'
import { StoreCounts } from '../../../broker/contract/store-metrics.ts'
import type { WriteObserver } from '../../../broker/engine/storage-conditions.ts'
import { BrokerError } from '../../../broker/vocabulary/errors.ts'
import { type Failure, isFailure, storageFailed, toBrokerError, toError, toFailure } from './faults.ts'
import type { OpenFiles } from './open-files.ts'
import { type Task, type TaskResult, Transactions, type Value } from './transactions.ts'
import { WalSync } from './wal-sync.ts'

/*
 *                        ┌──────────── done, writes wait ──────────┐
 *         write          ▼  end of turn              commit        │
 *   idle ───────► scheduled ───────────► committing ────────► syncing ───────► checkpointing
 *     ▲                                   │  │ ▲ ▲               │  log is long      │
 *     │           nothing left to commit  │  │ │ │               │                   │
 *     └───────────────────────────────────┘  │ │ └───────────────┴───────────────────┘
 *                                     locked │ │ 10 ms      done, no write waits or a full group
 *                                            ▼ │
 *                                         lock-retry
 *
 *   any state ── I/O error or corruption ──► failed
 *   any state ── close ──► the same state with `closing` ── nothing left to commit ──► closed
 *
 * `committing` is synchronous: it ends before the event loop continues. Writes that arrive in any state but `idle` are
 * queued. A closing writer refuses new writes, and commits the queued ones before it is closed. A failed writer refuses
 * all writes until a restart, since the content of the disk is unknown.
 */
type State =
  | { readonly name: 'idle' | 'scheduled'; readonly closing: null }
  | { readonly name: 'committing' | 'checkpointing'; readonly closing: Closing | null }
  | {
      readonly name: 'syncing'
      readonly group: PendingWrite[]
      readonly results: TaskResult[]
      readonly closing: Closing | null
    }
  | {
      readonly name: 'lock-retry'
      readonly timer: NodeJS.Timeout
      readonly closing: Closing | null
    }
  | {
      readonly name: 'failed'
      readonly refusal: BrokerError
      /** True while a sync or a checkpoint is still running. */
      readonly running: boolean
      readonly closing: Closing | null
    }
  | { readonly name: 'closed'; readonly refusal: BrokerError; readonly closing: Closing }

interface Closing {
  readonly refusal: BrokerError
  readonly closed: Promise<void>
  readonly resolve: (walClosed: Promise<void>) => void
}

/** Write that waits for its commit or its sync. */
interface PendingWrite {
  readonly task: Task<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

const IDLE: State = { name: 'idle', closing: null }
const SCHEDULED: State = { name: 'scheduled', closing: null }
const COMMITTING: State = { name: 'committing', closing: null }

/** Maximum writes per commit, so that a burst does not block the event loop for long. */
const MAX_GROUP = 250
/** Maximum turns of the event loop for which a commit waits after a sync, as long as each of them brings a write. */
const GATHERING_TURNS = 4

/** Time for which another program may lock the database before a write fails. */
const LOCK_TIMEOUT_MS = 2_000
/** Pause between two attempts to commit to a locked database. */
const LOCK_PAUSE_MS = 10

const NOTHING: Task<undefined> = () => undefined
const NOTHING_DONE: TaskResult = { value: undefined }

export interface WriterOptions {
  readonly counts?: Pick<StoreCounts, 'commits' | 'syncs'>
  readonly observer?: WriteObserver | undefined
  readonly files?: Pick<OpenFiles, 'findRemoved'>
}

/** Commits and syncs the writes of one database. */
export class Writer {
  readonly #db: Database
  readonly #transactions: Transactions
  readonly #wal: WalSync
  readonly #onFailure: (error: Error) => void
  readonly #counts: Pick<StoreCounts, 'commits' | 'syncs'>
  #syncBeganMs = 0
  readonly #observer: WriteObserver | null
  #pending: PendingWrite[] = []
  #state: State = IDLE

  /**
   * @param db the only connection that writes; its owner closes it after the writer
   * @param onFailure called once, when the writer fails
   * @param options.counts receives the durations of commits and syncs
   * @param options.observer receives the refused writes
   * @param options.files checked after each sync: whether the files of the database still have a name
   */
  constructor(db: Database, onFailure: (error: Error) => void, options: WriterOptions = {}) {
    const { counts, observer, files } = options
    this.#db = db
    this.#observer = observer ?? null
    this.#onFailure = onFailure
    this.#counts = counts ?? new StoreCounts()
    // The state `lock-retry` waits for a lock without blocking the event loop. SQLite's own timeout would block it.
    db.pragma('busy_timeout = 0')
    this.#transactions = new Transactions(db)
    this.#wal = new WalSync(db, files)
  }

  /** Name of the current state, for tests and diagnostics. */
  get state(): State['name'] {
    return this.#state.name
  }

  /** True while no write is pending and the writer accepts writes. */
  get isIdle(): boolean {
    return this.#state.name === 'idle'
  }

  /** Compiles a statement for use in {@link write}. */
  prepare<Parameters extends unknown[] = Value[], Row = unknown>(sql: string): Statement<Parameters, Row> {
    return this.#db.prepare<Parameters, Row>(sql) as Statement<Parameters, Row>
  }

  /**
   * Runs a task inside the next transaction, after the tasks of earlier calls.
   *
   * @returns the result of the task; resolves when its changes are durable
   * @throws {BrokerError} storage-full, storage-busy, storage-closed: nothing was changed; storage-failed: unknown
   */
  write<T>(task: Task<T>): Promise<T> {
    const refusal = refusalOf(this.#state)
    if (refusal) return Promise.reject(refusal)
    return new Promise((resolve, reject) => {
      this.#pending.push({ task, resolve: resolve as PendingWrite['resolve'], reject })
      if (this.#state.name === 'idle') this.#schedule()
    })
  }

  /**
   * Classifies an error raised by a read. I/O errors and corruption stop all writes.
   *
   * @returns the error for the caller of the read
   */
  classifyReadError(error: unknown): unknown {
    const refusal = toBrokerError(toFailure(error))
    if (refusal?.code === 'storage-failed') this.fail(error as Error)
    return refusal ?? error
  }

  /** Runs a read whose result may not be durable yet. @throws the result of {@link classifyReadError} */
  read<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw this.classifyReadError(error)
    }
  }

  /**
   * Runs a read.
   *
   * @returns the result of the read; resolves when the result is durable
   * @throws as {@link read}; storage-failed when the writer cannot know whether the result is durable
   */
  async readSynced<T>(read: () => T): Promise<T> {
    const refusal = refusalOf(this.#state)
    if (refusal?.code === 'storage-failed') throw refusal
    const found = this.read(read)
    const state = this.#state
    if (state.name !== 'syncing') return found
    return new Promise((resolve, reject) => {
      state.group.push({ task: NOTHING, resolve: () => resolve(found), reject })
      state.results.push(NOTHING_DONE)
    })
  }

  /** Refuses new writes, and commits the pending ones. @returns the same promise for each call */
  close(): Promise<void> {
    const state = this.#state
    if (state.closing) return state.closing.closed
    const closing = newClosing()
    switch (state.name) {
      case 'idle':
      case 'scheduled':
        this.#enter({ name: 'committing', closing })
        this.#commit()
        break
      case 'failed':
        this.#enter({ ...state, closing })
        if (!state.running) this.#end()
        break
      default:
        this.#enter({ ...state, closing })
    }
    return closing.closed
  }

  #enter(state: State): void {
    this.#state = state
  }

  /** Moves from idle to scheduled. The writes of one turn of the event loop share a commit. */
  #schedule(): void {
    this.#enter(SCHEDULED)
    this.#inNextTurn(() => this.#commit())
  }

  /**
   * Moves from syncing to scheduled. The answers leave in the next turn of the event loop, and most clients then send
   * their next request at once. The commit waits for these requests, because a group costs one sync, whatever its size.
   */
  #gather(): void {
    this.#enter(SCHEDULED)
    this.#inNextTurn(() => this.#gatherMore(this.#pending.length, GATHERING_TURNS - 1))
  }

  /** @param known number of pending writes before the turn */
  #gatherMore(known: number, turns: number): void {
    this.#inNextTurn(() => {
      const count = this.#pending.length
      if (count > known && turns > 1) this.#gatherMore(count, turns - 1)
      else this.#commit()
    })
  }

  /**
   * Runs a step of the state `scheduled`. By then, `close` may have committed the writes, or a read may have failed.
   */
  #inNextTurn(step: () => void): void {
    setImmediate(() => {
      if (this.#state.name === 'scheduled') step()
    })
  }

  /**
   * Moves from scheduled, syncing, checkpointing or lock-retry to committing. Then moves on: to syncing if anything was
   * committed, to lock-retry, to failed, or to idle or closed if no write is left.
   *
   * @param lockedSinceMs time at which the database was found locked; null if it was not
   */
  #commit(lockedSinceMs: number | null = null): void {
    const { closing } = this.#state
    this.#enter(closing ? { name: 'committing', closing } : COMMITTING)
    let sinceMs = lockedSinceMs
    while (this.#pending.length > 0) {
      const group = this.#pending.splice(0, MAX_GROUP)
      const beganMs = performance.now()
      const results = this.#transactions.commit(group.map(({ task }) => task))
      this.#counts.commits.observe((performance.now() - beganMs) / 1_000)
      if (!results.every(isFailure)) {
        this.#sync(group, results)
        return
      }
      // If the storage is at fault, all tasks fail alike.
      const failure = results[0] as Failure
      const code = toBrokerError(failure)?.code
      const now = performance.now()
      if (code === 'storage-busy' && now - (sinceMs ?? now) <= LOCK_TIMEOUT_MS) {
        this.#pending.unshift(...group)
        this.#retry(sinceMs ?? now)
        return
      }
      if (code === 'storage-failed') {
        this.#pending.unshift(...group)
        this.fail(toError(failure))
        return
      }
      sinceMs = null
      if (code === 'storage-full' || code === 'storage-busy') this.#observer?.refused(code, group.length)
      settle(group, results)
    }
    if (this.#state.closing) this.#end()
    else this.#enter(IDLE)
  }

  #sync(group: PendingWrite[], results: TaskResult[]): void {
    this.#enter({ name: 'syncing', group, results, closing: this.#state.closing })
    this.#syncBeganMs = performance.now()
    this.#observer?.stored()
    this.#wal.sync((failure) => this.#synced(failure))
  }

  /** Moves from syncing to scheduled, committing or checkpointing, or to failed. */
  #synced(failure: Failure | null): void {
    this.#counts.syncs.observe((performance.now() - this.#syncBeganMs) / 1_000)
    if (failure) this.fail(toError(failure))
    const state = this.#state
    if (state.name !== 'syncing') {
      this.#stopRunning()
      return
    }
    const waiting = this.#pending.length
    if (this.#wal.isCheckpointDue()) this.#checkpoint()
    else if (state.closing || waiting === 0 || waiting >= MAX_GROUP) this.#commit()
    else this.#gather()
    settle(state.group, state.results)
  }

  #checkpoint(): void {
    this.#enter({ name: 'checkpointing', closing: this.#state.closing })
    this.#wal.checkpoint((failure) => this.#checkpointed(failure))
  }

  /** Moves from checkpointing to committing, or to failed. */
  #checkpointed(failure: Failure | null): void {
    // Without an I/O error or corruption, the pages stay in the log until a later checkpoint. This happens if the disk
    // is full, the database is locked, or the process has no memory, thread or file descriptor left.
    if (failure && toBrokerError(failure)?.code === 'storage-failed') this.fail(toError(failure))
    if (this.#state.name === 'checkpointing') this.#commit()
    else this.#stopRunning()
  }

  /** Moves from committing to lock-retry, and back after a pause. */
  #retry(lockedSinceMs: number): void {
    const timer = setTimeout(() => this.#commit(lockedSinceMs), LOCK_PAUSE_MS)
    this.#enter({ name: 'lock-retry', timer, closing: this.#state.closing })
  }

  /** Moves from any state to failed and rejects all writes that are not durable. A closed writer stays closed. */
  fail(error: Error): void {
    const state = this.#state
    if (refusalOf(state)?.code === 'storage-failed') return
    const refusal = storageFailed(error)
    const lost = state.name === 'syncing' ? [...state.group, ...this.#pending] : this.#pending
    this.#pending = []
    if (state.name === 'lock-retry') clearTimeout(state.timer)
    if (state.name === 'closed') this.#enter({ ...state, refusal })
    else {
      const running = state.name === 'syncing' || state.name === 'checkpointing'
      this.#enter({ name: 'failed', refusal, running, closing: state.closing })
      if (state.closing && !running) this.#end()
    }
    this.#onFailure(error)
    for (const { reject } of lost) reject(refusal)
  }

  /** Moves from failed to closed, if `close` waits for the end of a sync or a checkpoint. */
  #stopRunning(): void {
    const state = this.#state
    if (state.name !== 'failed') return
    this.#enter({ ...state, running: false })
    if (state.closing) this.#end()
  }

  /** Moves from committing or failed to closed. */
  #end(): void {
    const closing = this.#state.closing as Closing
    this.#enter({ name: 'closed', refusal: refusalOf(this.#state) as BrokerError, closing })
    closing.resolve(this.#wal.close())
  }
}

/** Returns the error for a new write; null if the writer accepts it. */
function refusalOf(state: State): BrokerError | null {
  if (state.name === 'failed' || state.name === 'closed') return state.refusal
  return state.closing?.refusal ?? null
}

function newClosing(): Closing {
  const refusal = new BrokerError('storage-closed', 'The server is shutting down. Try again in a moment.')
  let resolve: Closing['resolve'] = () => {}
  const closed = new Promise<void>((resolveClosed) => {
    resolve = resolveClosed
  })
  return { refusal, closed, resolve }
}

/** Resolves or rejects each write by its result. */
function settle(group: readonly PendingWrite[], results: readonly TaskResult[]): void {
  for (const [i, { resolve, reject }] of group.entries()) {
    const result = results[i] as TaskResult
    if (isFailure(result)) reject(toBrokerError(result) ?? toError(result))
    else resolve(result.value)
  }
}
