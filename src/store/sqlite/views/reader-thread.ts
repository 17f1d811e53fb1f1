/**
 * Worker thread that searches messages, and reads the hand-over, on its own read-only connection. Each message from its parent is a request, and
 * has one answer. The thread ends a search early if the shared number is the number of its request.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { HandoverRange } from '../../../broker/contract/handover-store.ts'
import type { MessageSearch, Suggested } from '../../../broker/contract/message-search.ts'
import { lowerThreadPriority } from '../../../process/thread-priority.ts'
import { type Failure, toFailure } from '../database/faults.ts'
import { HandoverScan } from './handover-scan.ts'
import { MessageScan } from './message-scan.ts'

/** Names a method of {@link MessageScan} or of {@link HandoverScan}, with its arguments. */
export type ReaderTask =
  | { readonly is: 'page'; readonly search: MessageSearch; readonly limit: number }
  | { readonly is: 'count'; readonly search: MessageSearch }
  | { readonly is: 'suggest'; readonly kind: Suggested; readonly part: string; readonly limit: number }
  | { readonly is: 'handover'; readonly range: HandoverRange }

export interface ReaderRequest {
  readonly no: number
  readonly task: ReaderTask
}

export type ReaderAnswer = { readonly value: unknown } | { readonly failure: Failure }

export interface ReaderData {
  readonly path: string
  /** Columns of a message, as SQL. */
  readonly columns: string
  /** Number of the request whose caller has left. */
  readonly ended: Int32Array
}

/** Reads on the connection of the thread. */
interface Open {
  readonly messages: MessageScan
  readonly handover: HandoverScan
}

const port = parentPort as MessagePort
const { path, columns, ended } = workerData as ReaderData
let open: Open | null = null
lowerThreadPriority()

port.on('message', (request: ReaderRequest) => port.postMessage(answer(request)))

function answer({ no, task }: ReaderRequest): ReaderAnswer {
  try {
    open ??= opened(new Database(path, { readonly: true }))
    return { value: perform(open, task, () => Atomics.load(ended, 0) === no) }
  } catch (error) {
    return { failure: toFailure(error) }
  }
}

function opened(db: Database.Database): Open {
  return { messages: new MessageScan(db, columns), handover: new HandoverScan(db) }
}

function perform({ messages, handover }: Open, task: ReaderTask, isOver: () => boolean): unknown {
  switch (task.is) {
    case 'page':
      return messages.page(task.search, task.limit, isOver)
    case 'count':
      return messages.count(task.search, isOver)
    case 'suggest':
      return messages.suggest(task.kind, task.part, task.limit)
    case 'handover':
      return handover.read(task.range)
    default:
      return task satisfies never
  }
}
