/**
 * Performs long reads on reader threads, so that a search or a hand-over does not block the event loop. The threads start with the first
 * searches.
 */
import type { Worker } from 'node:worker_threads'
import type { HandoverRange, HandoverRows } from '../../../broker/contract/handover-store.ts'
import {
  type MessageCount,
  type MessageSearch,
  type MessageSearches,
  SEARCHES_AT_A_TIME,
  type SearchPage,
  type Suggested,
} from '../../../broker/contract/message-search.ts'
import { BrokerError } from '../../../broker/vocabulary/errors.ts'
import { startThread } from '../../../process/thread.ts'
import { toError } from '../database/faults.ts'
import type { Writer } from '../database/writer.ts'
import { ALL_FIELDS, recordOfRow, selected } from '../schema/message-columns.ts'
import type { RowPage } from './message-scan.ts'
import type { ReaderAnswer, ReaderData, ReaderRequest, ReaderTask } from './reader-thread.ts'

const MAX_WAITING = 100
const COLUMNS = selected(ALL_FIELDS, 'm.')

interface Waiting {
  readonly task: ReaderTask
  readonly signal: AbortSignal
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Reader {
  readonly thread: Worker
  readonly ended: Int32Array
  /** Request that the thread works on; null while it is idle. */
  running: (Waiting & { readonly end: () => void }) | null
}

export class Readers implements MessageSearches {
  readonly #path: string
  readonly #writer: Pick<Writer, 'readSynced' | 'classifyReadError'>
  readonly #readers = new Set<Reader>()
  readonly #waiting: Waiting[] = []
  #no = 0
  #isClosed = false

  constructor(path: string, writer: Pick<Writer, 'readSynced' | 'classifyReadError'>) {
    this.#path = path
    this.#writer = writer
  }

  async page(search: MessageSearch, limit: number, signal: AbortSignal): Promise<SearchPage> {
    const { items, ...rest } = await this.#run<RowPage>({ is: 'page', search, limit }, signal)
    return { ...rest, items: items.map(recordOfRow) }
  }

  count(search: MessageSearch, signal: AbortSignal): Promise<MessageCount> {
    return this.#run({ is: 'count', search }, signal)
  }

  suggest(kind: Suggested, part: string, limit: number, signal: AbortSignal): Promise<readonly string[]> {
    return this.#run({ is: 'suggest', kind, part, limit }, signal)
  }

  /** Reads the rows of the hand-over. */
  handover(range: HandoverRange): Promise<HandoverRows> {
    return this.#run({ is: 'handover', range }, new AbortController().signal)
  }

  /** Refuses the queued searches, and ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
    await Promise.all([...this.#readers].map(({ thread }) => thread.terminate()))
  }

  /** Returns the result of a task when everything in it is durable. */
  async #run<T>(task: ReaderTask, signal: AbortSignal): Promise<T> {
    const value = await new Promise<unknown>((resolve, reject) => {
      if (this.#isClosed) return reject(closed())
      if (this.#waiting.length >= MAX_WAITING) return reject(tooMany())
      this.#waiting.push({ task, signal, resolve, reject })
      this.#next()
    })
    return this.#writer.readSynced(() => value as T)
  }

  /** Assigns queued searches to idle threads. A search whose caller has left ends after its first step. */
  #next(): void {
    while (this.#waiting.length > 0) {
      const reader = [...this.#readers].find(({ running }) => running === null) ?? this.#start()
      if (!reader) return
      this.#begin(reader, this.#waiting.shift() as Waiting)
    }
  }

  #begin(reader: Reader, waiting: Waiting): void {
    const no = ++this.#no
    const end = (): void => void Atomics.store(reader.ended, 0, no)
    reader.running = { ...waiting, end }
    if (waiting.signal.aborted) end()
    else waiting.signal.addEventListener('abort', end)
    reader.thread.ref()
    reader.thread.postMessage({ no, task: waiting.task } satisfies ReaderRequest)
  }

  /** Starts a thread; null at the maximum number. */
  #start(): Reader | null {
    if (this.#readers.size === SEARCHES_AT_A_TIME) return null
    const ended = new Int32Array(new SharedArrayBuffer(4))
    const data: ReaderData = { path: this.#path, columns: COLUMNS, ended }
    const thread = startThread('store/sqlite/views/reader-thread', data)
    const reader: Reader = { thread, ended, running: null }
    thread.on('message', (answer: ReaderAnswer) => this.#answered(reader, answer))
    thread.on('error', (error) => this.#lost(reader, error))
    thread.on('exit', () => this.#lost(reader, closed()))
    this.#readers.add(reader)
    return reader
  }

  #answered(reader: Reader, answer: ReaderAnswer): void {
    const running = this.#taken(reader)
    // An idle thread keeps no process alive.
    reader.thread.unref()
    if ('failure' in answer) running?.reject(this.#writer.classifyReadError(toError(answer.failure)))
    else running?.resolve(answer.value)
    this.#next()
  }

  /** Removes a thread that has ended. The next search starts another one. */
  #lost(reader: Reader, error: unknown): void {
    this.#readers.delete(reader)
    this.#taken(reader)?.reject(error)
    if (!this.#isClosed) this.#next()
  }

  /** Returns the request that a thread works on, and marks the thread as idle. */
  #taken(reader: Reader): Reader['running'] {
    const { running } = reader
    reader.running = null
    running?.signal.removeEventListener('abort', running.end)
    return running
  }
}

function closed(): BrokerError {
  return new BrokerError('storage-closed', 'The server is shutting down.')
}

function tooMany(): BrokerError {
  return new BrokerError('storage-busy', 'Too many searches wait. Try again later.')
}
