/** What a driver's test hands to the storage contract, and the steps that most of its tests take. */
import { beforeEach } from 'vitest'
import type { MessageStore, NewMessage } from '../../src/broker/store.ts'
import { message } from '../_support/store.ts'

export interface StoreUnderTest {
  /** Of the store that is open now: ask for it again after `reopen`. */
  readonly messages: MessageStore
  /** Closes the store and opens the same data again. */
  reopen(): Promise<void>
}

/** Opens an empty store and sees to it that it is removed after the test. */
export type OpenStore = () => StoreUnderTest | Promise<StoreUnderTest>

const NO_LIMIT = 1_000_000

/** A fresh store for each test of the suite that calls it. */
export function useStore(open: OpenStore) {
  let store: StoreUnderTest
  beforeEach(async () => {
    store = await open()
  })
  return {
    get messages(): MessageStore {
      return store.messages
    },
    reopen: () => store.reopen(),
    put: async (parts: Partial<NewMessage> = {}, limit = NO_LIMIT) =>
      (await store.messages.enqueue(message(parts), limit)).id,
    complete: (id: number, { deviceId = 'pump', atMs = 2000 } = {}) =>
      store.messages.acknowledge(id, deviceId, 'COMPLETED', atMs),
  }
}
