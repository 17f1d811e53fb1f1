/**
 * Performs actions on many messages in the background, one job at a time, in commits of 100 messages with a turn of the
 * event loop between them. Keeps the last reports in memory, so a restart ends a job and loses its report. Knows no
 * HTTP.
 */
import { setImmediate } from 'node:timers/promises'
import { entryOf } from '../../audit/actor.ts'
import type { Actor, AuditStore } from '../../audit/audit.ts'
import type { Log } from '../../process/log.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { BrokerError, HandedOver, levelOf } from '../vocabulary/errors.ts'
import type { SubmitKey } from '../vocabulary/message.ts'
import {
  BULK_RULES,
  type BulkAction,
  type BulkBroker,
  type Candidate,
  SKIP_CODES,
  skipCodeOf,
} from './bulk-actions.ts'
import { plan } from './bulk-plan.ts'
import { type BulkPlan, type BulkReport, type BulkResult, newReport, withResults } from './bulk-report.ts'
import { type BulkSource, find, type Selection } from './bulk-selection.ts'

/** Messages per commit. */
const STEP = 100
const MAX_REPORTS = 20

/** Action on many messages, as requested by a client. */
export interface BulkOrder {
  readonly action: BulkAction
  readonly selection: Selection
  /** True also cancels messages that were dispatched and not acknowledged. */
  readonly force: boolean
}

export interface BulkJobsOptions {
  readonly source: BulkSource
  readonly broker: BulkBroker
  /** Audit trail whose `complete` never rejects. */
  readonly audit: Pick<AuditStore, 'add' | 'complete'>
  readonly clock: Clock
  readonly log: Pick<Log, 'debug' | 'error'>
}

/** Report with the internal state of its job. */
interface Job {
  report: BulkReport
  readonly order: BulkOrder
  readonly key: SubmitKey | null
  isStopping: boolean
  stoppedBy: string | null
}

export class BulkJobs {
  readonly #options: BulkJobsOptions
  readonly #jobs = new Map<number, Job>()
  readonly #listeners = new Set<(report: BulkReport) => void>()
  #isRunning = false
  /** Resolves when the last job has ended. */
  #ended: Promise<void> = Promise.resolve()
  #closing = false
  /** Id of the last job. It starts with the current time, so that ids from before a restart are never reused. */
  #lastId: number

  constructor(options: BulkJobsOptions) {
    this.#options = options
    this.#lastId = options.clock.wallMs()
  }

