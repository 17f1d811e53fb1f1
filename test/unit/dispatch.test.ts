/** The state machine of dispatch: a table of its transitions, and random walks over a model of a store. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GENERAL_SETTINGS } from '../../src/broker/device-settings.ts'
import { holdOf, next } from '../../src/broker/dispatch.ts'
import { type DispatchRules, generalRules, rulesFor } from '../../src/broker/dispatch-rules.ts'
import {
  DETACHED,
  type DispatchEvent,
  type DispatchState,
  type Effect,
} from '../../src/broker/dispatch-state.ts'
import type { DispatchedMessage } from '../../src/broker/message.ts'
import type { Guarantee } from '../../src/broker/status.ts'
import type { Claim, LineState, OpenAttempt } from '../../src/broker/store.ts'

const MAX_ATTEMPTS = 5
const RULES = generalRules({ intervalMs: 2_000, attemptMs: 30_000, maxAttempts: MAX_ATTEMPTS })
const DEAF = rulesFor(GENERAL_SETTINGS, RULES, { isDeaf: true, onlyPolls: false })
const ORDERED: DispatchRules = { ...RULES, nextAfterCompleted: true }

interface Numbers {
  readonly counted?: number
  readonly maxAttempts?: number | null
}

const messageOf = (id: number, guarantee: Guarantee, { counted = 1, maxAttempts = null }: Numbers = {}) => {
  const attempt = { number: counted, counted, maxAttempts, remainingMs: null, finishSeconds: null }
  return { id, command: 'start', guarantee, data: '{}', atMs: 1_000 + id, ...attempt }
}

const claimOf = (id: number, guarantee: Guarantee = 'RECEIPT_CONFIRMATION', numbers?: Numbers): Claim => {
  return { is: 'message', message: messageOf(id, guarantee, numbers), recorded: null, transition: null }
}

/** The attempt with message 1 that the store reports. */
const open = (runningMs: number, { counted = 1, maxAttempts = null }: Numbers = {}): OpenAttempt => {
  const numbers = { number: counted, counted, maxAttempts, remainingMs: null, finishSeconds: null }
  return { messageId: 1, runningMs, atMs: 1_001, ...numbers }
}

const lineOf = (line: Partial<LineState> = {}): LineState => {
  return { sinceDispatchMs: null, attempt: null, unfinished: [], ...line }
}

const attached = (line?: Partial<LineState>): DispatchEvent => ({ is: 'attached', line: lineOf(line) })
const claimed = (claim: Claim): DispatchEvent => ({ is: 'claimed', claim })
const removed = (messageId: number): DispatchEvent => ({ is: 'removed', messageId })
const busy = (forMs: number): DispatchEvent => ({ is: 'busy', forMs })
const unfinished = (messageId: number, forMs: number | null): DispatchEvent => {
  return { is: 'unfinished', messageId, forMs }
}

const CONNECTED: DispatchEvent = { is: 'connected', keepsAttempt: false }
const WAITS: DispatchEvent = { is: 'connected', keepsAttempt: true }
const EMPTY = claimed({ is: 'empty', dueInMs: null })

/** A machine with a clock that the test moves. */
class Machine {
  state: DispatchState = DETACHED
  nowMs = 10_000
  rules: DispatchRules

  constructor(rules = RULES) {
    this.rules = rules
  }

