/** The part of the storage contract about statuses: each transition from each status, compared with the table. */
import { describe, expect, test } from 'vitest'
import type { MessageStore, Transitioned } from '../../src/broker/contract/store.ts'
import { HandedOver } from '../../src/broker/vocabulary/errors.ts'
import {
  ACK_STATUSES,
  ACK_TRANSITIONS,
  type AckStatus,
  GUARANTEES,
  type Guarantee,
  STATUSES,
  type Status,
  TRANSITIONS,
  type Transition,
  type TransitionName,
} from '../../src/broker/vocabulary/status.ts'
import { message } from '../_support/message.ts'
import { acknowledge, limits, type OpenStore, ORDER, RULES, take, useStore } from './store-under-test.ts'

interface StepResult {
  readonly transition: Transitioned | null
  /** Absent where the call does not return the status. */
  readonly status?: Status
}
/** Message with its device. */
interface Subject {
  readonly id: number
  readonly deviceId: string
  readonly guarantee: Guarantee
}
type Step = (store: MessageStore, subject: Subject) => Promise<StepResult | null>
type Row = readonly [call: string, TransitionName, Step]

const acknowledgeAs =
  (status: AckStatus): Step =>
  (store, { id, deviceId }) =>
    acknowledge(store, id, status, deviceId)

const sendByClaim: Step = async (store, { id, deviceId }) => {
  const claim = await (await store.attach(deviceId, 'MQTT')).claim(null, RULES)
  return claim.is === 'message' && claim.message.id === id ? claim : null
}

const supersede: Step = async (store, { id, deviceId }) => {
  const { cancelled } = await store.enqueue(message({ deviceId, guarantee: 'ONLY_LAST' }), limits(100))
  return { transition: cancelled.find(({ messageId }) => messageId === id) ?? null }
}

const replace: Step = async (store, { id, deviceId }) => {
  const { cancelled } = await store
    .enqueue(message({ deviceId, replaces: id }), limits(100))
    .catch((error) => {
      if (error instanceof HandedOver) return { cancelled: [] }
      throw error
    })
  return { transition: cancelled[0] ?? null }
}

/** Dispatches a message and parks it. A NO message never has an open attempt, and is not parked. */
const park: Step = async (store, { id, deviceId, guarantee }) => {
  if (guarantee !== 'NO') await (await store.attach(deviceId, 'MQTT')).claim(null, RULES)
  return { transition: await store.park(deviceId, { messageId: id, number: 1 }) }
}

const replay: Step = async (store, { id }) => {
  const result = await store.replay(id, { by: 'admin', limits: limits(100) })
  return { transition: result?.is === 'replayed' ? result.transition : null }
}

/**
 * The calls that make each transition, for a message with command `start`. The suite of the deadlines has the transitions
 * that deadlines make.
 */
const STEPS: readonly Row[] = [
  [
    'take',
    'dispatchedOnce',
    (store, { id, deviceId, guarantee }) => take(store, id, { deviceId, guarantee }),
  ],
  ['claim', 'dispatchedOnce', sendByClaim],
  ['sendFailed', 'dispatchFailed', async (store, { id }) => ({ transition: await store.sendFailed(id) })],
  ...ACK_STATUSES.map((status): Row => ['acknowledge', ACK_TRANSITIONS[status], acknowledgeAs(status)]),
  ['enqueue', 'superseded', supersede],
  ['enqueue with replaces', 'superseded', replace],
  ['cancel', 'cancelled', (store, { id }) => store.cancel(id, { by: 'admin', force: false })],
  [
    'cancel with force',
    'cancelledByForce',
    (store, { id }) => store.cancel(id, { by: 'admin', force: true }),
  ],
  ['park', 'parked', park],
  ['replay', 'replayed', replay],
]

function fits({ guarantee, exceptGuarantee }: Transition, given: Guarantee): boolean {
  return (guarantee ?? given) === given && given !== exceptGuarantee
}

/** Returns the first transitions in the table that lead from NOT_DELIVERED to a status; null where a guarantee has none. */
function wayTo(status: Status, guarantee: Guarantee): readonly TransitionName[] | null {
  if (status === 'NOT_DELIVERED') return []
  for (const [, name] of STEPS) {
    const rule: Transition = TRANSITIONS[name]
    if (rule.to !== status || !fits(rule, guarantee)) continue
    const before = rule.from[0] as Status
    const way = wayTo(before, guarantee)
    if (way) return [...way, name]
  }
  return null
}

/** The statuses that a message of each guarantee can have. */
const CASES = GUARANTEES.flatMap((guarantee) =>
  STATUSES.flatMap((from) => {
    const way = wayTo(from, guarantee)
    return way === null ? [] : [[guarantee, from, way] as const]
  }),
)

const REPLY_TO = { producerId: 'boss', correlationId: -7 }