  /** Returns the effects of an action without performing it. @param signal aborts when the caller has left */
  plan({ action, selection, force }: BulkOrder, signal: AbortSignal): Promise<BulkPlan> {
    return plan(this.#options, action, selection, force, signal)
  }

  /**
   * Starts a job. The audit trail has one line for it, which is durable before the first change, and has the counts
   * after the last. A repeated idempotency key starts nothing and returns the report of the first job.
   *
   * @throws {BrokerError} bulk-running; key-reused for other content; the errors of the storage
   */
  async start(
    order: BulkOrder,
    by: Actor,
    key: SubmitKey | null = null,
  ): Promise<{ readonly report: BulkReport; readonly replayed: boolean }> {
    const earlier = this.#withKey(key, by)
    if (earlier) return { report: earlier.report, replayed: true }
    if (this.#isRunning) {
      throw new BrokerError('bulk-running', 'Another action on many messages is running. Stop it, or wait.')
    }
    const report = newReport(++this.#lastId, order.action, by, this.#options.clock.wallMs())
    const job: Job = { report, order, key, isStopping: false, stoppedBy: null }
    this.#keep(job)
    const begun = this.#options.audit.add(entryOf(by, 'message.bulk', report.id, detailOf(job)))
    this.#isRunning = true
    this.#ended = begun.then(
      (auditId) => this.#run(job, auditId),
      () => {
        this.#jobs.delete(report.id)
        this.#isRunning = false
      },
    )
    await begun
    return { report: job.report, replayed: false }
  }

  /** Returns the kept reports, newest first. */
  all(): BulkReport[] {
    return [...this.#jobs.values()].map(({ report }) => report).reverse()
  }

  /** Returns a report. @throws {BrokerError} unknown-bulk */
  get(id: number): BulkReport {
    return this.#job(id).report
  }

  /** Stops a job after its current commit. Does nothing if the job has ended. @throws {BrokerError} unknown-bulk */
  stop(id: number, by: Actor): BulkReport {
    const job = this.#job(id)
    job.isStopping = true
    job.stoppedBy ??= by.clientId
    return job.report
  }

  /** Calls the listener with each state of a report. Returns a function that unsubscribes. */
  onChange(listener: (report: BulkReport) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Stops the running job. Resolves when its current commit is done. */
  async close(): Promise<void> {
    this.#closing = true
    await this.#ended
  }

  async #run(job: Job, auditId: number): Promise<void> {
    let isWhole = false
    try {
      isWhole = await this.#perform(job)
    } catch (error) {
      // The report shows the progress of the job.
      const { log } = this.#options
      log[levelOf(error, 'error')]({ err: error, job: job.report.id }, 'an action on many messages stopped')
    }
    const { audit, clock } = this.#options
    const state = isWhole ? 'DONE' : 'STOPPED'
    const ended: BulkReport = { ...job.report, state, endedAtMs: clock.wallMs() }
    await audit.complete(auditId, detailOf({ ...job, report: ended }))
    job.report = ended
    // A client that sees the end may start another job at once.
    this.#isRunning = false
    this.#announce(job)
  }

  async #perform(job: Job): Promise<boolean> {
    const { source } = this.#options
    this.#announce(job)
    const onStep = (matched: number): boolean => {
      job.report = { ...job.report, matched }
      this.#announce(job)
      return this.#goesOn(job)
    }
    const { ids, left } = await find(source, job.order.selection, onStep, new AbortController().signal)
    job.report = { ...job.report, matched: ids.length, left }
    for (let at = 0; at < ids.length; at += STEP) {
      if (!this.#goesOn(job)) return false
      const results = await this.#step(job, ids.slice(at, at + STEP))
      job.report = withResults(job.report, results)
      if (results.some(isOfStorage)) return false
      this.#announce(job)
      await setImmediate()
    }
    return this.#goesOn(job) || job.report.done === ids.length
  }

  #goesOn({ isStopping }: Job): boolean {
    return !isStopping && !this.#closing
  }

  /**
   * Performs the action on some messages. The calls begin in one turn of the event loop, so that they share a commit.
   */
  async #step({ order, report }: Job, ids: readonly number[]): Promise<BulkResult[]> {
    const { source, broker } = this.#options
    const found = new Map((await source.getAll(ids)).map((each) => [each.id, each]))
    const options = { by: report.by, force: order.force }
    return Promise.all(
      ids.map(async (id) => {
        const candidate = found.get(id)
        const code = candidate
          ? skipCodeOf(order.action, candidate, order.force)
          : ('unknown-message' as const)
        if (code !== null) return { is: 'skipped', code } as const
        try {
          await BULK_RULES[order.action].perform(broker, candidate as Candidate, options)
          return null
        } catch (error) {
          return toResult(candidate as Candidate, error)
        }
      }),
    )
  }

  #withKey(key: SubmitKey | null, by: Actor): Job | undefined {
    if (key === null) return undefined
    const job = [...this.#jobs.values()].find(
      (each) => each.key?.key === key.key && each.report.by.clientId === by.clientId,
    )
    if (job && job.key?.fingerprint !== key.fingerprint) {
      throw new BrokerError('key-reused', `The idempotency key "${key.key}" belongs to another action.`)
    }
    return job
  }

  #keep(job: Job): void {
    this.#jobs.set(job.report.id, job)
    const [oldest] = this.#jobs.keys()
    if (this.#jobs.size > MAX_REPORTS) this.#jobs.delete(oldest as number)
  }

  #job(id: number): Job {
    const job = this.#jobs.get(id)
    if (job) return job
    throw new BrokerError(
      'unknown-bulk',
      `There is no report ${id}: the server keeps the last ${MAX_REPORTS} since its start.`,
      undefined,
      { id },
    )
  }

  #announce({ report }: Job): void {
    for (const listener of this.#listeners) listener(report)
  }
}

/** Returns the result of a refused change. A refusal that a race explains counts as skipped. */
function toResult({ id: messageId, deviceId, command }: Candidate, error: unknown): BulkResult {
  if (!(error instanceof BrokerError)) throw error
  const { code } = error
  if (error instanceof HandedOver && error.status !== 'NOT_DELIVERED')
    return { is: 'skipped', code: 'not-pending' }
  const skip = SKIP_CODES.find((each) => each === code)
  if (skip !== undefined) return { is: 'skipped', code: skip }
  return { is: 'failed', failure: { messageId, deviceId, command, code, params: error.params } }
}

/** Returns whether a result means that the storage currently refuses changes. */
function isOfStorage(result: BulkResult): boolean {
  return result?.is === 'failed' && result.failure.code.startsWith('storage-')
}

function detailOf({ report, order, stoppedBy }: Job): Record<string, unknown> {
  const { action, state, matched, changed, skipped, failed } = report
  const { selection, force } = order
  const chosen =
    'ids' in selection
      ? { messages: selection.ids.length }
      : { ...selection.filter, upToId: selection.upToId }
  const skips = skipped.reduce((sum, { count }) => sum + count, 0)
  const stop = stoppedBy === null ? {} : { stoppedBy }
  return { action, ...chosen, force, state, matched, changed, skipped: skips, failed, ...stop }
}
