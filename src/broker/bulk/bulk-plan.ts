/** Counts the effects of an action on many messages without performing it. */
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../vocabulary/clock.ts'
import type { MessageRecord } from '../vocabulary/message.ts'
import { BULK_RULES, type BulkAction, type Candidate, type SkipCode, skipCodeOf } from './bulk-actions.ts'
import { type BulkPlan, countCodes } from './bulk-report.ts'
import { type BulkSource, MAX_MESSAGES, matchesOf, type Selection } from './bulk-selection.ts'

/** Maximum time of a count, in milliseconds. */
const BUDGET_MS = 2_000
/** Messages per read of extras. */
const STEP = 100

export interface PlanOptions {
  readonly source: BulkSource
  readonly clock: Clock
}

/** Returns the plan of an action. Counts for at most two seconds, and at most one message more than a job takes. */
export async function plan(
  { source, clock }: PlanOptions,
  action: BulkAction,
  selection: Selection,
  force: boolean,
  signal: AbortSignal,
): Promise<BulkPlan> {
  const counter = new Counter(source, action, force)
  const untilMs = clock.monotonicMs() + BUDGET_MS
  if ('ids' in selection) {
    const ids = [...new Set(selection.ids)]
    const found = await source.getAll(ids)
    counter.addCandidates(found)
    const unknown = Array.from({ length: ids.length - found.length }, () => 'unknown-message' as const)
    return counter.result(ids.length, true, Math.max(...ids), unknown)
  }
  let matched = 0
  let newest: number | null = null
  for await (const items of matchesOf(source, selection.filter, selection.upToId, signal)) {
    newest ??= items[0]?.id ?? null
    matched += items.length
    if (matched > MAX_MESSAGES) {
      await counter.add(items.slice(0, items.length - (matched - MAX_MESSAGES)))
      return counter.result(MAX_MESSAGES, false, newest)
    }
    await counter.add(items)
    if (clock.monotonicMs() > untilMs) return counter.result(matched, false, newest)
  }
  return counter.result(matched, true, newest)
}

class Counter {
  readonly #source: Pick<BulkSource, 'getAll'>
  readonly #action: BulkAction
  readonly #force: boolean
  readonly #skipped: SkipCode[] = []
  #eligible = 0
  #handedOver = 0

  constructor(source: Pick<BulkSource, 'getAll'>, action: BulkAction, force: boolean) {
    this.#source = source
    this.#action = action
    this.#force = force
  }

  async add(messages: readonly MessageRecord[]): Promise<void> {
    const open: number[] = []
    for (const message of messages) {
      const code = BULK_RULES[this.#action].isRuledOut(message)
      if (code === null) open.push(message.id)
      else this.#skipped.push(code)
    }
    for (let at = 0; at < open.length; at += STEP) {
      this.addCandidates(await this.#source.getAll(open.slice(at, at + STEP)))
      await setImmediate()
    }
  }

  addCandidates(candidates: readonly Candidate[]): void {
    for (const candidate of candidates) {
      const code = skipCodeOf(this.#action, candidate, this.#force)
      if (code !== null) this.#skipped.push(code)
      else {
        this.#eligible++
        if (this.#action === 'CANCEL' && candidate.extras.attemptCount > 0) this.#handedOver++
      }
    }
  }

  result(matched: number, isExact: boolean, upToId: number | null, more: readonly SkipCode[] = []): BulkPlan {
    const skipped = countCodes([], [...this.#skipped, ...more])
    return { matched, isExact, eligible: this.#eligible, handedOver: this.#handedOver, skipped, upToId }
  }
}
