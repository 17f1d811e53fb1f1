/** Counts the failed and the parked messages of each device. Reads them from the storage again after a change. */
import type { DeviceStore } from '../contract/device-store.ts'
import type { Transitioned } from '../contract/store.ts'
import { FAILED_STATUSES } from '../vocabulary/status.ts'

/** Time for which a failed message counts, in milliseconds. */
export const FAILED_MS = 86_400_000
/** Maximum age of a read, because of messages that were removed, in milliseconds. */
const READ_AGAIN_MS = 30_000

export interface ProblemCounts {
  /** Messages that can be replayed. */
  readonly parked: number
  /** Messages that became COMPLETED_WITH_ERROR or UNKNOWN within {@link FAILED_MS}. */
  readonly failed: number
}

const NO_PROBLEMS: ProblemCounts = { parked: 0, failed: 0 }

export interface ProblemsOptions {
  readonly store: Pick<DeviceStore, 'failed'>
  readonly broker: { onChange(listener: (change: Transitioned) => void): unknown }
  readonly nowMs: () => number
}

export class DeviceProblems {
  readonly #options: ProblemsOptions
  #messageIds: ReadonlySet<number> = new Set()
  #counts: ReadonlyMap<string, ProblemCounts> = new Map()
  #readAtMs: number | null = null
  #reading: Promise<void> | null = null

  constructor(options: ProblemsOptions) {
    this.#options = options
    options.broker.onChange(({ status, messageId }) => {
      if (FAILED_STATUSES.includes(status) || this.#messageIds.has(messageId)) this.#readAtMs = null
    })
  }

  /** Returns the counts of the devices with such messages. */
  async read(): Promise<ReadonlyMap<string, ProblemCounts>> {
    const isFresh = () => this.#readAtMs !== null && this.#options.nowMs() - this.#readAtMs < READ_AGAIN_MS
    // A read that began before the latest change may lack it.
    if (!isFresh()) await this.#reading
    if (!isFresh()) {
      this.#reading ??= this.#readAll().finally(() => {
        this.#reading = null
      })
      await this.#reading
    }
    return this.#counts
  }

  async #readAll(): Promise<void> {
    const nowMs = this.#options.nowMs()
    this.#readAtMs = nowMs
    const messages = await this.#options.store.failed().catch((error: unknown) => {
      this.#readAtMs = null
      throw error
    })
    const counts = new Map<string, ProblemCounts>()
    for (const { deviceId, isParked, changedAtMs } of messages) {
      const { parked, failed } = counts.get(deviceId) ?? NO_PROBLEMS
      const isRecent = nowMs - changedAtMs < FAILED_MS
      counts.set(deviceId, { parked: parked + Number(isParked), failed: failed + Number(isRecent) })
    }
    this.#messageIds = new Set(messages.map(({ messageId }) => messageId))
    this.#counts = counts
  }
}
