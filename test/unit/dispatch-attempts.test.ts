/** The state machine of dispatch: how long attempts last, which one is the last, and what a new connection ends. */
import { describe, expect, test } from 'vitest'
import {
  attached,
  busy,
  CONNECTED,
  claimed,
  claiming,
  claimOf,
  DEAF,
  flying,
  MAX_ATTEMPTS,
  Machine,
  type Numbers,
  openAttempt,
  RULES,
  removed,
  WAITS,
} from '../_support/dispatch-machine.ts'

describe('the duration of an attempt', () => {
  test.each([
    [1, 30_000],
    [2, 60_000],
    [3, 90_000],
    [4, 120_000],
  ])('attempt %i → %i ms', (counted, durationMs) => {
    const machine = claiming()
    const claim = claimOf(1, 'RECEIPT_CONFIRMATION', { counted })
    expect(machine.on(claimed(claim))).toEqual(['send 1', `wake in ${durationMs}`])
  })

  test('attempt 5 and later ones → five times that of the first', () => {
    const machine = claiming({ ...RULES, maxAttempts: 0 })
    const claim = claimOf(1, 'RECEIPT_CONFIRMATION', { counted: 70 })
    expect(machine.on(claimed(claim))).toEqual(['send 1', 'wake in 150000'])
  })

  test('a deaf device → that of the fifth, from the first on', () => {
    expect(claiming(DEAF).on(claimed(claimOf(1)))).toEqual(['send 1', 'wake in 150000'])
  })
})

