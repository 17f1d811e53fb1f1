/** Builds reports from the statistics: columns of equal steps, for all devices or for one. */

import {
  HOUR_MS,
  type MessageLife,
  STEPS_MS,
  type StatisticsRow,
  type StepMs,
} from '../contract/statistics-store.ts'
import {
  DELIVERY_BUCKETS,
  deliveryBucket,
  deliveryPercentile,
  sumBuckets,
} from '../vocabulary/delivery-buckets.ts'
import { BrokerError } from '../vocabulary/errors.ts'
import { STATUS_KINDS, type StatusKind } from '../vocabulary/status.ts'
import type { Statistics } from './statistics.ts'

export const MAX_STEPS = 750
/** Maximum steps of a report whose caller names no step. */
const USUAL_STEPS = 170
export const MAX_DEVICE_MESSAGES = 10_000
/** Time for which minutes are kept, in milliseconds. */
export const MINUTES_KEPT_MS = 48 * HOUR_MS
/** Time for which hours are kept, in milliseconds. */
export const HOURS_KEPT_MS = 400 * 24 * HOUR_MS

export interface ReportQuery {
  readonly fromMs: number
  readonly toMs: number
  /** Default: the smallest step that has data and is not too fine for the range. */
  readonly stepMs?: StepMs | undefined
  readonly deviceId?: string | undefined
}

type Column = readonly (number | null)[]

/** Columns of equal length. Null means no records. */
export interface StatisticsReport {
  /** Start of the first step, which contains `fromMs` of the query. */
  readonly fromMs: number
  readonly stepMs: number
  readonly stored: Column
  readonly delivered: Column
  readonly completed: Column
  readonly failed: Column
  readonly cancelled: Column
  /** Maximum number of pending messages in the step. */
  readonly pending: Column
  /** Estimated delivery times in milliseconds. */
  readonly median: Column
  readonly p95: Column
  /** Share of the step in which the server ran, from 0 to 1. */
  readonly up: Column
}

type Sums = Omit<StatisticsRow, 'atMs' | 'unknown' | 'unacknowledged'>

/** Returns the report of a range. @throws {BrokerError} bad-range */
export async function statisticsReport(
  statistics: Pick<Statistics, 'flush' | 'store'>,
  { deviceId, ...query }: ReportQuery,
  nowMs: number,
): Promise<StatisticsReport> {
  const stepMs = query.stepMs ?? usualStep(query, nowMs)
  const fromMs = query.fromMs - (query.fromMs % stepMs)
  const items = Math.ceil((query.toMs - fromMs) / stepMs)
  if (query.fromMs >= query.toMs || items > MAX_STEPS) throw badRange(items)
  await statistics.flush()
  const steps = { fromMs, stepMs, items }
  const all = inSteps(await statistics.store.rows(stepMs, fromMs, fromMs + items * stepMs), steps)
  if (deviceId === undefined) return columns(all, all, steps, nowMs)
  const messages = await statistics.store.ofDevice(deviceId, MAX_DEVICE_MESSAGES)
  return columns(sumsOfMessages(messages, steps, nowMs), all, steps, nowMs)
}

/** Returns the smallest step that has data and is not too fine for a range. */
export function usualStep({ fromMs, toMs }: Pick<ReportQuery, 'fromMs' | 'toMs'>, nowMs: number): StepMs {
  const hasMinutes = fromMs > nowMs - MINUTES_KEPT_MS
  const fits = (stepMs: StepMs): boolean =>
    (toMs - fromMs) / stepMs <= USUAL_STEPS && (hasMinutes || stepMs >= HOUR_MS)
  return STEPS_MS.find(fits) ?? 6 * HOUR_MS
}

function badRange(items: number): BrokerError {
  return new BrokerError(
    'bad-range',
    items > MAX_STEPS
      ? `The range has ${items} steps. Ask for at most ${MAX_STEPS}: choose a larger step or a shorter range.`
      : 'The range is empty. Choose a time for "from" that is before "to".',
  )
}

interface Steps {
  readonly fromMs: number
  readonly stepMs: number
  readonly items: number
}

function inSteps(rows: readonly StatisticsRow[], { fromMs, stepMs, items }: Steps): (Sums | null)[] {
  const sums = new Array<Sums | null>(items).fill(null)
  for (const row of rows) sums[Math.floor((row.atMs - fromMs) / stepMs)] = row
  return sums
}

/**
 * Returns the sums of messages, newest first. Steps before the oldest message are unknown if there may be older
 * messages.
 */
