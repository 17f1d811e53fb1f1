/** The parked messages: read at the start, kept by the changes of statuses, also by those during a read. */
import { expect, test } from 'vitest'
import type { Transitioned } from '../../src/broker/contract/store.ts'
import { ParkedMessages } from '../../src/broker/engine/parked-messages.ts'
import type { Cause, Status } from '../../src/broker/vocabulary/status.ts'

const change = (messageId: number, status: Status, cause: Cause): Transitioned => {
  return { messageId, deviceId: 'pump', status, cause, replyTo: null, details: null, order: null }
}

test('changes: parked → counted once; replayed, or reported late → counted no more', async () => {
  const parked = new ParkedMessages({ parked: () => [1, 2] })
  await parked.load()
  expect(parked.count).toBe(2)
  parked.changed(change(3, 'UNKNOWN', 'NOT_ACKNOWLEDGED'))
  parked.changed(change(3, 'UNKNOWN', 'NOT_ACKNOWLEDGED'))
  expect(parked.count).toBe(3)
  parked.changed(change(1, 'NOT_DELIVERED', 'REPLAYED'))
  parked.changed(change(2, 'COMPLETED', 'ACKNOWLEDGED'))
  parked.changed(change(9, 'UNKNOWN', 'EXPIRED'))
  expect(parked.count).toBe(1)
})

test('load: changes while the storage reads → not lost', async () => {
  let answer: (ids: number[]) => void = () => {}
  const parked = new ParkedMessages({
    parked: () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  })
  const loaded = parked.load()
  parked.changed(change(1, 'NOT_DELIVERED', 'REPLAYED'))
  parked.changed(change(5, 'UNKNOWN', 'NOT_ACKNOWLEDGED'))
  answer([1, 2])
  await loaded
  expect(parked.count).toBe(2)
})
