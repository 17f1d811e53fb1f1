/** Dispatch to connected devices, over the real store and with a clock that the test moves. */

import { beforeEach, describe, expect, test } from 'vitest'
import { actorNamed } from '../../src/audit/actor.ts'
import { ATTEMPT_MS, DispatchRig, holdClock, INTERVAL_MS } from '../_support/dispatch-rig.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'
import { alter, databaseIn } from '../_support/stored.ts'

let store: TemporaryStore
let rig: DispatchRig

beforeEach(() => {
  holdClock()
  store = new TemporaryStore()
  rig = new DispatchRig(() => store.messages)
  rig.onDispatch = async () => true
})

/** Resolves when nothing but calls that need the disk is left to do. */
async function turnOfPromises(): Promise<void> {
  for (let n = 0; n < 50; n++) await null
}

/** Makes the database refuse every change of a message. Returns a function that ends it. */
function refuse(): () => void {
  const database = databaseIn(store.directory)
  alter(
    database,
    `CREATE TRIGGER refuse BEFORE UPDATE ON messages BEGIN SELECT RAISE(ABORT, 'not this one'); END`,
  )
  return () => alter(database, 'DROP TRIGGER refuse')
}

describe('a connected device', () => {
  test('connects → is sent the pending message at once, and later ones as they arrive', async () => {
    const first = await rig.enqueue()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    expect(rig.sent).toEqual([{ deviceId: 'pump', id: first, atMs: 0 }])

    await rig.broker.acknowledge('pump', first, 'COMPLETED')
    await rig.pass(INTERVAL_MS)
    const second = await rig.enqueue()
    await rig.settle()
    expect(rig.ids).toEqual([first, second])
  })

  test('has several pending messages → one at a time, oldest first', async () => {
    const stored = [await rig.enqueue(), await rig.enqueue(), await rig.enqueue()]
    rig.dispatcher.attach('pump', 'MQTT')
    for (const [i, id] of stored.entries()) {
      await rig.pass(INTERVAL_MS)
      expect(rig.ids).toEqual(stored.slice(0, i + 1))
      await rig.pass(INTERVAL_MS)
      expect(rig.ids).toEqual(stored.slice(0, i + 1))
      await rig.broker.acknowledge('pump', id, 'DELIVERED')
    }
  })

  test('acknowledges before the interval is over → is sent the next message after it', async () => {
    const [first, second] = [await rig.enqueue(), await rig.enqueue()]
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    await rig.broker.acknowledge('pump', first, 'COMPLETED')
    await rig.pass(INTERVAL_MS - 1)
    expect(rig.ids).toEqual([first])
    await rig.pass(1)
    expect(rig.sent.at(-1)).toEqual({ deviceId: 'pump', id: second, atMs: INTERVAL_MS })
  })

  test('another device has a message in flight → is sent its own at once', async () => {
    const pump = await rig.enqueue()
    const valve = await rig.enqueue({ deviceId: 'valve' })
    rig.dispatcher.attach('pump', 'MQTT')
    rig.dispatcher.attach('valve', 'MQTT')
    await rig.settle()
    expect(rig.ids.toSorted()).toEqual([pump, valve])
  })

  test('has no interval → is sent the next message at its acknowledgement', async () => {
    rig.open({ intervalMs: 0 })
    const stored = [await rig.enqueue(), await rig.enqueue()]
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    await rig.broker.acknowledge('pump', stored[0] as number, 'COMPLETED')
    await rig.settle()
    expect(rig.ids).toEqual(stored)
  })

  test('has no interval → is sent the next message before the acknowledgement is durable; the notification follows', async () => {
    rig.open({ intervalMs: 0 })
    const stored = [await rig.enqueue(), await rig.enqueue()]
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    const acknowledged = rig.broker.acknowledge('pump', stored[0] as number, 'COMPLETED')
    await turnOfPromises()
    expect(rig.ids).toEqual(stored)
    expect(rig.changes.map(({ status }) => status)).toEqual(['NOT_DELIVERED', 'NOT_DELIVERED'])
    await acknowledged
    expect(rig.changes.at(-1)).toMatchObject({ messageId: stored[0], status: 'COMPLETED' })
  })

  test('the disk refuses its acknowledgement → redelivered when the attempt is over', async () => {
    rig.open({ intervalMs: 0 })
    const [first, second] = [await rig.enqueue(), await rig.enqueue()]
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    const accept = refuse()
    await expect(rig.broker.acknowledge('pump', first, 'COMPLETED')).rejects.toThrow('not this one')
    await rig.settle()
    expect(rig.ids).toEqual([first, second])
    accept()
    await rig.enqueue()
    expect(rig.ids).toEqual([first, second])
    await rig.broker.acknowledge('pump', second, 'COMPLETED')
    await rig.settle()
    expect(rig.ids).toEqual([first, second])
    // The attempt is still open, since nothing ended it: the device may repeat its acknowledgement.
    await rig.pass(ATTEMPT_MS)
    expect(rig.ids).toEqual([first, second, first])
  })

  test('the disk refuses a cancellation → sent at once', async () => {
    const id = await rig.enqueue()
    refuse()
    const cancelled = rig.broker.cancel(id, { by: actorNamed(null) })
    rig.dispatcher.attach('pump', 'MQTT')
    await turnOfPromises()
    expect(rig.ids).toEqual([])
    await expect(cancelled).rejects.toThrow('not this one')
    await rig.settle()
    expect(rig.ids).toEqual([id])
  })

  test('a cancellation comes after a dispatch before a restart → sent at once', async () => {
    const id = await rig.enqueue()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    await rig.dispatcher.close()
    await store.reopen()
    rig.open({ intervalMs: 0 })
    const cancelled = expect(rig.broker.cancel(id, { by: actorNamed(null) })).rejects
    rig.dispatcher.attach('pump', 'MQTT')
    await cancelled.toMatchObject({ code: 'handed-over' })
    await rig.settle()
    expect(rig.ids).toEqual([id, id])
  })
})

