/** Keeps partitions ready for new messages, and the journal short. Every node does so. */
import { setTimeout } from 'node:timers/promises'
import type { Connection } from '../database/connection.ts'
import { kindOf } from '../database/faults.ts'
import { PARTITION_IDS } from '../schema/tables.ts'

/** Period of the runs, in milliseconds. Half a partition lasts longer at any rate that one server accepts. */
const PERIOD_MS = 15_000
/** Number of attempts at the start, and the pause between them, in milliseconds. */
const TRIES = 20
const PAUSE_MS = 100

export class Maintenance {
  readonly #connection: Connection
  readonly #onError: (error: unknown) => void
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> = Promise.resolve()

  /** @param onError called with the error of each failed task */
  constructor(connection: Connection, onError: (error: unknown) => void = () => {}) {
    this.#connection = connection
    this.#onError = onError
  }

  /** Creates the missing partitions, and starts the runs. @throws {Error} when the partitions cannot be created */
  async start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#createPartitions()
        break
      } catch (error) {
        if (kindOf(error) !== 'repeat' || tries === TRIES) throw error
        await setTimeout(PAUSE_MS)
      }
    }
    this.#timer = setInterval(() => {
      this.#running = this.run()
    }, PERIOD_MS)
  }

  /** Performs due tasks. Never rejects: a failed task is due again in the next run. */
  async run(): Promise<void> {
    await this.#createPartitions().catch(this.#onError)
    await this.#connection
      .run('SELECT rotate_changes(extract(epoch FROM now())::bigint)')
      .catch(this.#onError)
  }

  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    await this.#running
  }

  async #createPartitions(): Promise<void> {
    await this.#connection.run('SELECT create_partitions($1)', [PARTITION_IDS])
  }
}
