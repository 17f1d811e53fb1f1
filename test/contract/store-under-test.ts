/** The store that the test of a driver gives to the storage contract, and the steps that most cases take. */
import { beforeEach, expect } from 'vitest'
import type { AuditLine } from '../../src/audit/audit.ts'
import type {
  AttemptRules,
  Claim,
  DeviceLease,
  EndedAttempt,
  Head,
  Taken,
} from '../../src/broker/contract/device-lease.ts'
import type { MessageExtras } from '../../src/broker/contract/message-log.ts'
import type { StatisticsStore } from '../../src/broker/contract/statistics-store.ts'
import type { MaybePromise, MessageStore, QueueLimits, StoreEvent } from '../../src/broker/contract/store.ts'
import type {
  DispatchedMessage,
  MessageRecord,
  NewMessage,
  Report,
} from '../../src/broker/vocabulary/message.ts'
import type { AckStatus } from '../../src/broker/vocabulary/status.ts'
import { NO_TERMS, type Terms } from '../../src/broker/vocabulary/term-table.ts'
import { allEvents } from '../_support/all-events.ts'
import type { HeldClock } from '../_support/clock.ts'
import { eventually } from '../_support/eventually.ts'
import { message } from '../_support/message.ts'

export interface StoreUnderTest {
  readonly store: MessageStore
  /** Returns the record of a message; null when there is no such message. */
  record(messageId: number): MaybePromise<MessageRecord | null>
  /** Returns what the driver keeps beside the record of a message. */
  extras(messageId: number): MaybePromise<MessageExtras>
  /** Returns the lines of the audit trail, the oldest first. */
  audit(): MaybePromise<readonly AuditLine[]>
  /** Returns the statistics of the open store. */
  statistics(): StatisticsStore
  /** The clock of the store. */
  readonly clock: HeldClock
  /** True when the store measures attempts with the wall clock, which an operator may set. */
  readonly measuresByWallClock?: boolean
  /** Closes the store and opens the same data again. */
  reopen(): Promise<MessageStore>
  /** Opens the data again that the store leaves when its process is killed. */
  kill(): Promise<MessageStore>
  /** Opens another node on the same data. A driver with one node leaves this out. */
  second?(): MaybePromise<MessageStore>
}

/** Opens an empty store and removes it after the test. */
export type OpenStore = () => StoreUnderTest | Promise<StoreUnderTest>

export const ATTEMPT_MS = 10_000
/** Every attempt takes the same time and is paced. */
export const RULES: AttemptRules = { durationsMs: [ATTEMPT_MS], paced: true, deaf: false }
/** The answer to a claim of a queue without messages. */
export const EMPTY: Claim = { is: 'empty', dueInMs: null }
/** Any order of a change: a number where several nodes learn of the change, and null where there is one node. */
export const ORDER: number | null = expect.toBeOneOf([null, expect.any(Number)])
const NO_LIMIT = 1_000_000

/** Opens a fresh store before each test of the calling suite. */
export function useStore(open: OpenStore) {
  let opened: StoreUnderTest
  let messages: MessageStore
  beforeEach(async () => {
    opened = await open()
    messages = opened.store
  })
  return {
    /** The open store. `reopen` replaces it. */
    get messages(): MessageStore {
      return messages
    },
    get clock(): HeldClock {
      return opened.clock
    },
    get measuresByWallClock(): boolean {
      return opened.measuresByWallClock ?? false
    },
    get statistics(): StatisticsStore {
      return opened.statistics()
    },
    record: async (messageId: number): Promise<MessageRecord> =>
      (await opened.record(messageId)) as MessageRecord,
    extras: async (messageId: number): Promise<MessageExtras> => opened.extras(messageId),
    audit: async (): Promise<readonly AuditLine[]> => opened.audit(),
    /** Returns number, transport and outcome of each attempt with a message, the first one first. */
    attempts: async (messageId: number) =>
      (await opened.extras(messageId)).attempts.map(
        ({ number, transport, outcome }) => [number, transport, outcome] as const,
      ),
    get second(): (() => MaybePromise<MessageStore>) | undefined {
      return opened.second
    },
    reopen: async (): Promise<void> => {
      messages = await opened.reopen()
    },
    put: (parts: Partial<NewMessage> = {}, limit: number | QueueLimits = NO_LIMIT) =>
      put(messages, parts, limit),
    complete: (id: number, deviceId = 'pump') => acknowledge(messages, id, 'COMPLETED', deviceId),
    headId: async (deviceId = 'pump') => (await messages.head(deviceId))?.message.id ?? null,
    /** Takes the message that a poll of device `pump` may return. */
    poll: async (rules = RULES): Promise<Taken> => {
      const head = await messages.head('pump')
      const taken = head && (await messages.take('pump', head, rules))
      if (!taken) throw new Error('The poll returned nothing.')
      return taken
    },
  }
}

