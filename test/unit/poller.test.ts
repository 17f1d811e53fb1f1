/** Plain polls: what each returns, over a store that answers at once and over one that answers later. */
import { beforeEach, describe, expect, test } from 'vitest'
import type {
  AttemptRules,
  Head,
  LineState,
  OpenAttempt,
  Taken,
} from '../../src/broker/contract/device-lease.ts'
import type { MaybePromise, Transitioned } from '../../src/broker/contract/store.ts'
import { Poller } from '../../src/broker/engine/poller.ts'
import { UnansweredMessages } from '../../src/broker/engine/unanswered-messages.ts'
import { isLastAttempt } from '../../src/broker/vocabulary/attempts.ts'
import type { DeviceSettings } from '../../src/broker/vocabulary/device-settings.ts'
import { GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import { HeldClock } from '../_support/clock.ts'

const ATTEMPT_MS = 30_000
const MAX_ATTEMPTS = 3

const numbers = { maxAttempts: null, remainingMs: null, finishSeconds: null }
const PENDING = { id: 1, command: 'start', guarantee: 'RECEIPT_CONFIRMATION' as const, data: '{}' }

const attempt = (runningMs: number, counted = 1, more: Partial<OpenAttempt> = {}): OpenAttempt => {
  return { messageId: 1, number: counted, counted, runningMs, atMs: 7, ...numbers, ...more }
}

/** A store with one queue, whose contents the test sets. */
class FakeStore {
  heads: Head[] = []
  lineState: LineState = { sinceDispatchMs: null, attempt: null, unfinished: [] }
  /** True: another poll is faster, so that nothing is taken. */
  isOvertaken = false
  answersLater = false
  readonly calls: string[] = []
  readonly rules: AttemptRules[] = []
  /** Takes the head in one call, if the test has called `takesFirst`. */
  takeFirst?: (deviceId: string, rules: AttemptRules) => Promise<Taken | null>

  /** Takes the head from now on in one call. */
  takesFirst(): void {
    this.takeFirst = async (_deviceId, rules) => {
      this.calls.push('takeFirst')
      const [head] = this.heads
      return head && head.attempt === null ? this.#begin(head, rules) : null
    }
  }

  head(): MaybePromise<Head | null> {
    this.calls.push('head')
    return this.#answer(this.heads[0] ?? null)
  }

  take(_deviceId: string, head: Head, rules: AttemptRules): MaybePromise<Taken | null> {
    this.calls.push('take')
    return this.#begin(head, rules)
  }

  #begin({ message }: Head, rules: AttemptRules): MaybePromise<Taken | null> {
    this.rules.push(rules)
    if (this.isOvertaken) return this.#answer(null)
    const isNo = message.guarantee === 'NO'
    const change: Transitioned = {
      messageId: message.id,
      deviceId: 'pump',
      status: 'DELIVERED',
      cause: 'HANDED_OVER',
      replyTo: null,
      details: null,
      order: null,
    }
    const dispatched = { ...message, ...numbers, atMs: 9, number: 1, counted: 1 }
    return this.#answer<Taken | null>({ message: dispatched, transition: isNo ? change : null })
  }

  line(): MaybePromise<LineState> {
    this.calls.push('line')
    return this.#answer(this.lineState)
  }

  #answer<T>(value: T): MaybePromise<T> {
    return this.answersLater ? Promise.resolve(value) : value
  }
}

