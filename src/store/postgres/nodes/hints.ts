/**
 * Wakes the journals of the other nodes after a commit, by a NOTIFY on a separate connection. PostgreSQL blocks other
 * commits while a transaction with a NOTIFY is written to the disk, so no verb sends a NOTIFY. A hint may be lost,
 * because the journal is also read periodically.
 */
import { createHash } from 'node:crypto'
import { Connection, type PostgresConnectionOptions } from '../database/connection.ts'

export interface HintsOptions extends Pick<PostgresConnectionOptions, 'hosts' | 'schema'> {
  /** Number of live other nodes. With none, no hint is sent. */
  others(): number
  onHint(): void
}

/** Minimum time between two hints, in milliseconds. */
const REST_MS = 20
/** Period of the check that the listening connection is open, in milliseconds. */
const CHECK_MS = 2_000
const ANSWER_MS = 5_000
const PING = { name: 'ping', text: 'SELECT 1' }
const NOTIFY = { name: 'notify', text: 'SELECT pg_notify($1, $2)' }

export class Hints {
  readonly #options: HintsOptions
  readonly #listening: Connection
  readonly #notifying: Connection
  readonly #channel: string
  /** Payload by which a node recognises its own hints. The connections of one process share it. */
  readonly #sender = crypto.randomUUID()
  #sending: Promise<void> | null = null
  #isWanted = false
  #lastMs = 0
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(options: HintsOptions) {
    const { hosts, schema } = options
    this.#options = options
    // A channel belongs to the whole database.
    this.#channel = `waybill_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`
    this.#listening = new Connection({
      hosts,
      schema,
      purpose: 'listen',
      answerMs: ANSWER_MS,
      prepare: `LISTEN ${this.#channel}`,
      onNotification: (payload) => {
        if (payload !== this.#sender) options.onHint()
      },
    })
    this.#notifying = new Connection({
      hosts,
      schema,
      purpose: 'notify',
      answerMs: ANSWER_MS,
      prepare: 'SET synchronous_commit = off',
    })
  }

  /** Starts to listen. Resolves when the connection is open. */
  async start(): Promise<void> {
    await this.#check()
    this.#timer = setInterval(() => void this.#check(), CHECK_MS)
    this.#timer.unref()
  }

  /** Sends a hint. A queued hint covers this commit too. */
  committed(): void {
    if (this.#isClosed || this.#options.others() === 0) return
    this.#isWanted = true
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer) clearInterval(this.#timer)
    await Promise.all([this.#listening.close(), this.#notifying.close()])
    await this.#sending
  }

  async #send(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      const restMs = REST_MS - (performance.now() - this.#lastMs)
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
      this.#isWanted = false
      this.#lastMs = performance.now()
      // A lost hint costs the others 400 ms.
      await this.#notifying.run(NOTIFY, [this.#channel, this.#sender]).catch(() => {})
    }
  }

  /** Reopens a lost listening connection, after testing whether it is lost. */
  async #check(): Promise<void> {
    try {
      await this.#listening.run(PING)
    } catch {
      // The next check reopens it.
    }
  }
}