describe('a device that does not answer', () => {
  test('the attempt is over → the message is redelivered, its delivery error recorded', async () => {
    const id = await rig.enqueue()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    await rig.pass(ATTEMPT_MS - 1)
    expect(rig.ids).toEqual([id])
    expect(store.rows('SELECT delivered_error FROM messages')).toEqual([{ delivered_error: 0 }])
    await rig.pass(1)
    expect(rig.ids).toEqual([id, id])
    expect(store.rows('SELECT delivered_error FROM messages')).toEqual([{ delivered_error: 1 }])
    await rig.pass(2 * ATTEMPT_MS - 1)
    expect(rig.ids).toEqual([id, id])
    await rig.pass(1)
    expect(rig.ids).toEqual([id, id, id])
    expect(store.rows('SELECT number, at_ms - created_at_ms AS after FROM attempts, messages')).toEqual([
      { number: 1, after: 0 },
      { number: 2, after: ATTEMPT_MS },
      { number: 3, after: 3 * ATTEMPT_MS },
    ])
  })

  test('ONLY_LAST supersedes the message in flight → not redelivered', async () => {
    const old = await rig.enqueue({ guarantee: 'ONLY_LAST' })
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    const last = await rig.enqueue({ guarantee: 'ONLY_LAST' })
    await rig.pass(INTERVAL_MS)
    expect(rig.ids).toEqual([old, last])
  })
})

describe('a NO message', () => {
  test('dispatched → DELIVERED, once; the next after the interval', async () => {
    const [first, second] = [await rig.enqueue({ guarantee: 'NO' }), await rig.enqueue({ guarantee: 'NO' })]
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    expect(rig.ids).toEqual([first])
    expect(await rig.broker.status(first)).toBe('DELIVERED')
    expect(await rig.broker.status(second)).toBe('NOT_DELIVERED')
    await rig.pass(INTERVAL_MS)
    expect(rig.ids).toEqual([first, second])
  })

  test('the connection breaks → UNKNOWN, not redelivered', async () => {
    rig.onDispatch = async () => false
    const id = await rig.enqueue({ guarantee: 'NO' })
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    expect(await rig.broker.status(id)).toBe('UNKNOWN')
    await rig.pass(INTERVAL_MS)
    expect(rig.ids).toEqual([id])
  })
})

