/**
 * Random calls of the storage contract. A call names a message, an attempt or a lease by its position among those that
 * the caller has seen, so that the same history fits each driver.
 */
import fc from 'fast-check'
import type { AttemptKey, Head } from '../../src/broker/contract/device-lease.ts'
import { NO_REPORT_TEXTS } from '../../src/broker/vocabulary/report-table.ts'
import { ACK_STATUSES } from '../../src/broker/vocabulary/status.ts'
import { terms } from '../contract/store-under-test.ts'

export const DEVICES = 2

/** Durations of all attempts, including those from before a restart. */
export const DURATIONS_MS = [10_000, 20_000, 30_000]

const device = fc.nat({ max: DEVICES - 1 })
const command = fc.constantFrom('start', 'stop')
/** Counts back from the newest submitted message. */
const which = fc.nat({ max: 9 })
/** Counts back from the newest attempt that the caller has seen. Most calls concern the newest. */
const latest = fc.constantFrom(0, 0, 0, 1, 2)
/** Counts back from the newest lease of a device. */
const lease = fc.constantFrom(0, 0, 0, 0, 1)
const client = fc.constantFrom(null, 'shop', 'plant')
const limits = fc.constantFrom(
  ...[10, 10, 10, 3].map((messages) => ({ messages, bytes: 0 })),
  ...[{ messages: 10, bytes: 40 }],
)
const report = fc.constantFrom(
  ...[null, null, { ...NO_REPORT_TEXTS, reason: 'worn', result: null, resultDropped: false }],
  ...[
    { ...NO_REPORT_TEXTS, result: '[1.50]', resultDropped: false },
    { ...NO_REPORT_TEXTS, reason: 'full', result: null, resultDropped: true },
  ],
)
const rules = fc.constantFrom(
  ...[
    { durationsMs: DURATIONS_MS, paced: false, deaf: false },
    { durationsMs: DURATIONS_MS, paced: true, deaf: false },
    { durationsMs: DURATIONS_MS, paced: true, deaf: true },
  ],
)
const term = fc.constantFrom(
  ...[null, null, null, terms({ maxAttempts: 1 }), terms({ validSeconds: 20 }), terms({ delaySeconds: 15 })],
  ...[terms({ finishSeconds: 25 }), terms({ delaySeconds: 15, validSeconds: 40, maxAttempts: 2 })],
)
/** Limit of calls that change many messages; the product has 10,000 and 1,000. */
const few = fc.constantFrom(2, 10)
const outcome = fc.constantFrom('TIMEOUT', 'CONNECTION')
const audited = fc.boolean()
const force = fc.boolean()

const CALLS = {
  enqueue: fc.record({
    ...{ device, command, limits, terms: term, sender: client, audited, details: fc.boolean() },
    guarantee: fc.constantFrom('RECEIPT_CONFIRMATION', 'RECEIPT_CONFIRMATION', 'NO', 'ONLY_LAST'),
    data: fc.constantFrom('{}', '{"speed":1}'),
    replyTo: fc.constantFrom(null, { producerId: 'shop', correlationId: 7 }),
    replaces: fc.option(which, { freq: 6 }),
    resentFrom: fc.option(which, { freq: 6 }),
    key: fc.option(fc.constantFrom('a', 'b'), { freq: 4 }),
  }),
  attach: fc.record({ device }),
  release: fc.record({ device, lease }),
  claim: fc.record({ device, lease, ended: fc.option(fc.record({ latest, outcome }), { freq: 2 }), rules }),
  line: fc.record({ device }),
  head: fc.record({ device }),
  take: fc.record({ device, rules }),
  takeFirst: fc.record({ device, rules }),
  endAttempt: fc.record({ device, latest, outcome }),
  park: fc.record({ device, latest, outcome: fc.constantFrom('TIMEOUT', 'TOO_LARGE') }),
  acknowledge: fc.record({ which, status: fc.constantFrom(...ACK_STATUSES), by: client, report }),
  'acknowledge for another device': fc.record({ which }),
  refuseAnswer: fc.record({ device }),
  cancel: fc.record({ which, by: client, force, audited }),
  cancelAll: fc.record({
    ...{ device, force, by: client, limit: few, audited },
    command: fc.option(command, { nil: undefined }),
    sender: fc.option(client, { nil: undefined, freq: 2 }),
  }),
  replay: fc.record({ which, by: client, limits, audited }),
  replayAll: fc.record({
    ...{ by: client, limits, limit: few, audited },
    device: fc.option(device, { nil: undefined, freq: 2 }),
    command: fc.option(command, { nil: undefined }),
  }),
  sendFailed: fc.record({ which }),
  setBusy: fc.record({ device, forMs: fc.constantFrom(0, 5_000, 60_000) }),
  changeService: fc.record({
    ...{ device, audited, reason: fc.constantFrom('repair', 'parts') },
    forMs: fc.constantFrom(0, 5_000, 60_000, null),
  }),
  expire: fc.record({ limit: few }),
  status: fc.record({ which }),
  parties: fc.record({ which }),
  purge: fc.record({ beforeMs: fc.constantFrom(0, 30_000) }),
  purgeSubmissions: fc.record({ beforeMs: fc.constantFrom(0, 30_000) }),
  changeDeviceSettings: fc.record({ device, audited, maxAttempts: fc.constantFrom(null, 3) }),
  openAttempts: fc.record({}),
  busyDevices: fc.record({}),
  devicesOutOfService: fc.record({}),
  pendingDevices: fc.record({}),
} as const