  /** Raises events at the present time. Returns the effects of the last one, in words. */
  on(...events: DispatchEvent[]): string[] {
    let effects: readonly Effect[] = []
    for (const event of events) [this.state, effects] = next(this.state, event, this.nowMs, this.rules)
    return effects.map((effect) => this.#inWords(effect))
  }

  pass(ms: number): string[] {
    this.nowMs += ms
    return this.on({ is: 'timer' })
  }

  /** The device has another interval from now on. */
  pace(intervalMs: number): string[] {
    return this.apply({ ...this.rules, intervalMs })
  }

  /** The device has other rules from now on. */
  apply(rules: DispatchRules): string[] {
    this.rules = rules
    return this.on({ is: 'timer' })
  }

  get hold(): string {
    const { is, messageId, forMs } = holdOf(this.state, this.nowMs, this.rules)
    return [is, messageId, forMs].filter((each) => each !== null && each !== 0).join(' ')
  }

  #inWords(effect: Effect): string {
    if (effect.is === 'claim') return effect.ended ? `claim, ended ${ended(effect.ended)}` : 'claim'
    if (effect.is === 'send') return `send ${effect.message.id}`
    if (effect.is === 'ackTimeout') return `missed ${effect.flight.id}`
    if (effect.is === 'park') return `park ${effect.flight.id}`
    if (effect.is === 'wake') return `wake in ${effect.atMs - this.nowMs}`
    return effect.is
  }
}

const ended = ({ messageId, outcome }: { messageId: number; outcome: string }): string =>
  `${messageId} ${outcome}`

/** A connected device whose claim is on its way. */
function claiming(rules?: DispatchRules): Machine {
  const machine = new Machine(rules)
  machine.on(CONNECTED, attached())
  return machine
}

/** A connected device with message 1 in flight. */
function flying(rules?: DispatchRules, numbers?: Numbers): Machine {
  const machine = claiming(rules)
  machine.on(claimed(claimOf(1, 'RECEIPT_CONFIRMATION', numbers)))
  return machine
}