describe('a device that leaves', () => {
  test.each([
    ['during its attempt', ATTEMPT_MS - 1, 0],
    ['after the end of its attempt', 10 * ATTEMPT_MS, 1],
  ])('comes back %s → is sent the message it did not acknowledge', async (_, awayMs, deliveredError) => {
    const id = await rig.enqueue()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    await rig.dispatcher.detach('pump', 'MQTT')
    await rig.pass(awayMs)
    expect(rig.ids).toEqual([id])
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    expect(rig.ids).toEqual([id, id])
    expect(rig.timeouts).toBe(deliveredError)
    expect(store.rows('SELECT delivered_error FROM messages')).toEqual([{ delivered_error: deliveredError }])
  })

  test('stays away after its last attempt → the message is parked at the end of that attempt', async () => {
    rig.open({ maxAttempts: 1 })
    const id = await rig.enqueue()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    await rig.pass(10_000)
    await rig.dispatcher.detach('pump', 'MQTT')
    await rig.pass(ATTEMPT_MS - 10_001)
    expect(await rig.broker.status(id)).toBe('NOT_DELIVERED')
    await rig.pass(1)
    expect(await rig.broker.status(id)).toBe('UNKNOWN')
  })

  test('comes back over another transport → the attempt has that transport', async () => {
    const id = await rig.enqueue()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    await rig.dispatcher.detach('pump', 'MQTT')
    rig.dispatcher.attach('pump', 'TCP')
    await rig.pass(INTERVAL_MS)
    expect(rig.ids).toEqual([id, id])
    expect(store.rows('SELECT transport FROM attempts')).toEqual([
      { transport: 'MQTT' },
      { transport: 'TCP' },
    ])
  })

  test('ends one of two connections → is still connected', async () => {
    rig.dispatcher.attach('pump', 'MQTT')
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.dispatcher.detach('pump', 'MQTT')
    const id = await rig.enqueue()
    await rig.settle()
    expect(rig.ids).toEqual([id])
  })
})

test('nextAfter COMPLETED: DELIVERED is being written → the next message is not dispatched', async () => {
  rig.open({ intervalMs: 0 })
  await rig.change({ nextAfter: 'COMPLETED', finishSeconds: 600 })
  const [first, second] = [await rig.enqueue(), await rig.enqueue()]
  rig.dispatcher.attach('pump', 'MQTT')
  await rig.settle()
  const acknowledged = rig.broker.acknowledge('pump', first, 'DELIVERED')
  await turnOfPromises()
  expect(rig.ids).toEqual([first])
  await acknowledged
  await rig.settle()
  expect(rig.ids).toEqual([first])
  await rig.broker.acknowledge('pump', first, 'COMPLETED')
  await rig.settle()
  expect(rig.ids).toEqual([first, second])
})

describe('listeners', () => {
  test('a status changes → called once with its reply-to; a repeated acknowledgement → not called', async () => {
    const replyTo = { producerId: 'app', correlationId: 7 }
    const { id: first } = await rig.broker.enqueue(message({ guarantee: 'ONLY_LAST', replyTo }))
    const { id: second } = await rig.broker.enqueue(message({ guarantee: 'ONLY_LAST', replyTo }))
    await rig.broker.acknowledge('pump', second, 'DELIVERED')
    await rig.broker.acknowledge('pump', second, 'DELIVERED')
    await rig.broker.acknowledge('pump', second, 'COMPLETED')
    const whom = { deviceId: 'pump', replyTo, details: null, order: null }
    expect(rig.changes).toEqual([
      { messageId: first, status: 'NOT_DELIVERED', cause: 'STORED', ...whom },
      { messageId: second, status: 'NOT_DELIVERED', cause: 'STORED', ...whom },
      { messageId: first, status: 'CANCELLED', cause: 'SUPERSEDED', ...whom },
      { messageId: second, status: 'DELIVERED', cause: 'ACKNOWLEDGED', ...whom },
      { messageId: second, status: 'COMPLETED', cause: 'ACKNOWLEDGED', ...whom },
    ])
  })
})
