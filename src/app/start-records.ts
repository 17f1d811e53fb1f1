/** Stores what this process records, once a second where it is due, so that a crash loses little of it. */

import { levelOf } from '../broker/vocabulary/errors.ts'
import type { Log } from '../process/log.ts'

const FLUSH_MS = 1_000

/** Records in memory that the storage lacks. */
export interface Records {
  /** Name for the log, in the plural. */
  readonly name: string
  /** Stores the records if they are due. */
  flushDue(): Promise<void>
  /** Stores all records for the last time. */
  close(): Promise<void>
}

/** Starts to store records. Records that are due together share a commit. Returns a function that stores the rest and stops. */
export function startRecords(records: readonly Records[], log: Log): () => Promise<unknown> {
  const stores = records.map((each) => new RecordsStore(each, log))
  const timer = setInterval(() => {
    for (const store of stores) store.flushDue()
  }, FLUSH_MS).unref()
  return () => {
    clearInterval(timer)
    return Promise.all(stores.map((store) => store.close()))
  }
}

class RecordsStore {
  readonly #records: Records
  readonly #log: Log
  #running: Promise<void> | null = null
  #hasFailed = false

  constructor(records: Records, log: Log) {
    this.#records = records
    this.#log = log
  }

  flushDue(): void {
    this.#running ??= this.#store(() => this.#records.flushDue()).finally(() => {
      this.#running = null
    })
  }

  async close(): Promise<void> {
    await this.#running
    await this.#store(() => this.#records.close())
  }

  async #store(flush: () => Promise<void>): Promise<void> {
    try {
      await flush()
      this.#hasFailed = false
    } catch (error) {
      if (!this.#hasFailed) {
        const text = `the ${this.#records.name} were not stored; they are tried again each second`
        this.#log[levelOf(error, 'warn')]({ err: error }, text)
      }
      this.#hasFailed = true
    }
  }
}