describe('a device that connects', () => {
  test('first connection → attach, then claim at once', () => {
    const machine = new Machine()
    expect(machine.on(CONNECTED)).toEqual(['attach'])
    expect(machine.state.phase).toBe('ATTACHING')
    expect(machine.on(attached())).toEqual(['claim'])
    expect(machine.state.phase).toBe('CLAIMING')
  })

  test('an event before the lease is attached → claimed once', () => {
    const machine = new Machine()
    machine.on(CONNECTED)
    expect(machine.on({ is: 'added' })).toEqual([])
    expect(machine.on(CONNECTED)).toEqual([])
    expect(machine.on(attached())).toEqual(['claim'])
  })

  test('another node, or the node before a restart, dispatched 500 ms ago → the rest of the interval', () => {
    const machine = new Machine()
    machine.on(CONNECTED)
    expect(machine.on(attached({ sinceDispatchMs: 500 }))).toEqual(['wake in 1500'])
    expect(machine.hold).toBe('PACING 1500')
    expect(machine.pass(1_499)).toEqual(['wake in 1'])
    expect(machine.pass(1)).toEqual(['claim'])
  })

  test('an attempt of an earlier connection is in flight → the claim ends it', () => {
    const machine = new Machine()
    expect(machine.on(CONNECTED, attached({ attempt: open(20_000) }))).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('the store refuses the attach → attaches again after the pause', () => {
    const machine = new Machine()
    expect(machine.on(CONNECTED, { is: 'failed' })).toEqual(['wake in 5000'])
    expect(machine.hold).toBe('RETRYING 5000')
    expect(machine.pass(5_000)).toEqual(['attach'])
  })

  test('a second connection → the message in flight is redelivered, after the interval', () => {
    const machine = flying()
    machine.nowMs += 100
    expect(machine.on(CONNECTED)).toEqual(['attach'])
    expect(machine.on(attached({ sinceDispatchMs: 100, attempt: open(29_900) }))).toEqual(['wake in 1900'])
    expect(machine.pass(1_900)).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('a second connection after a missed acknowledgement → the time-out is still reported', () => {
    const machine = flying()
    machine.nowMs += 30_000
    machine.on({ is: 'timer' }, { is: 'failed' })
    expect(machine.on(CONNECTED, attached({ sinceDispatchMs: 30_000, attempt: open(0) }))).toEqual([
      'wake in 5000',
    ])
    expect(machine.pass(5_000)).toEqual(['claim, ended 1 TIMEOUT'])
  })
})

describe('a device that leaves', () => {
  test('no claim is running → nothing is claimed', () => {
    const machine = flying()
    expect(machine.on({ is: 'disconnected' })).toEqual([])
    expect(machine.on({ is: 'removed', messageId: 1 })).toEqual([])
    expect(machine.pass(60_000)).toEqual([])
  })

  test('a claim is running → its message is sent, since a NO message would be lost', () => {
    const machine = claiming()
    machine.on({ is: 'disconnected' })
    expect(machine.on(claimed(claimOf(1, 'NO')))).toEqual(['send 1'])
  })

  test('connects again → the interval holds', () => {
    const machine = flying()
    machine.on({ is: 'removed', messageId: 1 }, { is: 'disconnected' }, CONNECTED)
    expect(machine.on(attached())).toEqual(['wake in 2000'])
  })
})

describe('a claim', () => {
  test('returns a message → send it, wait for its acknowledgement', () => {
    const machine = claiming()
    expect(machine.on(claimed(claimOf(1)))).toEqual(['send 1', 'wake in 30000'])
    expect(machine.hold).toBe('ACKNOWLEDGEMENT 1 30000')
  })

  test('returns a NO message → send it, and the next after the interval', () => {
    const machine = claiming()
    expect(machine.on(claimed(claimOf(1, 'NO')))).toEqual(['send 1', 'wake in 2000'])
    expect(machine.hold).toBe('PACING 2000')
    expect(machine.pass(2_000)).toEqual(['claim'])
  })

  test('finds nothing → idle until a message is added', () => {
    const machine = claiming()
    expect(machine.on(EMPTY)).toEqual([])
    expect(machine.hold).toBe('IDLE')
    expect(machine.on({ is: 'added' })).toEqual(['claim'])
  })

  test('finds nothing, and a message was added meanwhile → claims again', () => {
    const machine = claiming()
    machine.on({ is: 'added' })
    expect(machine.on(EMPTY)).toEqual(['claim'])
  })

  test('finds an attempt in flight, which a poll began → waits for its end, then reports it', () => {
    const machine = claiming()
    expect(machine.on(claimed({ is: 'inFlight', attempt: open(700) }))).toEqual(['wake in 700'])
    expect(machine.hold).toBe('ACKNOWLEDGEMENT 1 700')
    expect(machine.pass(700)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
  })

  test('finds an attempt whose time is over → reports its end at once', () => {
    const machine = claiming()
    const over = claimed({ is: 'inFlight', attempt: open(0) })
    expect(machine.on(over)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
  })

  test('finds an attempt in flight, and its message left the queue meanwhile → claims again', () => {
    const machine = claiming()
    machine.on(removed(1))
    expect(machine.on(claimed({ is: 'inFlight', attempt: open(700) }))).toEqual(['claim'])
  })

  test('is refused → claims again after the pause, with the same ended attempt', () => {
    const machine = flying()
    expect(machine.pass(30_000)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
    expect(machine.on({ is: 'failed' })).toEqual(['wake in 5000'])
    expect(machine.pass(5_000)).toEqual(['claim, ended 1 TIMEOUT'])
  })

  test('is refused, and the message was acknowledged meanwhile → claims again without the ended attempt', () => {
    const machine = flying()
    machine.pass(30_000)
    machine.on({ is: 'removed', messageId: 1 }, { is: 'failed' })
    expect(machine.pass(5_000)).toEqual(['claim'])
  })

  test('finds the lease lost → disconnects, and does nothing until a new connection', () => {
    const machine = claiming()
    expect(machine.on(claimed({ is: 'lost' }))).toEqual(['disconnect'])
    expect(machine.on({ is: 'added' }, { is: 'timer' })).toEqual([])
    expect(machine.on(CONNECTED)).toEqual(['attach'])
  })
})

describe('a message that leaves its queue', () => {
  test('in flight → the next after the interval', () => {
    const machine = flying()
    expect(machine.on({ is: 'removed', messageId: 1 })).toEqual(['wake in 2000'])
    expect(machine.pass(2_000)).toEqual(['claim'])
  })

  test('in flight for longer than the interval → the next at once', () => {
    const machine = flying()
    machine.nowMs += 2_000
    expect(machine.on({ is: 'removed', messageId: 1 })).toEqual(['claim'])
  })

  test('not the one in flight → nothing changes', () => {
    const machine = flying()
    expect(machine.on({ is: 'removed', messageId: 2 })).toEqual(['wake in 30000'])
  })

  test('timed out, before the claim that reports it → the claim reports nothing', () => {
    const machine = flying({ ...RULES, intervalMs: 60_000 })
    expect(machine.pass(30_000)).toEqual(['missed 1', 'wake in 30000'])
    machine.on({ is: 'removed', messageId: 1 })
    expect(machine.pass(30_000)).toEqual(['claim'])
  })

  test('during the claim that returns it → not sent, the attempt is reported as ended', () => {
    const machine = claiming()
    machine.on({ is: 'removed', messageId: 1 })
    expect(machine.on(claimed(claimOf(1)))).toEqual(['wake in 2000'])
    expect(machine.pass(2_000)).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('a NO message, removed by its own claim → sent', () => {
    const machine = claiming()
    machine.on({ is: 'removed', messageId: 1 })
    expect(machine.on(claimed(claimOf(1, 'NO')))).toEqual(['send 1', 'wake in 2000'])
  })
})

describe('a missing acknowledgement', () => {
  test('the attempt is over → counted, and the message is claimed again', () => {
    const machine = flying()
    expect(machine.pass(29_999)).toEqual(['wake in 1'])
    expect(machine.pass(1)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
    expect(machine.on(claimed(claimOf(1)))).toEqual(['send 1', 'wake in 30000'])
  })

  test('a message is added meanwhile → nothing, since the end of the attempt claims', () => {
    expect(flying().on({ is: 'added' })).toEqual([])
  })
})

describe('an interval that changes', () => {
  test('shorter, while pacing → the rest of the shorter one', () => {
    const machine = flying()
    machine.on({ is: 'removed', messageId: 1 })
    machine.nowMs += 300
    expect(machine.pace(500)).toEqual(['wake in 200'])
    expect(machine.hold).toBe('PACING 200')
    expect(machine.pass(200)).toEqual(['claim'])
  })

  test('shorter than the time since the dispatch → the claim at once', () => {
    const machine = flying()
    machine.on({ is: 'removed', messageId: 1 })
    machine.nowMs += 500
    expect(machine.pace(500)).toEqual(['claim'])
  })

  test('longer, while pacing → the rest of the longer one, also when the earlier wake comes', () => {
    const machine = flying()
    machine.on({ is: 'removed', messageId: 1 })
    expect(machine.pace(5_000)).toEqual(['wake in 5000'])
    expect(machine.pass(2_000)).toEqual(['wake in 3000'])
    expect(machine.hold).toBe('PACING 3000')
  })

  test('while a message is in flight → its acknowledgement first', () => {
    const machine = flying()
    expect(machine.pace(0)).toEqual(['wake in 30000'])
    expect(machine.on({ is: 'removed', messageId: 1 })).toEqual(['claim'])
  })

  test('while a claim is on its way → from its dispatch on', () => {
    const machine = claiming()
    expect(machine.pace(5_000)).toEqual([])
    expect(machine.on(claimed(claimOf(1, 'NO')))).toEqual(['send 1', 'wake in 5000'])
  })

  test('of a device without connection, or with nothing to dispatch → nothing', () => {
    expect(new Machine().pace(0)).toEqual([])
    const machine = claiming()
    machine.on(EMPTY)
    expect(machine.pace(0)).toEqual([])
  })
})

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
    return machine.on(attached({ sinceDispatchMs: 10_000, attempt: open(20_000, numbers) }))
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
    const over = attached({ attempt: open(0, { counted: 4 }) })
    expect(machine.on(over)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
  })

  test('attempt 1, whose time ended without a connection → no time-out, as long as it may be ended', () => {
    const machine = new Machine()
    expect(machine.on(CONNECTED, attached({ attempt: open(0) }))).toEqual(['claim, ended 1 CONNECTION'])
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
    expect(machine.on(attached({ attempt: open(20_000) }))).toEqual(['wake in 20000'])
    expect(machine.hold).toBe('ACKNOWLEDGEMENT 1 20000')
  })

  test('a waiting poll after the end of the attempt → a time-out', () => {
    const machine = new Machine()
    const line = attached({ attempt: open(0) })
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
    expect(machine.on(attached({ attempt: open(20_000) }))).toEqual(['claim, ended 1 CONNECTION'])
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
    const running = claimed({ is: 'inFlight', attempt: open(700) })
    expect(machine.on(running)).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('the message is acknowledged during the attach → not reported', () => {
    const machine = new Machine()
    machine.on(CONNECTED, removed(1))
    expect(machine.on(attached({ attempt: open(20_000, { counted: 4 }) }))).toEqual(['claim'])
  })

  test('the store refuses the attach → the attempt is ended by the next one', () => {
    const machine = flying()
    machine.on(CONNECTED, { is: 'failed' })
    expect(machine.pass(5_000)).toEqual(['attach'])
    expect(machine.on(attached({ attempt: open(25_000) }))).toEqual(['claim, ended 1 CONNECTION'])
  })
})

describe('a busy device', () => {
  test('nothing in flight → no claim before the end of the pause', () => {
    const machine = claiming()
    machine.on(EMPTY, busy(60_000))
    expect(machine.on({ is: 'added' })).toEqual([])
    expect(machine.hold).toBe('BUSY 60000')
    expect(machine.pass(59_999)).toEqual(['wake in 1'])
    expect(machine.pass(1)).toEqual(['claim'])
  })

  test('a message in flight → its attempt ends and is not reported, since the store ended it', () => {
    const machine = flying()
    expect(machine.on(busy(60_000))).toEqual(['wake in 60000'])
    expect(machine.hold).toBe('BUSY 60000')
    expect(machine.pass(60_000)).toEqual(['claim'])
  })

  test('ends the pause → the claim at once', () => {
    const machine = flying()
    machine.on(busy(60_000))
    machine.nowMs += 5_000
    expect(machine.on(busy(0))).toEqual(['claim'])
  })

  test('ends no pause → the message in flight stays in flight', () => {
    expect(flying().on(busy(0))).toEqual(['wake in 30000'])
  })

  test('a shorter pause after a longer one → the shorter one', () => {
    const machine = flying()
    machine.on(busy(60_000))
    expect(machine.on(busy(10_000))).toEqual(['wake in 10000'])
  })

  test('during the claim that returns a message → not sent, the attempt is ended after the pause', () => {
    const machine = claiming()
    expect(machine.on(busy(60_000))).toEqual([])
    expect(machine.on(claimed(claimOf(1)))).toEqual(['wake in 60000'])
    expect(machine.pass(60_000)).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('during the claim that returns a NO message → sent, since it would be lost', () => {
    const machine = claiming()
    machine.on(busy(60_000))
    expect(machine.on(claimed(claimOf(1, 'NO')))).toEqual(['send 1', 'wake in 60000'])
  })

  test('during the attach, whose attempt the pause ended → the claim after the pause', () => {
    const machine = new Machine()
    machine.on(WAITS, busy(60_000))
    expect(machine.on(attached({ attempt: open(20_000) }))).toEqual(['wake in 60000'])
    expect(machine.pass(60_000)).toEqual(['claim'])
  })

  test('before the claim that reports a time-out → the claim reports nothing', () => {
    const machine = flying({ ...RULES, intervalMs: 60_000 })
    expect(machine.pass(30_000)).toEqual(['missed 1', 'wake in 30000'])
    machine.on(busy(60_000))
    expect(machine.pass(60_000)).toEqual(['claim'])
  })

  test('while a message is being parked → the store decides, then the pause', () => {
    const machine = flying(RULES, { counted: MAX_ATTEMPTS })
    machine.pass(150_000)
    expect(machine.on(busy(60_000))).toEqual([])
    expect(machine.on({ is: 'parked' })).toEqual(['wake in 60000'])
  })

  test('before it connects → no claim before the end of the pause', () => {
    const machine = new Machine()
    machine.on(busy(60_000))
    expect(machine.on(CONNECTED, attached())).toEqual(['wake in 60000'])
  })
})

describe('a delayed message', () => {
  const later = claimed({ is: 'empty', dueInMs: 10_000 })

  test('is the only one → claimed when it is due', () => {
    const machine = claiming()
    expect(machine.on(later)).toEqual(['wake in 10000'])
    expect(machine.hold).toBe('LATER 10000')
    expect(machine.pass(9_999)).toEqual(['wake in 1'])
    expect(machine.pass(1)).toEqual(['claim'])
  })

  test('another message is added → claimed at once', () => {
    const machine = claiming()
    machine.on(later)
    expect(machine.on({ is: 'added' })).toEqual(['claim'])
    expect(machine.on(claimed(claimOf(1)))).toEqual(['send 1', 'wake in 30000'])
    expect(machine.hold).toBe('ACKNOWLEDGEMENT 1 30000')
  })

  test('is due while another one is in flight → does not interrupt it', () => {
    const machine = claiming()
    machine.on(later, { is: 'added' }, claimed(claimOf(1)))
    expect(machine.pass(10_000)).toEqual(['wake in 20000'])
  })

  test('was cancelled → no wake for it', () => {
    const machine = claiming()
    machine.on(later, { is: 'added' })
    expect(machine.on(EMPTY)).toEqual([])
    expect(machine.hold).toBe('IDLE')
  })

  test('is due in no time, though the claim found nothing → no loop', () => {
    expect(claiming().on(claimed({ is: 'empty', dueInMs: 0 }))).toEqual(['wake in 1'])
  })
})

describe('a device whose next command follows the end of the one before', () => {
  test('a message is DELIVERED → the next one after its end', () => {
    const machine = flying(ORDERED)
    machine.nowMs += 5_000
    expect(machine.on(unfinished(1, 600_000), removed(1))).toEqual(['wake in 600000'])
    expect(machine.hold).toBe('UNFINISHED 600000')
    expect(machine.on(unfinished(1, null))).toEqual(['claim'])
  })

  test('a message is unfinished at the attach → the next one after its end', () => {
    const machine = new Machine(ORDERED)
    machine.on(CONNECTED)
    const line = attached({ unfinished: [{ messageId: 1, forMs: 7_000 }] })
    expect(machine.on(line)).toEqual(['wake in 7000'])
    expect(machine.on(unfinished(1, null))).toEqual(['claim'])
  })

  test('two are unfinished, and one ends → waits for the other one', () => {
    const machine = claiming(ORDERED)
    machine.on(EMPTY, unfinished(1, 7_000), unfinished(2, 9_000), { is: 'added' })
    expect(machine.on(unfinished(2, null))).toEqual(['wake in 7000'])
  })

  test('the claim is held, since the store knows of an unfinished one → waits for its end', () => {
    const machine = flying(ORDERED)
    machine.nowMs += 5_000
    expect(machine.on(removed(1))).toEqual(['claim'])
    const line = lineOf({ sinceDispatchMs: 5_000, unfinished: [{ messageId: 1, forMs: 600_000 }] })
    expect(machine.on({ is: 'held', line })).toEqual(['wake in 600000'])
    expect(machine.on(unfinished(1, null))).toEqual(['claim'])
  })

  test('an event comes twice → one hold', () => {
    const machine = claiming(ORDERED)
    machine.on(EMPTY, unfinished(1, 7_000), unfinished(1, 7_000), { is: 'added' })
    expect(machine.on(unfinished(1, null))).toEqual(['claim'])
  })

  test('a message is in flight while an earlier one becomes unfinished → stays in flight', () => {
    expect(flying(ORDERED).on(unfinished(7, 600_000))).toEqual(['wake in 30000'])
  })

  test('the rule ends → the claim at once', () => {
    const machine = claiming(ORDERED)
    machine.on(EMPTY, unfinished(1, 7_000), { is: 'added' })
    expect(machine.apply(RULES)).toEqual(['claim'])
  })

  test('any other device → not held', () => {
    const machine = claiming()
    machine.on(EMPTY, unfinished(1, 7_000))
    expect(machine.on({ is: 'added' })).toEqual(['claim'])
  })
})

describe('a claim that is held', () => {
  test('a poll dispatched 500 ms ago → the rest of the interval, with the same ended attempt', () => {
    const machine = flying()
    expect(machine.pass(30_000)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
    expect(machine.on({ is: 'held', line: lineOf({ sinceDispatchMs: 500 }) })).toEqual(['wake in 1500'])
    expect(machine.pass(1_500)).toEqual(['claim, ended 1 TIMEOUT'])
  })

  test('the message of the ended attempt left its queue meanwhile → not reported', () => {
    const machine = flying()
    machine.pass(30_000)
    machine.on(removed(1), { is: 'held', line: lineOf({ sinceDispatchMs: 500 }) })
    expect(machine.pass(1_500)).toEqual(['claim'])
  })
})

describe('the rules of one device', () => {
  const FACTS = { isDeaf: false, onlyPolls: false }

  test('no settings of its own → the general rules themselves', () => {
    expect(rulesFor(GENERAL_SETTINGS, RULES, FACTS)).toBe(RULES)
  })

  test.each([
    [0, false],
    [500, true],
  ])('a period of %d ms → that interval for polls too, and the other general rules', (period, paced) => {
    const own = { ...GENERAL_SETTINGS, sendMessagePeriodMs: period }
    const attempt = { ...RULES.attempt, paced }
    const expected = { ...RULES, intervalMs: period, pacesPolls: paced, attempt }
    expect(rulesFor(own, RULES, FACTS)).toEqual(expected)
    expect(rulesFor(own, RULES, { ...FACTS, onlyPolls: true })).toEqual(expected)
  })

  test('waiting polls alone → no interval', () => {
    const rules = rulesFor(GENERAL_SETTINGS, RULES, { ...FACTS, onlyPolls: true })
    expect(rules).toEqual({ ...RULES, intervalMs: 0, attempt: { ...RULES.attempt, paced: false } })
  })

  test('a deaf device → the longest duration for each attempt', () => {
    expect(DEAF).toEqual({ ...RULES, attempt: { durationsMs: [150_000], paced: true, deaf: true } })
  })

  test('a limit of its own, and nextAfter → those', () => {
    const own = { ...GENERAL_SETTINGS, maxAttempts: 0, nextAfter: 'COMPLETED' as const }
    expect(rulesFor(own, RULES, FACTS)).toEqual({ ...RULES, maxAttempts: 0, nextAfterCompleted: true })
  })
})

/** One step of a walk: what the store, the device or the clock does next. */
type Step =
  | 'enqueue'
  | 'enqueue NO'
  | 'acknowledge'
  | 'result'
  | 'refuse'
  | 'reconnect'
  | 'slower'
  | 'faster'
  | 'short'
  | 'interval'
  | 'attempt'

const STEPS: readonly Step[] = [
  ...([
    'enqueue',
    'enqueue',
    'enqueue NO',
    'acknowledge',
    'acknowledge',
    'result',
    'result',
    'result',
  ] as const),
  ...(['refuse', 'reconnect', 'slower', 'faster', 'short', 'interval', 'attempt'] as const),
]

/** A store with one queue, whose answers come when the walk says so. */
class Walk {
  readonly #machine = new Machine()
  readonly #queue: DispatchedMessage[] = []
  readonly #sent: { id: number; atMs: number }[] = []
  #running: number | null = null
  #open: Effect | null = null
  /** The interval under which the latest claim was made. */
  #intervalMs = RULES.intervalMs
  #lastId = 0

  constructor() {
    this.#perform(CONNECTED)
  }

  do(step: Step): void {
    if (step === 'enqueue' || step === 'enqueue NO') this.#enqueue(step === 'enqueue' ? undefined : 'NO')
    else if (step === 'acknowledge') this.#acknowledge()
    else if (step === 'result') this.#result()
    else if (step === 'refuse' && this.#open) this.#answer({ is: 'failed' })
    else if (step === 'reconnect') this.#perform(CONNECTED)
    else if (step === 'slower' || step === 'faster') this.#pace(step === 'slower' ? 5_000 : 500)
    else this.#pass(step === 'short' ? 300 : step === 'interval' ? RULES.intervalMs : RULES.attemptMs)
  }

  /** Acknowledges everything and lets time pass. The queue must be empty then. */
  drain(): void {
    for (let n = 0; n < 6 * this.#lastId + 6; n++) {
      this.#result()
      this.#acknowledge()
      this.#pass(RULES.retryMs)
    }
    expect(this.#queue, 'messages that are never dispatched').toEqual([])
  }

  #enqueue(guarantee?: Guarantee): void {
    this.#queue.push(messageOf(++this.#lastId, guarantee))
    this.#perform({ is: 'added' })
  }

  #acknowledge(): void {
    const last = this.#sent.at(-1)
    const at = this.#queue.findIndex(({ id }) => id === last?.id)
    if (at < 0) return
    const [message] = this.#queue.splice(at, 1)
    if (this.#running === message?.id) this.#running = null
    this.#perform({ is: 'removed', messageId: message?.id as number })
  }

  #result(): void {
    const effect = this.#open
    if (effect?.is === 'attach') this.#answer(attached(null, this.#running))
    if (effect?.is !== 'claim') return
    if (effect.ended?.messageId === this.#running) this.#running = null
    const [head] = this.#queue
    if (this.#running !== null) this.#answer(claimed({ is: 'inFlight', forMs: 1_000 }))
    else if (!head) this.#answer(EMPTY)
    else {
      if (head.guarantee === 'NO') this.#queue.shift()
      else this.#running = head.id
      this.#answer(claimed({ is: 'message', message: head, recorded: null, transition: null }))
    }
  }

  #answer(event: DispatchEvent): void {
    this.#open = null
    this.#perform(event)
  }

  #pace(intervalMs: number): void {
    this.#machine.rules = { ...RULES, intervalMs }
    this.#perform({ is: 'timer' })
  }

  #pass(ms: number): void {
    this.#machine.nowMs += ms
    this.#perform({ is: 'timer' })
  }

  #perform(event: DispatchEvent): void {
    const { nowMs, state, rules } = this.#machine
    const [after, effects] = next(state, event, nowMs, rules)
    this.#machine.state = after
    for (const effect of effects) {
      if (effect.is === 'attach' || effect.is === 'claim') {
        expect(this.#open, 'one question to the store at a time').toBe(null)
        this.#open = effect
        if (effect.is === 'claim') this.#intervalMs = rules.intervalMs
      }
      if (effect.is === 'send') this.#send(effect.message, nowMs)
    }
  }

  #send({ id, guarantee }: DispatchedMessage, atMs: number): void {
    const last = this.#sent.at(-1)
    if (last) {
      expect(atMs - last.atMs, 'the interval').toBeGreaterThanOrEqual(this.#intervalMs)
      expect(id, 'order').toBeGreaterThanOrEqual(last.id)
    }
    if (guarantee === 'NO') expect(this.#sent.map((each) => each.id)).not.toContain(id)
    this.#sent.push({ id, atMs })
  }
}

test('random walks: late results of a store → interval and order hold, one call at a time, queues drain', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 80, size: 'max' }), (steps) => {
      const walk = new Walk()
      for (const step of steps) walk.do(step)
      walk.drain()
    }),
    { numRuns: 2_000 },
  )
})
