/** The store that the test of a driver gives to the storage contract, and the steps that most cases take. */
import { beforeEach, expect, vi } from 'vitest'
import type { NewMessage } from '../../src/broker/message.ts'
import type { AckStatus } from '../../src/broker/status.ts'
import type {
  DeviceLease,
  EndedAttempt,
  MessageStore,
  Soon,
  StoreEvent,
  StoreOptions,
} from '../../src/broker/store.ts'
import type { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'

export interface StoreUnderTest {
  readonly store: MessageStore
  /** Returns the transports of the attempts with a message, the first one first. */
  transports(messageId: number): Soon<readonly string[]>
  /** The clock of the store. */
  readonly clock: HeldClock
  /** Closes the store and opens the same data again. */
  reopen(): Promise<MessageStore>
  /** Opens another node on the same data. A driver with one node leaves this out. */
  second?(): MessageStore
}

/** Opens an empty store and removes it after the test. */
export type OpenStore = (options: StoreOptions) => StoreUnderTest | Promise<StoreUnderTest>

export const ATTEMPT_MS = 10_000
const NO_LIMIT = 1_000_000

/** Opens a fresh store before each test of the calling suite. */
export function useStore(open: OpenStore, options: Partial<StoreOptions> = {}) {
  let opened: StoreUnderTest
  let messages: MessageStore
  beforeEach(async () => {
    opened = await open({ attemptMs: ATTEMPT_MS, ...options })
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
    transports: (messageId: number) => opened.transports(messageId),
    get second(): (() => MessageStore) | undefined {
      return opened.second
    },
    reopen: async (): Promise<void> => {
      messages = await opened.reopen()
    },
    put: (parts: Partial<NewMessage> = {}, limit = NO_LIMIT) => put(messages, parts, limit),
    complete: (id: number, deviceId = 'pump') => acknowledge(messages, id, 'COMPLETED', deviceId),
    headId: async (deviceId = 'pump') => (await messages.head(deviceId))?.id ?? null,
  }
}

/** Stores a message and returns its id. */
export async function put(
  store: MessageStore,
  parts: Partial<NewMessage> = {},
  limit = NO_LIMIT,
): Promise<number> {
  return (await store.enqueue(message(parts), limit)).id
}

export function acknowledge(store: MessageStore, messageId: number, status: AckStatus, deviceId = 'pump') {
  return store.acknowledge({ deviceId, messageId, status, by: null })
}

/** Polls a message that may have left its queue. */
export async function take(store: MessageStore, id: number, parts: Partial<NewMessage> = {}) {
  const { deviceId, command, guarantee, data } = message(parts)
  return store.take(deviceId, { id, command, guarantee, data })
}

/** Claims a message, waits until the dispatch is durable, and fails when the claim returns anything else. */
export async function claimMessage(lease: DeviceLease, ended: EndedAttempt | null = null, paced = true) {
  const claim = await lease.claim(ended, paced)
  if (claim.is !== 'message') throw new Error(`The claim returned "${claim.is}" instead of a message.`)
  await claim.recorded
  return claim
}

/** Returns the array to which the store's events are added. */
export function recordEvents(store: MessageStore): StoreEvent[] {
  const events: StoreEvent[] = []
  store.watch((event) => events.push(event))
  return events
}

/** Waits until an event was reported. */
export async function expectEvent(events: readonly StoreEvent[], event: StoreEvent): Promise<void> {
  await vi.waitFor(() => expect(events).toContainEqual(event), { interval: 1 })
}