export type StoreInUse = ReturnType<typeof useStore>

/** Returns limits of a queue without a limit of bytes. */
export function limits(messages: number): QueueLimits {
  return { messages, bytes: 0 }
}

export function terms(parts: Partial<Terms>): Terms {
  return { ...NO_TERMS, ...parts }
}

/** Stores a message and returns its id. */
export async function put(
  store: MessageStore,
  parts: Partial<NewMessage> = {},
  limit: number | QueueLimits = NO_LIMIT,
): Promise<number> {
  const each = typeof limit === 'number' ? limits(limit) : limit
  return (await store.enqueue(message(parts), each)).id
}

export function acknowledge(
  store: MessageStore,
  messageId: number,
  status: AckStatus,
  deviceId = 'pump',
  report: Report | null = null,
) {
  return store.acknowledge({ deviceId, messageId, status, by: null, report })
}

/** Polls a message that was the head, without an open attempt, and may have left its queue. */
export async function take(store: MessageStore, id: number, parts: Partial<NewMessage> = {}) {
  const { deviceId, command, guarantee, data } = message(parts)
  return store.take(deviceId, headOf(id, { command, guarantee, data }), RULES)
}

/** Returns a head without an open attempt. */
export function headOf(
  id: number,
  { command, guarantee, data }: Omit<Head['message'], 'id'> = message(),
): Head {
  return { message: { id, command, guarantee, data }, attempt: null }
}

/** The end of an attempt whose number and time the store tells. */
type End = Pick<EndedAttempt, 'messageId' | 'outcome'>

/** Returns the end of the attempt that began with the dispatch of a message. */
export function ended(
  { id: messageId, number, atMs }: DispatchedMessage,
  outcome: EndedAttempt['outcome'] = 'TIMEOUT',
): EndedAttempt {
  return { messageId, number, atMs, outcome }
}

/** Returns the end of the open attempt with a message. */
async function endOfOpen(lease: DeviceLease, { messageId, outcome }: End): Promise<EndedAttempt> {
  const claim = await lease.claim(null, RULES)
  if (claim.is !== 'inFlight' || claim.attempt.messageId !== messageId)
    throw new Error('The message has no open attempt.')
  const { number, atMs } = claim.attempt
  return { messageId, number, atMs, outcome }
}

/**
 * Claims a message, waits until the dispatch is durable, and fails when the claim returns anything else.
 *
 * @param end ends the attempt before; without a number, the open one
 */
export async function claimMessage(
  lease: DeviceLease,
  end: End | EndedAttempt | null = null,
  rules: AttemptRules = RULES,
) {
  const over = end === null || 'number' in end ? end : await endOfOpen(lease, end)
  const claim = await lease.claim(over, rules)
  if (claim.is !== 'message') throw new Error(`The claim returned "${claim.is}" instead of a message.`)
  await claim.recorded
  return claim
}

/** Returns what a claim must be while a message has an open attempt. */
export function inFlight(messageId: number, runningMs: number) {
  return { is: 'inFlight', attempt: expect.objectContaining({ messageId, runningMs }) }
}

/** Returns the array to which the store's events are added. */
export function recordEvents(store: MessageStore): StoreEvent[] {
  const events: StoreEvent[] = []
  store.watch(allEvents((event) => events.push(event)))
  return events
}

/** Waits until an event was reported. */
export async function expectEvent(events: readonly StoreEvent[], event: StoreEvent): Promise<void> {
  await eventually(() => expect(events).toContainEqual(event))
}
