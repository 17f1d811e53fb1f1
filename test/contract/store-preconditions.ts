/**
 * The part of the storage contract about which change applies to which message: the calls of clients and devices, to messages in
 * each state, dispatched or not, before and after their validity. The rule is {@link applies}, and each driver must agree.
 */
import { describe, expect, test } from 'vitest'
import type { MessageStore } from '../../src/broker/contract/store.ts'
import {
  ACK_STATUSES,
  ACK_TRANSITIONS,
  applies,
  cancellation,
  GUARANTEES,
  type Guarantee,
  type TransitionFacts,
  type TransitionName,
} from '../../src/broker/vocabulary/status.ts'
import {
  ATTEMPT_MS,
  acknowledge,
  claimMessage,
  ended,
  limits,
  type OpenStore,
  type StoreInUse,
  take,
  terms,
  useStore,
} from './store-under-test.ts'

/** Validity of the messages, longer than an attempt. */
const VALID_MS = 6 * ATTEMPT_MS

/** The state of a message before the call. */
type State = Pick<TransitionFacts, 'status' | 'cause' | 'wasDispatched'>

/** Brings a new message into its state. */
type Way = (store: StoreInUse, id: number, guarantee: Guarantee) => Promise<unknown>

const attempt: Way = async (store) => {
  const { message } = await claimMessage(await store.messages.attach('pump', 'MQTT'))
  await store.messages.endAttempt('pump', ended(message))
}
const park: Way = async (store, id) => {
  await claimMessage(await store.messages.attach('pump', 'MQTT'))
  await store.messages.park('pump', { messageId: id, number: 1 })
}
const finishLate: Way = async (store, id) => {
  await acknowledge(store.messages, id, 'DELIVERED')
  store.clock.advance(2_000)
  await store.messages.expire(1_000)
}
const breakOff: Way = async (store, id) => {
  await take(store.messages, id, { guarantee: 'NO' })
  await store.messages.sendFailed(id)
}

/** States, the guarantees with which a message comes into them, and the way there. */
const STATES: readonly (readonly [State, readonly Guarantee[], Way])[] = [
  [{ status: 'NOT_DELIVERED', cause: null, wasDispatched: false }, GUARANTEES, async () => {}],
  [
    { status: 'NOT_DELIVERED', cause: null, wasDispatched: true },
    ['RECEIPT_CONFIRMATION', 'ONLY_LAST'],
    attempt,
  ],
  [
    { status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED', wasDispatched: true },
    ['RECEIPT_CONFIRMATION', 'ONLY_LAST'],
    park,
  ],
  [{ status: 'UNKNOWN', cause: 'NOT_FINISHED', wasDispatched: false }, ['RECEIPT_CONFIRMATION'], finishLate],
  [{ status: 'UNKNOWN', cause: 'CONNECTION_BROKE', wasDispatched: true }, ['NO'], breakOff],
  ...ACK_STATUSES.map(
    (status) =>
      [
        { status, cause: null, wasDispatched: false },
        ['RECEIPT_CONFIRMATION', 'ONLY_LAST'],
        (store: StoreInUse, id: number) => acknowledge(store.messages, id, status),
      ] as const,
  ),
  [
    { status: 'CANCELLED', cause: 'CANCELLED', wasDispatched: false },
    GUARANTEES,
    (store, id) => store.messages.cancel(id, { by: null, force: true }),
  ],
]

/** Calls, and what each does to a message. Returns whether the call changed the status. */
type Call = readonly [name: TransitionName, call: (store: MessageStore, id: number) => Promise<boolean>]

const CALLS: readonly Call[] = [
  ...[false, true].map(
    (force): Call => [
      cancellation(force),
      async (store, id) => (await store.cancel(id, { by: 'admin', force }))?.transition != null,
    ],
  ),
  [
    'replayed',
    async (store, id) => (await store.replay(id, { by: 'admin', limits: limits(10) }))?.is === 'replayed',
  ],
  ...ACK_STATUSES.map(
    (status): Call => [
      ACK_TRANSITIONS[status],
      async (store, id) => (await acknowledge(store, id, status))?.transition != null,
    ],
  ),
]

const CASES = STATES.flatMap(([state, guarantees, way]) =>
  guarantees.flatMap((guarantee) =>
    [false, true].map((isExpired) => {
      const facts: TransitionFacts = { ...state, guarantee, isExpired }
      const { status, cause, wasDispatched } = state
      const title = `${guarantee} in ${status} (${cause}), ${wasDispatched ? '' : 'never '}dispatched, ${isExpired ? 'past its validity' : 'valid'}`
      return [title, facts, way] as const
    }),
  ),
)

export function preconditionContract(open: OpenStore): void {
  describe('preconditions', () => {
    const store = useStore(open)

    test.each(CASES)(
      'preconditions: %s → each call applies as the table says',
      async (_title, facts, way) => {
        const { guarantee, isExpired } = facts
        const found: Record<string, boolean> = {}
        for (const [name, call] of CALLS) {
          const id = await store.put({
            guarantee,
            terms: terms({ validSeconds: VALID_MS / 1_000, finishSeconds: 1 }),
          })
          await way(store, id, guarantee)
          if (isExpired) store.clock.advance(VALID_MS)
          found[name] = await call(store.messages, id)
          // The next message must be the only one that may be dispatched.
          await acknowledge(store.messages, id, 'COMPLETED')
          await store.messages.cancel(id, { by: null, force: true })
        }
        expect(found).toEqual(Object.fromEntries(CALLS.map(([name]) => [name, applies(name, facts)])))
      },
    )
  })
}
