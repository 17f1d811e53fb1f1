/** The part of the storage contract about the events of a store. */
import { describe, expect, test } from 'vitest'
import type { MessageStore } from '../../src/broker/contract/store.ts'
import type { AckStatus, Guarantee } from '../../src/broker/vocabulary/status.ts'
import {
  acknowledge,
  claimMessage,
  expectEvent,
  type OpenStore,
  put,
  recordEvents,
  take,
  useStore,
} from './store-under-test.ts'

type Leave = (store: MessageStore, id: number) => Promise<unknown>

const acknowledgeAs =
  (status: AckStatus): Leave =>
  (store, id) =>
    acknowledge(store, id, status)

const LEAVES: readonly [how: string, guarantee: Guarantee, leave: Leave][] = [
  ['DELIVERED', 'RECEIPT_CONFIRMATION', acknowledgeAs('DELIVERED')],
  ['COMPLETED', 'RECEIPT_CONFIRMATION', acknowledgeAs('COMPLETED')],
  ['COMPLETED_WITH_ERROR', 'RECEIPT_CONFIRMATION', acknowledgeAs('COMPLETED_WITH_ERROR')],
  ['superseded', 'RECEIPT_CONFIRMATION', (store) => put(store, { guarantee: 'ONLY_LAST' })],
  ['cancelled', 'RECEIPT_CONFIRMATION', (store, id) => store.cancel(id, { by: null, force: false })],
  ['claimed', 'NO', async (store) => claimMessage(await store.attach('pump', 'MQTT'))],
  ['polled', 'NO', (store, id) => take(store, id, { guarantee: 'NO' })],
]

export function eventContract(open: OpenStore): void {
  describe('events', () => {
    const store = useStore(open)

    test('watch: a message was stored → added', async () => {
      const events = recordEvents(store.messages)
      await store.put({ deviceId: 'valve' })

      await expectEvent(events, { is: 'added', deviceId: 'valve' })
    })

    test.each(LEAVES)('watch: a message was %s (%s) → removed', async (_how, guarantee, leave) => {
      const events = recordEvents(store.messages)
      const messageId = await store.put({ guarantee })
      await leave(store.messages, messageId)

      await expectEvent(events, { is: 'removed', deviceId: 'pump', messageId })
    })

    test('watch: the node itself changed statuses → no transitioned', async () => {
      const events = recordEvents(store.messages)
      const messageIds = [await store.put(), await store.put()]
      for (const id of messageIds) {
        await acknowledge(store.messages, id, 'DELIVERED')
        await store.complete(id)
      }

      for (const messageId of messageIds)
        await expectEvent(events, { is: 'removed', deviceId: 'pump', messageId })
      expect(events.filter(({ is }) => is === 'transitioned')).toEqual([])
    })

    test('watch: one of two listeners ended its subscription → the other one alone is called', async () => {
      const staying = recordEvents(store.messages)
      let calls = 0
      const unsubscribe = store.messages.watch({ added: () => calls++ })
      unsubscribe()
      await store.put()

      await expectEvent(staying, { is: 'added', deviceId: 'pump' })
      expect(calls).toBe(0)
    })
  })
}