describe.each([
  ['at once', false],
  ['later', true],
])('a poll, whose store answers %s', (_, answersLater) => {
  let store: FakeStore
  let settings: DeviceSettings
  let clock: HeldClock
  let busyMs: number
  let isDeaf: boolean
  let parked: string[]
  let announced: number[]
  let unanswered: UnansweredMessages
  let poller: Poller

  beforeEach(() => {
    store = new FakeStore()
    store.answersLater = answersLater
    settings = GENERAL_SETTINGS
    clock = new HeldClock()
    busyMs = 0
    isDeaf = false
    parked = []
    announced = []
    unanswered = new UnansweredMessages()
    poller = new Poller({
      messages: store,
      deviceSettings: { of: () => settings },
      pauses: { forMs: () => busyMs },
      deaf: { isDeaf: () => isDeaf },
      attempts: { add: () => {} },
      isLast: (_, attempt) => isLastAttempt(attempt, settings.maxAttempts ?? MAX_ATTEMPTS, isDeaf),
      timedOut: (deviceId, messageId, ended) => unanswered.attemptEnded(deviceId, messageId, ended),
      async park(deviceId, messageId, number, hasOwnLimit) {
        parked.push(`${deviceId} ${messageId} ${number} ${hasOwnLimit}`)
        store.heads.shift()
        return true
      },
      announce: ({ messageId }) => announced.push(messageId),
      ...{ attemptMs: ATTEMPT_MS, clock, log: { debug() {} } },
    })
  })

  const pollId = async () => (await poller.poll('pump'))?.id ?? null

  test('nothing is pending → null', async () => {
    expect(await pollId()).toBeNull()
    expect(store.calls).toEqual(['head'])
  })

  test('a message is pending → taken; no further call, and a promise only if the store makes one', async () => {
    store.heads = [{ message: PENDING, attempt: null }]
    const polled = poller.poll('pump')
    expect(polled instanceof Promise).toBe(answersLater)
    expect(await polled).toMatchObject({ id: 1, atMs: 9, number: 1 })
    expect(store.calls).toEqual(['head', 'take'])
    const durationsMs = [1, 2, 3, 4, 5].map((multiple) => multiple * ATTEMPT_MS)
    expect(store.rules).toEqual([{ durationsMs, paced: false, deaf: false }])
    expect(announced).toEqual([])
  })

  test('the store takes the first message in one call, a message was added → one call', async () => {
    store.takesFirst()
    store.heads = [{ message: { ...PENDING, guarantee: 'NO' }, attempt: null }]
    poller.added('pump')
    expect(await poller.poll('pump')).toMatchObject({ id: 1, atMs: 9, number: 1 })
    expect(store.calls).toEqual(['takeFirst'])
    expect(announced).toEqual([1])

    store.heads = []
    expect(await pollId()).toBeNull()
    expect(store.calls).toEqual(['takeFirst', 'head'])
  })

  test('the store takes the first message in one call, and no message was added → a look, which writes nothing', async () => {
    store.takesFirst()
    expect(await pollId()).toBeNull()
    poller.added('lamp')
    expect(await pollId()).toBeNull()
    expect(store.calls).toEqual(['head', 'head'])
  })

  test('the store takes the first message in one call, an attempt runs → joined', async () => {
    store.takesFirst()
    store.heads = [{ message: PENDING, attempt: attempt(1) }]
    poller.added('pump')
    expect(await pollId()).toBe(1)
    expect(store.calls).toEqual(['takeFirst', 'head'])
  })

  test('the store takes the first message in one call, the device is busy or paced → its rules hold', async () => {
    store.takesFirst()
    store.heads = [{ message: PENDING, attempt: null }]
    poller.added('pump')
    busyMs = 1
    expect(await pollId()).toBeNull()
    busyMs = 0
    settings = { ...GENERAL_SETTINGS, sendMessagePeriodMs: 1_000 }
    store.lineState = { sinceDispatchMs: 1, attempt: null, unfinished: [] }
    poller.added('pump')
    expect(await pollId()).toBeNull()
    expect(store.calls).toEqual(['head', 'line'])
  })

  test('a NO message is pending → taken, and announced as DELIVERED', async () => {
    store.heads = [{ message: { ...PENDING, guarantee: 'NO' }, attempt: null }]
    expect(await pollId()).toBe(1)
    expect(announced).toEqual([1])
  })

  test('an attempt runs → joined: the same message with its numbers, and nothing is stored', async () => {
    store.heads = [{ message: PENDING, attempt: attempt(1, MAX_ATTEMPTS) }]
    expect(await poller.poll('pump')).toMatchObject({ id: 1, number: MAX_ATTEMPTS, atMs: 1_000_000 })
    expect(store.calls).toEqual(['head'])
    expect(parked).toEqual([])
  })

  test('an attempt is over → the next one; the message is unanswered', async () => {
    store.heads = [{ message: PENDING, attempt: attempt(0, 2) }]
    expect(await pollId()).toBe(1)
    expect(store.calls).toEqual(['head', 'take'])
    expect(unanswered.of('pump')).toEqual({ deviceId: 'pump', messageId: 1, times: 2, sinceMs: 7, lastMs: 7 })
  })

  test('the last attempt is over → parked, and the next message returned', async () => {
    const next = { message: { ...PENDING, id: 2 }, attempt: null }
    store.heads = [{ message: PENDING, attempt: attempt(0, MAX_ATTEMPTS) }, next]
    expect(await pollId()).toBe(2)
    expect(parked).toEqual(['pump 1 3 false'])
  })

  test('the last attempt by the limit of the device, or of the message → parked', async () => {
    settings = { ...GENERAL_SETTINGS, maxAttempts: 1 }
    store.heads = [{ message: PENDING, attempt: attempt(0, 1) }]
    expect(await pollId()).toBeNull()
    store.heads = [{ message: PENDING, attempt: attempt(0, 2, { maxAttempts: 2 }) }]
    expect(await pollId()).toBeNull()
    expect(parked).toEqual(['pump 1 1 false', 'pump 1 2 true'])
  })

  test('the device is deaf → not parked; the attempt is the longest', async () => {
    isDeaf = true
    store.heads = [{ message: PENDING, attempt: attempt(0, MAX_ATTEMPTS) }]
    expect(await pollId()).toBe(1)
    expect(store.rules).toEqual([{ durationsMs: [5 * ATTEMPT_MS], paced: false, deaf: true }])
  })

  test('the device is busy → null, without a look at the queue', async () => {
    busyMs = 1
    store.heads = [{ message: PENDING, attempt: attempt(20_000) }]
    expect(await pollId()).toBeNull()
    expect(store.calls).toEqual([])
  })

  test('another poll is always faster → null after a bounded number of looks', async () => {
    store.heads = [{ message: PENDING, attempt: null }]
    store.isOvertaken = true
    expect(await pollId()).toBeNull()
    expect(store.calls.length).toBeLessThanOrEqual(200)
  })

  describe('of a device with an interval of its own', () => {
    const since = (sinceDispatchMs: number | null): void => {
      store.lineState = { ...store.lineState, sinceDispatchMs }
    }

    beforeEach(() => {
      settings = { ...GENERAL_SETTINGS, sendMessagePeriodMs: 5_000 }
      store.heads = [{ message: PENDING, attempt: null }]
    })

    test.each([
      [null, 1],
      [4_999, null],
      [5_000, 1],
    ])('%s ms after the latest dispatch → %s', async (ms, id) => {
      since(ms)
      expect(await pollId()).toBe(id)
    })

    test('the dispatch → paced', async () => {
      await pollId()
      expect(store.rules).toMatchObject([{ paced: true }])
    })

    test('the same message again → not held', async () => {
      since(100)
      store.heads = [{ message: PENDING, attempt: attempt(29_900) }]
      expect(await pollId()).toBe(1)
      expect(store.calls).toEqual(['head'])
    })

    test('a further attempt within the interval → held; a park is not', async () => {
      settings = { ...settings, sendMessagePeriodMs: 3_600_000 }
      since(30_000)
      store.heads = [{ message: PENDING, attempt: attempt(0, 1) }]
      expect(await pollId()).toBeNull()
      store.heads = [{ message: PENDING, attempt: attempt(0, MAX_ATTEMPTS) }]
      expect(await pollId()).toBeNull()
      expect(parked).toEqual(['pump 1 3 false'])
    })

    test('the wall clock was set back, so that the dispatch is in the future → held for one interval', async () => {
      since(0)
      expect(await pollId()).toBeNull()
      clock.advance(4_999)
      expect(await pollId()).toBeNull()
      clock.advance(1)
      expect(await pollId()).toBe(1)
      expect(await pollId()).toBeNull()
    })

    test('an interval of 0 → never held, and not paced', async () => {
      settings = { ...settings, sendMessagePeriodMs: 0 }
      since(0)
      expect(await pollId()).toBe(1)
      expect(store.calls).toEqual(['head', 'take'])
      expect(store.rules).toMatchObject([{ paced: false }])
    })
  })

  describe('of a device whose next command follows the end of the one before', () => {
    beforeEach(() => {
      settings = { ...GENERAL_SETTINGS, nextAfter: 'COMPLETED' }
      store.heads = [{ message: PENDING, attempt: null }]
    })

    test('a message is unfinished → null; it ends → the next one, not paced', async () => {
      store.lineState = { ...store.lineState, unfinished: [{ messageId: 9, forMs: 1 }] }
      expect(await pollId()).toBeNull()
      store.lineState = { ...store.lineState, unfinished: [] }
      expect(await pollId()).toBe(1)
      expect(store.rules).toMatchObject([{ paced: false }])
    })

    test('the wall clock was set back, so that the whole finish time is always left → held for one finish time', async () => {
      store.lineState = { ...store.lineState, unfinished: [{ messageId: 9, forMs: 5_000 }] }
      expect(await pollId()).toBeNull()
      clock.advance(4_999)
      expect(await pollId()).toBeNull()
      clock.advance(1)
      expect(await pollId()).toBe(1)
      store.lineState = { ...store.lineState, unfinished: [{ messageId: 10, forMs: 5_000 }] }
      expect(await pollId()).toBeNull()
    })

    test('the finish time of the unfinished one is over → the next one', async () => {
      store.lineState = { ...store.lineState, unfinished: [{ messageId: 9, forMs: 0 }] }
      expect(await pollId()).toBe(1)
    })
  })
})