type Values = {
  [Verb in keyof typeof CALLS]: (typeof CALLS)[Verb] extends fc.Arbitrary<infer Value> ? Value : never
}
export type Call = { [Verb in keyof Values]: { readonly verb: Verb } & Values[Verb] }[keyof Values]

/** Weights of the verbs in the choice of a call. Default: 1. */
const WEIGHTS: Partial<Record<keyof Values, number>> = {
  enqueue: 12,
  claim: 8,
  head: 4,
  take: 8,
  takeFirst: 4,
  acknowledge: 6,
  attach: 3,
  cancel: 3,
  replay: 3,
  expire: 3,
  park: 4,
  endAttempt: 2,
  sendFailed: 2,
  cancelAll: 2,
}

const manyMessages = fc.constant({ messages: 1_000, bytes: 0 })
/**
 * Concurrent calls meet no full queue, because a message may count for the limits until its end is durable. They expire
 * all messages in one step, because another call may take effect between two steps.
 */
const CONCURRENT_CALLS = {
  ...CALLS,
  enqueue: fc.tuple(CALLS.enqueue, manyMessages).map(([values, limits]) => ({ ...values, limits })),
  replay: fc.tuple(CALLS.replay, manyMessages).map(([values, limits]) => ({ ...values, limits })),
  replayAll: fc.tuple(CALLS.replayAll, manyMessages).map(([values, limits]) => ({ ...values, limits })),
  expire: fc.record({ limit: fc.constant(1_000) }),
}

/** Verbs whose result may reflect changes during the read. */
const FOLLOWING: readonly (keyof Values)[] = [
  'openAttempts',
  'busyDevices',
  'devicesOutOfService',
  'pendingDevices',
]

function callOf(
  verbs: readonly (keyof Values)[],
  calls: Readonly<Record<string, fc.Arbitrary<object>>>,
): fc.Arbitrary<Call> {
  return fc.oneof(
    ...verbs.map((verb) => ({
      weight: WEIGHTS[verb] ?? 1,
      arbitrary: (calls[verb] as fc.Arbitrary<object>).map(
        (values) => ({ verb, ...values }) as unknown as Call,
      ),
    })),
  )
}

const VERBS = Object.keys(CALLS) as (keyof Values)[]
const call = callOf(VERBS, CALLS)
/** Excludes `changeService`, which also ends an attempt that begins during the call. */
const concurrentCall = callOf(
  VERBS.filter((verb) => !FOLLOWING.includes(verb) && verb !== 'changeService'),
  CONCURRENT_CALLS,
)

/**
 * Call with its subject. Messages have the number of their submit instead of their id, here and in all answers, so that
 * another player understands the call.
 */
export interface PlacedCall {
  readonly call: Call
  /** Number of the submit or the attach, or of the submit of the message that the call names. */
  readonly number: number | null
  /** Messages that a submit replaces and sends again. */
  readonly replaces: number | null
  readonly resentFrom: number | null
  readonly attempt: AttemptKey | null
  readonly head: Head | null
  readonly lease: number | null
}

/** Concurrent calls, made after a time has passed, and after the store was perhaps closed or killed, and opened again. */
export interface Group {
  readonly passMs: number
  readonly end: 'close' | 'kill' | null
  readonly calls: readonly Call[]
}

function groupOf(calls: fc.Arbitrary<readonly Call[]>): fc.Arbitrary<Group> {
  return fc.record({
    passMs: fc.constantFrom(0, 0, 0, 1, 5_000, 10_000, 15_000, 40_000),
    end: fc.nat({ max: 79 }).map((n) => (n === 79 ? 'close' : n === 78 ? 'kill' : null)),
    calls,
  })
}

/** Histories of sequential calls. */
export const oneByOne: fc.Arbitrary<readonly Group[]> = fc.array(groupOf(call.map((one) => [one])), {
  minLength: 1,
  maxLength: 60,
  size: 'max',
})

/** Histories of up to five concurrent calls. */
export const atOnce: fc.Arbitrary<readonly Group[]> = fc.array(
  groupOf(fc.array(concurrentCall, { minLength: 1, maxLength: 5, size: 'max' })),
  { minLength: 1, maxLength: 14, size: 'max' },
)