export function transitionContract(open: OpenStore): void {
  describe('transitions', () => {
    const store = useStore(open)

    const putIn = async (
      guarantee: Guarantee,
      way: readonly TransitionName[],
      deviceId = 'pump',
    ): Promise<Subject> => {
      const id = await store.put({ deviceId, guarantee, replyTo: REPLY_TO })
      const subject = { id, deviceId, guarantee }
      for (const name of way) await STEPS.find(([, each]) => each === name)?.[2](store.messages, subject)
      return subject
    }

    test.each(CASES)(
      'each call for a %s message in %s → the status of the table',
      async (guarantee, from, way) => {
        const afterwards: (() => Promise<void>)[] = []
        for (const [n, [call, name, step]] of STEPS.entries()) {
          const rule: Transition = TRANSITIONS[name]
          const isAllowed = rule.from.includes(from) && fits(rule, guarantee)
          const to = isAllowed ? rule.to : from
          const title = `${call}: ${name} → ${to}`
          const subject = await putIn(guarantee, way, `pump-${n}`)
          const { id, deviceId } = subject
          expect(await store.messages.status(id), title).toBe(from)

          const result = await step(store.messages, subject)

          const change = {
            messageId: id,
            deviceId,
            status: to,
            cause: rule.cause,
            details: null,
            order: ORDER,
          }
          const transition = { ...change, replyTo: REPLY_TO }
          expect(result?.transition ?? null, title).toEqual(isAllowed ? transition : null)
          expect(result?.status ?? to, title).toBe(to)
          await expectStatus(subject, to, title)
          afterwards.push(() => expectStatus(subject, to, title))
        }
        await store.reopen()
        for (const expected of afterwards) await expected()
      },
    )

    const expectStatus = async ({ id, deviceId }: Subject, status: Status, title: string): Promise<void> => {
      expect(await store.messages.status(id), title).toBe(status)
      expect((await store.headId(deviceId)) === id, title).toBe(status === 'NOT_DELIVERED')
    }

    test.each([
      ['none', null],
      ['an id of the producer alone', { producerId: null, correlationId: 0 }],
      ['no id of the producer', { producerId: '0', correlationId: null }],
      ['the largest id', { producerId: 'boss', correlationId: Number.MAX_SAFE_INTEGER }],
      ['the smallest id', { producerId: 'boss', correlationId: Number.MIN_SAFE_INTEGER }],
    ])('transition: reply-to is %s → the transition has it, also after a reopen', async (_what, replyTo) => {
      const id = await store.put({ replyTo })
      const delivered = await acknowledge(store.messages, id, 'DELIVERED')
      await store.reopen()
      const completed = await acknowledge(store.messages, id, 'COMPLETED')

      expect([delivered?.transition?.replyTo, completed?.transition?.replyTo]).toEqual([replyTo, replyTo])
    })

    test('superseded: a message that a client replayed → no client made the latest change', async () => {
      const parked = await putIn('RECEIPT_CONFIRMATION', ['parked', 'replayed'])
      expect(await store.record(parked.id)).toMatchObject({ changedBy: 'admin' })

      await supersede(store.messages, parked)

      expect(await store.record(parked.id)).toMatchObject({ status: 'CANCELLED', changedBy: null })
    })

    test('acknowledge: DELIVERED for a device that has the message already → deliveredBy stays', async () => {
      const { id } = await putIn('NO', ['dispatchedOnce', 'dispatchFailed'])
      const { deliveredAtMs } = await store.record(id)

      const status = 'DELIVERED'
      await store.messages.acknowledge({
        deviceId: 'pump',
        messageId: id,
        status,
        by: 'gateway',
        report: null,
      })

      expect(await store.record(id)).toMatchObject({ status: 'DELIVERED', deliveredAtMs, deliveredBy: null })
    })

    test('acknowledge, sendFailed: no message has the id → null', async () => {
      const { id } = await putIn('NO', [])

      expect(await store.messages.sendFailed(id + 1)).toBeNull()
      expect(await acknowledge(store.messages, id + 1, 'DELIVERED')).toBeNull()
      expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
    })

    test.each(ACK_STATUSES)('acknowledge: another device reports %s → null', async (status) => {
      const { id } = await putIn('RECEIPT_CONFIRMATION', [])

      expect(await acknowledge(store.messages, id, status, 'valve')).toBeNull()
      expect(await acknowledge(store.messages, id, status, '')).toBeNull()
      expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
    })

    test('acknowledge: two final statuses at once → one is stored, and both calls return it', async () => {
      const { id } = await putIn('RECEIPT_CONFIRMATION', [])

      const results = await Promise.all([
        acknowledge(store.messages, id, 'COMPLETED'),
        acknowledge(store.messages, id, 'COMPLETED_WITH_ERROR'),
      ])

      const status = await store.messages.status(id)
      expect(results.map((result) => result?.status)).toEqual([status, status])
      expect(results.filter((result) => result?.transition)).toHaveLength(1)
    })
  })
}
