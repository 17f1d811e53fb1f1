/** The part of the storage contract about ids, the order of a queue, its limit, and ONLY_LAST. */
import { describe, expect, test } from 'vitest'
import { type OpenStore, useStore } from './store-under-test.ts'

export function idContract(open: OpenStore): void {
  describe('ids', () => {
    const store = useStore(open)

    test('are positive integers that grow, whatever the device', async () => {
      const ids = [await store.put(), await store.put({ deviceId: 'valve' }), await store.put()]

      expect(ids.every((id) => Number.isSafeInteger(id) && id > 0)).toBe(true)
      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
      expect(new Set(ids).size).toBe(3)
    })

    test('are not used again after the newest message was removed and the store reopened', async () => {
      const first = await store.put()
      const second = await store.put()
      await store.complete(first)
      await store.complete(second)
      expect(await store.messages.purge(5000)).toBe(2)
      const third = await store.put()
      await store.complete(third)
      await store.messages.purge(5000)

      await store.reopen()

      expect(third).toBeGreaterThan(second)
      expect(await store.put()).toBeGreaterThan(third)
    })

    test('go on growing after a refusal', async () => {
      const first = await store.put({}, 1)
      await expect(store.put({}, 1)).rejects.toMatchObject({ code: 'queue-full' })

      expect(await store.put({}, 2)).toBeGreaterThan(first)
    })
  })
}

export function queueContract(open: OpenStore): void {
  describe('the queue of a device', () => {
    const store = useStore(open)

    test('gives the oldest first, and again until it does not wait any more', async () => {
      const first = await store.put({ data: '{"n":1}' })
      const second = await store.put({ data: '{"n":2}', command: 'stop', guarantee: 'ONLY_LAST' })

      expect(store.messages.oldest('pump')).toEqual({
        id: first,
        command: 'start',
        guarantee: 'RECEIPT_CONFIRMATION',
        data: '{"n":1}',
      })
      expect(store.messages.oldest('pump')?.id).toBe(first)
      await store.complete(first)
      expect(store.messages.oldest('pump')).toEqual({
        id: second,
        command: 'stop',
        guarantee: 'ONLY_LAST',
        data: '{"n":2}',
      })
      await store.complete(second)
      expect(store.messages.oldest('pump')).toBeNull()
    })

    test('has another oldest from the moment on in which that one is acknowledged', async () => {
      const [first, second] = [await store.put(), await store.put()]

      const acknowledged = store.messages.acknowledge(first, 'pump', 'DELIVERED', 2000)

      expect(store.messages.claim(first, 'pump')).toBe(false)
      expect(store.messages.oldest('pump')?.id).toBe(second)
      await expect(store.put({}, 2)).rejects.toMatchObject({ code: 'queue-full' })
      expect(await acknowledged).toEqual({ status: 'DELIVERED', moved: true })
      await store.put({}, 2)
    })

    test('is its own: other devices see nothing of it', async () => {
      const forPump = await store.put()
      const forValve = await store.put({ deviceId: 'valve' })

      expect(store.messages.oldest('valve')?.id).toBe(forValve)
      expect(store.messages.oldest('pump')?.id).toBe(forPump)
      expect(store.messages.oldest('PUMP')).toBeNull()
      expect(store.messages.oldest('pump ')).toBeNull()
    })

    test('goes by the order of storing, not by the clock, which may be set back', async () => {
      const first = await store.put({ createdAtMs: 9000 })
      await store.put({ createdAtMs: 1000 })

      expect(store.messages.oldest('pump')?.id).toBe(first)
    })

    test('takes as many waiting messages as the limit says', async () => {
      const first = await store.put({}, 2)
      await store.put({}, 2)

      await expect(store.put({}, 2)).rejects.toMatchObject({ name: 'BrokerError', code: 'queue-full' })
      await store.put({ deviceId: 'valve' }, 2)
      await store.complete(first)
      await store.put({}, 2)
      await expect(store.put({}, 2)).rejects.toMatchObject({ code: 'queue-full' })
    })

    test('survives a reopen', async () => {
      const first = await store.put({ data: '{"n":1}' })
      const second = await store.put({ guarantee: 'NO' })
      await store.complete(first)

      await store.reopen()

      expect(await store.messages.status(first)).toBe('COMPLETED')
      expect(await store.messages.status(second)).toBe('NOT_DELIVERED')
      expect(store.messages.oldest('pump')).toEqual({
        id: second,
        command: 'start',
        guarantee: 'NO',
        data: '{}',
      })
    })

    test('of a message that was never stored knows no status', async () => {
      const id = await store.put()

      expect(await store.messages.status(id + 1)).toBeNull()
      expect(await store.messages.status(0)).toBeNull()
    })
  })
}

export function onlyLastContract(open: OpenStore): void {
  describe('ONLY_LAST', () => {
    const store = useStore(open)

    test('cancels what waits with the same command for the same device, and nothing else', async () => {
      const same = await store.put()
      const sameNo = await store.put({ guarantee: 'NO' })
      const otherCommand = await store.put({ command: 'stop' })
      const otherCase = await store.put({ command: 'Start' })
      const otherDevice = await store.put({ deviceId: 'valve' })
      const done = await store.put()
      await store.complete(done)

      const last = await store.put({ guarantee: 'ONLY_LAST' })

      const { messages } = store
      expect([await messages.status(same), await messages.status(sameNo)]).toEqual(['CANCELLED', 'CANCELLED'])
      for (const id of [otherCommand, otherCase, otherDevice, last]) {
        expect(await messages.status(id)).toBe('NOT_DELIVERED')
      }
      expect(await messages.status(done)).toBe('COMPLETED')
    })

    test('leaves messages that come later alone', async () => {
      const last = await store.put({ guarantee: 'ONLY_LAST' })
      const later = await store.put()

      expect(await store.messages.status(last)).toBe('NOT_DELIVERED')
      expect(await store.messages.status(later)).toBe('NOT_DELIVERED')
    })

    test('finds room in a full queue when it cancels something', async () => {
      const first = await store.put({}, 1)

      const last = await store.put({ guarantee: 'ONLY_LAST' }, 1)

      expect(await store.messages.status(first)).toBe('CANCELLED')
      expect(store.messages.oldest('pump')?.id).toBe(last)
    })

    test('cancels nothing when it is refused', async () => {
      const same = await store.put()
      const others = [await store.put({ command: 'stop' }), await store.put({ command: 'stop' })]

      await expect(store.put({ guarantee: 'ONLY_LAST' }, 2)).rejects.toMatchObject({ code: 'queue-full' })

      for (const id of [same, ...others]) expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
      await store.reopen()
      expect(store.messages.oldest('pump')?.id).toBe(same)
    })

    test('leaves exactly one waiting when many come at once', async () => {
      const ids = await Promise.all(
        Array.from({ length: 20 }, () => store.put({ guarantee: 'ONLY_LAST' }, 1)),
      )

      const statuses = await Promise.all(ids.map((id) => store.messages.status(id)))
      expect(statuses.filter((status) => status === 'CANCELLED')).toHaveLength(19)
      expect(statuses[ids.indexOf(Math.max(...ids))]).toBe('NOT_DELIVERED')
    })
  })
}