function sumsOfMessages(messages: readonly MessageLife[], steps: Steps, nowMs: number): (Sums | null)[] {
  const { fromMs, stepMs, items } = steps
  const index = (atMs: number): number => Math.floor((atMs - fromMs) / stepMs)
  const isCut = messages.length === MAX_DEVICE_MESSAGES
  const first = isCut ? index(messages.at(-1)?.createdAtMs ?? 0) : 0
  const last = index(nowMs)
  const sums = Array.from({ length: items }, (_, i): Mutable<Sums> | null =>
    i < first || i > last ? null : { ...NOTHING },
  )
  const add = (atMs: number, name: 'stored' | 'delivered' | 'completed' | 'failed' | 'cancelled') => {
    const step = sums[index(atMs)]
    if (step) step[name]++
    return step
  }
  for (const { status, createdAtMs, changedAtMs, deliveredAtMs } of messages) {
    add(createdAtMs, 'stored')
    if (deliveredAtMs !== null) {
      const step = add(deliveredAtMs, 'delivered')
      const buckets = new Array<number>(DELIVERY_BUCKETS).fill(0)
      buckets[deliveryBucket(deliveredAtMs - createdAtMs)] = 1
      if (step) step.deliveries = sumBuckets(step.deliveries, buckets)
    }
    const ended = countOf(STATUS_KINDS[status])
    if (ended !== null) add(changedAtMs, ended)
  }
  const pending = largestPending(messages, steps)
  for (const [i, step] of sums.entries()) if (step) step.pending = pending[i] ?? 0
  return sums
}

/** Returns the counter of messages that ended with a status of this kind; null for a status that ends nothing. */
function countOf(kind: StatusKind): 'completed' | 'failed' | 'cancelled' | null {
  switch (kind) {
    case 'succeeded':
      return 'completed'
    case 'failed':
    case 'unclear':
      return 'failed'
    case 'withdrawn':
      return 'cancelled'
    case 'pending':
    case 'delivered':
      return null
  }
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }

/** Returns the maximum number of simultaneously pending messages, for each step. */
function largestPending(messages: readonly MessageLife[], { fromMs, stepMs, items }: Steps): number[] {
  const changes = messages.flatMap(({ status, createdAtMs, changedAtMs, deliveredAtMs }) => {
    const added = { atMs: createdAtMs, by: 1 }
    return status === 'NOT_DELIVERED' ? [added] : [added, { atMs: deliveredAtMs ?? changedAtMs, by: -1 }]
  })
  changes.sort((a, b) => a.atMs - b.atMs || b.by - a.by)
  let next = 0
  let pending = 0
  return Array.from({ length: items }, (_, i) => {
    const startMs = fromMs + i * stepMs
    for (let change = changes[next]; change && change.atMs < startMs; change = changes[++next])
      pending += change.by
    let largest = pending
    for (let change = changes[next]; change && change.atMs < startMs + stepMs; change = changes[++next]) {
      pending += change.by
      largest = Math.max(largest, pending)
    }
    return largest
  })
}

const NOTHING: Sums = {
  stored: 0,
  delivered: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  pending: null,
  upMs: 0,
  deliveries: null,
}

/** @param all sums of all devices, which show when the server ran */
function columns(
  sums: readonly (Sums | null)[],
  all: readonly (Sums | null)[],
  { fromMs, stepMs }: Steps,
  nowMs: number,
): StatisticsReport {
  const column = (name: 'stored' | 'delivered' | 'completed' | 'failed' | 'cancelled' | 'pending'): Column =>
    sums.map((step) => step?.[name] ?? null)
  const percentile = (share: number): Column =>
    sums.map((step) => step?.deliveries && deliveryPercentile(step.deliveries, share)).map((ms) => ms ?? null)
  return {
    fromMs,
    stepMs,
    stored: column('stored'),
    delivered: column('delivered'),
    completed: column('completed'),
    failed: column('failed'),
    cancelled: column('cancelled'),
    pending: column('pending'),
    median: percentile(0.5),
    p95: percentile(0.95),
    up: all.map((step, i) => step && upShare(step.upMs, Math.min(stepMs, nowMs - (fromMs + i * stepMs)))),
  }
}

/** @param ofMs elapsed part of the step */
function upShare(upMs: number, ofMs: number): number {
  return ofMs <= 0 ? 1 : Math.round(Math.min(1, upMs / ofMs) * 1_000) / 1_000
}
