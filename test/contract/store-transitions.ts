/** The part of the storage contract about statuses: every move from every status, held against the table of moves. */
import { describe, expect, test } from 'vitest'
import {
  ACK_MOVES,
  ACK_STATUSES,
  type AckStatus,
  GUARANTEES,
  type Guarantee,
  MOVES,
  type Move,
  type MoveName,
  STATUSES,
  type Status,
} from '../../src/broker/status.ts'
import type { MessageStore } from '../../src/broker/store.ts'
import { message } from '../_support/store.ts'
import { type OpenStore, useStore } from './store-under-test.ts'

type Moving = (messages: MessageStore, id: number) => Promise<unknown>

const acknowledge =
  (status: AckStatus): Moving =>
  (messages, id) =>
    messages.acknowledge(id, 'pump', status, 3000)

/** How each move is made, for a message of device `pump` with command `start`. */
const MAKE: Record<MoveName, Moving> = {
  handOver: (messages, id) => messages.handOver(id, 'pump', 3000),
  handOverFailed: (messages, id) => messages.handOverFailed(id, 3000),
  ackDelivered: acknowledge('DELIVERED'),
  ackCompleted: acknowledge('COMPLETED'),
  ackFailed: acknowledge('COMPLETED_WITH_ERROR'),
  superseded: (messages) => messages.enqueue(message({ guarantee: 'ONLY_LAST', createdAtMs: 3000 }), 100),
  cancelled: (messages, id) => messages.cancel(id, 'admin', 3000),
}

/** The moves that lead from NOT_DELIVERED to a status; null where a guarantee has none. */
function wayTo(status: Status, guarantee: Guarantee): readonly MoveName[] | null {
  switch (status) {
    case 'NOT_DELIVERED':
      return []
    case 'DELIVERED':
      return [guarantee === 'NO' ? 'handOver' : 'ackDelivered']
    case 'COMPLETED':
      return ['ackCompleted']
    case 'COMPLETED_WITH_ERROR':
      return ['ackFailed']
    case 'CANCELLED':
      return ['superseded']
    case 'UNKNOWN':
      return guarantee === 'NO' ? ['handOver', 'handOverFailed'] : null
  }
}

const CASES = GUARANTEES.flatMap((guarantee) =>
  STATUSES.flatMap((from) =>
    (Object.entries(MOVES) as [MoveName, Move][]).flatMap(([name, move]) => {
      const way = wayTo(from, guarantee)
      const allowed =
        move.from.includes(from) && (move.guarantee === undefined || move.guarantee === guarantee)
      return way === null ? [] : [{ guarantee, from, name, way, allowed, to: allowed ? move.to : from }]
    }),
  ),
)

export function moveContract(open: OpenStore): void {
  describe('moves', () => {
    const store = useStore(open)

    const putIn = async (guarantee: Guarantee, way: readonly MoveName[]): Promise<number> => {
      const id = await store.put({ guarantee })
      for (const name of way) await MAKE[name](store.messages, id)
      return id
    }

    test.each(CASES)(
      '$guarantee, $from, $name: then $to',
      async ({ guarantee, from, name, way, allowed, to }) => {
        const id = await putIn(guarantee, way)
        expect(await store.messages.status(id)).toBe(from)

        const result = await MAKE[name](store.messages, id)

        expect(await store.messages.status(id)).toBe(to)
        if (name === 'handOver') expect(result).toBe(allowed)
        if (Object.values(ACK_MOVES).includes(name) || name === 'cancelled')
          expect(result).toEqual({ status: to, moved: allowed })
        await store.reopen()
        expect(await store.messages.status(id)).toBe(to)
      },
    )

    test('a message that left NOT_DELIVERED never waits again', async () => {
      for (const { guarantee, from, name, way, to } of CASES) {
        if (to === 'NOT_DELIVERED') continue
        const id = await putIn(guarantee, way)
        await MAKE[name](store.messages, id)
        expect(store.messages.oldest('pump')?.id, `${from}, ${name}`).not.toBe(id)
      }
    })

    test('a NO message is handed over once, however many ask at once', async () => {
      const id = await putIn('NO', [])

      const results = await Promise.all(
        Array.from({ length: 10 }, () => store.messages.handOver(id, 'pump', 2000)),
      )

      expect(results.filter((handedOver) => handedOver)).toHaveLength(1)
    })

    describe('cancelling', () => {
      test.each([
        ['a poll got', (id: number) => store.messages.polled(id, 'pump', 2000)],
        ['was published', (id: number) => store.messages.published(id, 2000, 'pump')],
      ])('a message that %s cannot be, also after a reopen', async (_what, handOut) => {
        const id = await putIn('RECEIPT_CONFIRMATION', [])
        expect(store.messages.claim(id, 'pump')).toBe(true)
        await handOut(id)

        expect(await store.messages.cancel(id, null, 3000)).toEqual({ status: 'NOT_DELIVERED', moved: false })
        await store.reopen()
        expect(await store.messages.cancel(id, null, 3000)).toEqual({ status: 'NOT_DELIVERED', moved: false })
        expect(store.messages.oldest('pump')?.id).toBe(id)
      })

      test('one that is cancelled is given to nobody, from the moment on in which that was asked for', async () => {
        const id = await putIn('RECEIPT_CONFIRMATION', [])
        const next = await putIn('RECEIPT_CONFIRMATION', [])

        const cancelled = store.messages.cancel(id, null, 3000)

        expect(store.messages.claim(id, 'pump')).toBe(false)
        expect(store.messages.oldest('pump')?.id).toBe(next)
        expect(await cancelled).toEqual({ status: 'CANCELLED', moved: true })
      })

      test('a message that does not exist cannot be', async () => {
        expect(await store.messages.cancel(4711, null, 3000)).toBeNull()
      })
    })

    test('a message that does not exist can be neither handed over nor acknowledged', async () => {
      const id = await putIn('NO', [])

      expect(await store.messages.handOver(id + 1, 'pump', 2000)).toBe(false)
      await store.messages.handOverFailed(id + 1, 2000)
      expect(await store.messages.acknowledge(id + 1, 'pump', 'DELIVERED', 2000)).toBeNull()
      expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
    })

    test.each(ACK_STATUSES)('another device cannot acknowledge it as %s', async (status) => {
      const id = await putIn('RECEIPT_CONFIRMATION', [])

      expect(await store.messages.acknowledge(id, 'valve', status, 2000)).toBeNull()
      expect(await store.messages.acknowledge(id, '', status, 2000)).toBeNull()
      expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
    })

    test('of two final statuses reported at once, one wins and the other hears of it', async () => {
      const id = await putIn('RECEIPT_CONFIRMATION', [])

      const results = await Promise.all([
        store.messages.acknowledge(id, 'pump', 'COMPLETED', 2000),
        store.messages.acknowledge(id, 'pump', 'COMPLETED_WITH_ERROR', 2000),
      ])

      const status = await store.messages.status(id)
      expect(results.filter((result) => result?.moved)).toEqual([{ status, moved: true }])
      expect(results.filter((result) => !result?.moved)).toEqual([{ status, moved: false }])
    })
  })
}