describe('the last attempt', () => {
  const last = { counted: MAX_ATTEMPTS }

  test('is over → the message is parked, then the next one claimed', () => {
    const machine = flying(RULES, last)
    expect(machine.pass(149_999)).toEqual(['wake in 1'])
    expect(machine.pass(1)).toEqual(['park 1'])
    expect(machine.state.phase).toBe('PARKING')
    expect(machine.on({ is: 'parked' })).toEqual(['claim'])
  })

  test('no connection accepts the message → parked at once; another message, or twice → nothing', () => {
    const machine = flying(RULES)
    expect(machine.on({ is: 'tooLarge', messageId: 2 })).toEqual([])
    expect(machine.on({ is: 'tooLarge', messageId: 1 })).toEqual(['park 1, TOO_LARGE'])
    expect(machine.on({ is: 'tooLarge', messageId: 1 })).toEqual([])
    // The interval since the dispatch is not over.
    expect(machine.on({ is: 'parked' })).toEqual(['wake in 2000'])
  })

  test('no connection accepts the message, the store refuses the park → the next attempt at the end of this one', () => {
    const machine = flying(RULES)
    machine.on({ is: 'tooLarge', messageId: 1 })
    machine.on({ is: 'failed' })
    expect(machine.pass(30_000).at(-1)).toBe('claim, ended 1 TIMEOUT')
  })

  test('is over, and events arrive before the store answers → one park', () => {
    const machine = flying(RULES, last)
    machine.pass(150_000)
    expect(machine.on({ is: 'added' })).toEqual([])
    expect(machine.on(CONNECTED)).toEqual([])
    expect(machine.on(busy(0))).toEqual([])
    expect(machine.pass(1_000)).toEqual([])
    expect(machine.on({ is: 'parked' })).toEqual(['claim'])
  })

  test('is over, and the message is acknowledged before the store answers → the next is claimed', () => {
    const machine = flying(RULES, last)
    machine.pass(150_000)
    expect(machine.on(removed(1))).toEqual([])
    expect(machine.on({ is: 'parked' })).toEqual(['claim'])
  })

  test('is over, and the store refuses → parked after the pause', () => {
    const machine = flying(RULES, last)
    machine.pass(150_000)
    expect(machine.on({ is: 'failed' })).toEqual(['wake in 5000'])
    expect(machine.pass(5_000)).toEqual(['park 1'])
  })

  test('the store refuses, and the message is acknowledged meanwhile → claimed after the pause', () => {
    const machine = flying(RULES, last)
    machine.pass(150_000)
    machine.on(removed(1))
    expect(machine.on({ is: 'failed' })).toEqual(['wake in 5000'])
    expect(machine.pass(5_000)).toEqual(['claim'])
  })

  test('is over while the interval runs → parked at once', () => {
    const machine = flying({ ...RULES, intervalMs: 600_000 }, last)
    expect(machine.pass(150_000)).toEqual(['park 1'])
    expect(machine.on({ is: 'parked' })).toEqual(['wake in 450000'])
  })

  test('of a device that leaves meanwhile → nothing is claimed', () => {
    const machine = flying(RULES, last)
    machine.pass(150_000)
    machine.on({ is: 'disconnected' })
    expect(machine.on({ is: 'parked' })).toEqual([])
  })

  test.each([
    ['no limit', { ...RULES, maxAttempts: 0 }, last],
    ['a deaf device', DEAF, last],
    ['a longer limit of the message', RULES, { ...last, maxAttempts: 9 }],
  ])('%s → redelivered', (_, rules, numbers) => {
    expect(flying(rules, numbers).pass(150_000)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
  })

  test.each([
    ['shorter than the general one', RULES],
    ['without a general one', { ...RULES, maxAttempts: 0 }],
    ['of a message to a deaf device', DEAF],
  ])('a limit of the message, %s → parked', (_, rules) => {
    expect(flying(rules, { counted: 2, maxAttempts: 2 }).pass(150_000)).toEqual(['park 1'])
  })
})

describe('a deaf device that acknowledges', () => {
  test('another message than the one in flight → its attempt ends as it began, the next one has normal times', () => {
    const machine = flying(DEAF)
    machine.nowMs += 10_000
    expect(machine.apply(RULES)).toEqual(['wake in 140000'])
    expect(machine.pass(140_000)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
    expect(machine.on(claimed(claimOf(1, 'RECEIPT_CONFIRMATION', { counted: 2 })))).toEqual([
      'send 1',
      'wake in 60000',
    ])
  })

  test('another message, while the last attempt runs → parked at its end', () => {
    const machine = flying(DEAF, { counted: MAX_ATTEMPTS })
    machine.apply(RULES)
    expect(machine.pass(150_000)).toEqual(['park 1'])
  })
})

describe('a new connection', () => {
  const reconnect = (machine: Machine, numbers: Numbers, connection = CONNECTED): string[] => {
    machine.nowMs += 10_000
    machine.on(connection)
    return machine.on(attached({ sinceDispatchMs: 10_000, attempt: openAttempt(20_000, numbers) }))
  }

  test.each([1, 2, 3])('attempt %i → ended at once, without a time-out', (counted) => {
    expect(reconnect(flying(RULES, { counted }), { counted })).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('attempt 4 → runs to its end, and is not sent again before', () => {
    const machine = flying(RULES, { counted: 4 })
    expect(reconnect(machine, { counted: 4 })).toEqual(['wake in 20000'])
    expect(machine.hold).toBe('BACK_OFF 1 20000')
    expect(machine.pass(20_000)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
  })

  test('attempt 4, acknowledged by the new connection → the next message', () => {
    const machine = flying(RULES, { counted: 4 })
    reconnect(machine, { counted: 4 })
    expect(machine.on(removed(1))).toEqual(['claim'])
  })

  test('attempt 4, whose time ended without a connection → a time-out', () => {
    const machine = new Machine()
    machine.on(CONNECTED)
    const over = attached({ attempt: openAttempt(0, { counted: 4 }) })
    expect(machine.on(over)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
  })

  test('attempt 1, whose time ended without a connection → no time-out, as long as it may be ended', () => {
    const machine = new Machine()
    expect(machine.on(CONNECTED, attached({ attempt: openAttempt(0) }))).toEqual([
      'claim, ended 1 CONNECTION',
    ])
  })

  test('attempt 2, the last one by the limit of its message → parked', () => {
    const numbers = { counted: 2, maxAttempts: 2 }
    expect(reconnect(flying(RULES, numbers), numbers)).toEqual(['park 1'])
  })

  test('the last attempt, from the fourth on → parked at its end', () => {
    const machine = flying(RULES, { counted: MAX_ATTEMPTS })
    expect(reconnect(machine, { counted: MAX_ATTEMPTS })).toEqual(['wake in 20000'])
    expect(machine.pass(20_000)).toEqual(['park 1'])
  })

  test('a deaf device → each attempt runs to its end, since its number does not grow', () => {
    const machine = flying(DEAF)
    expect(reconnect(machine, {})).toEqual(['wake in 20000'])
    expect(machine.hold).toBe('BACK_OFF 1 20000')
  })

  test('a waiting poll, the only connection → the attempt runs to its end', () => {
    const machine = new Machine()
    machine.on(WAITS)
    expect(machine.on(attached({ attempt: openAttempt(20_000) }))).toEqual(['wake in 20000'])
    expect(machine.hold).toBe('ACKNOWLEDGEMENT 1 20000')
  })

  test('a waiting poll after the end of the attempt → a time-out', () => {
    const machine = new Machine()
    const line = attached({ attempt: openAttempt(0) })
    expect(machine.on(WAITS, line)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
  })

  test('a waiting poll beside another connection → no new lease', () => {
    const machine = flying()
    expect(machine.on(WAITS)).toEqual(['wake in 30000'])
    expect(machine.state.phase).toBe('READY')
  })

  test('a waiting poll after the last connection has closed → a new lease', () => {
    const machine = flying()
    machine.on({ is: 'disconnected' })
    expect(machine.on(WAITS)).toEqual(['attach'])
  })

  test('during the attach of a waiting poll → ends the attempt', () => {
    const machine = new Machine()
    machine.on(WAITS, CONNECTED)
    expect(machine.on(attached({ attempt: openAttempt(20_000) }))).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('during a claim → receives its message, which is then in flight', () => {
    const machine = claiming()
    machine.on(CONNECTED)
    expect(machine.on(claimed(claimOf(1)))).toEqual(['send 1', 'wake in 30000'])
    expect(machine.pass(1_000)).toEqual(['wake in 29000'])
  })

  test('during a claim that finds an attempt in flight → ends the attempt', () => {
    const machine = claiming()
    machine.on(CONNECTED)
    const running = claimed({ is: 'inFlight', attempt: openAttempt(700) })
    expect(machine.on(running)).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('the message is acknowledged during the attach → not reported', () => {
    const machine = new Machine()
    machine.on(CONNECTED, removed(1))
    expect(machine.on(attached({ attempt: openAttempt(20_000, { counted: 4 }) }))).toEqual(['claim'])
  })

  test('the store refuses the attach → the attempt is ended by the next one', () => {
    const machine = flying()
    machine.on(CONNECTED, { is: 'failed' })
    expect(machine.pass(5_000)).toEqual(['attach'])
    expect(machine.on(attached({ attempt: openAttempt(25_000) }))).toEqual(['claim, ended 1 CONNECTION'])
  })
})
