/** The state machine of dispatch: a table of its transitions, and random walks over a model of a store. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GENERAL_SETTINGS } from '../../src/broker/device-settings.ts'
import {
  DETACHED,
  type DispatchEvent,
  type DispatchRules,
  type DispatchState,
  type Effect,
  holdOf,
  next,
  rulesFor,
} from '../../src/broker/dispatch.ts'
import type { DispatchedMessage } from '../../src/broker/message.ts'
import type { Guarantee } from '../../src/broker/status.ts'
import type { Claim } from '../../src/broker/store.ts'

const RULES: DispatchRules = { intervalMs: 2_000, attemptMs: 30_000, retryMs: 5_000 }

const messageOf = (id: number, guarantee: Guarantee = 'RECEIPT_CONFIRMATION'): DispatchedMessage => {
  return { id, command: 'start', guarantee, data: '{}', atMs: 1_000 + id }
}

const claimOf = (id: number, guarantee?: Guarantee): Claim => {
  return { is: 'message', message: messageOf(id, guarantee), recorded: null, transition: null }
}

const attached = (sinceDispatchMs: number | null = null, inFlightId: number | null = null): DispatchEvent => {
  return { is: 'attached', line: { sinceDispatchMs, inFlightId } }
}

const claimed = (claim: Claim): DispatchEvent => ({ is: 'claimed', claim })

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
    this.rules = { ...this.rules, intervalMs }
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
    if (effect.is === 'wake') return `wake in ${effect.atMs - this.nowMs}`
    return effect.is
  }
}

const ended = ({ messageId, outcome }: { messageId: number; outcome: string }): string =>
  `${messageId} ${outcome}`

/** A connected device whose claim is on its way. */
function claiming(rules?: DispatchRules): Machine {
  const machine = new Machine(rules)
  machine.on({ is: 'connected' }, attached())
  return machine
}

/** A connected device with message 1 in flight. */
function flying(rules?: DispatchRules): Machine {
  const machine = claiming(rules)
  machine.on(claimed(claimOf(1)))
  return machine
}

describe('a device that connects', () => {
  test('first connection → attach, then claim at once', () => {
    const machine = new Machine()
    expect(machine.on({ is: 'connected' })).toEqual(['attach'])
    expect(machine.state.phase).toBe('ATTACHING')
    expect(machine.on(attached())).toEqual(['claim'])
    expect(machine.state.phase).toBe('CLAIMING')
  })

  test('an event before the lease is attached → claimed once', () => {
    const machine = new Machine()
    machine.on({ is: 'connected' })
    expect(machine.on({ is: 'added' })).toEqual([])
    expect(machine.on({ is: 'connected' })).toEqual([])
    expect(machine.on(attached())).toEqual(['claim'])
  })

  test('another node, or the node before a restart, dispatched 500 ms ago → the rest of the interval', () => {
    const machine = new Machine()
    machine.on({ is: 'connected' })
    expect(machine.on(attached(500))).toEqual(['wake in 1500'])
    expect(machine.hold).toBe('PACING 1500')
    expect(machine.pass(1_499)).toEqual(['wake in 1'])
    expect(machine.pass(1)).toEqual(['claim'])
  })

  test('an attempt of an earlier connection is in flight → the claim ends it', () => {
    const machine = new Machine()
    expect(machine.on({ is: 'connected' }, attached(null, 7))).toEqual(['claim, ended 7 CONNECTION'])
  })

  test('the store refuses the attach → attaches again after the pause', () => {
    const machine = new Machine()
    expect(machine.on({ is: 'connected' }, { is: 'failed' })).toEqual(['wake in 5000'])
    expect(machine.hold).toBe('RETRYING 5000')
    expect(machine.pass(5_000)).toEqual(['attach'])
  })

  test('a second connection → the message in flight is redelivered, after the interval', () => {
    const machine = flying()
    machine.nowMs += 100
    expect(machine.on({ is: 'connected' })).toEqual(['attach'])
    expect(machine.on(attached(100, 1))).toEqual(['wake in 1900'])
    expect(machine.pass(1_900)).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('a second connection after a missed acknowledgement → the time-out is still reported', () => {
    const machine = flying()
    machine.nowMs += 30_000
    machine.on({ is: 'timer' }, { is: 'failed' })
    expect(machine.on({ is: 'connected' }, attached(30_000, 1))).toEqual(['wake in 5000'])
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
    machine.on({ is: 'removed', messageId: 1 }, { is: 'disconnected' }, { is: 'connected' })
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
    expect(machine.on(claimed({ is: 'empty' }))).toEqual([])
    expect(machine.hold).toBe('IDLE')
    expect(machine.on({ is: 'added' })).toEqual(['claim'])
  })

  test('finds nothing, and a message was added meanwhile → claims again', () => {
    const machine = claiming()
    machine.on({ is: 'added' })
    expect(machine.on(claimed({ is: 'empty' }))).toEqual(['claim'])
  })

  test('finds an attempt in flight → claims again when it is over', () => {
    const machine = claiming()
    expect(machine.on(claimed({ is: 'inFlight', forMs: 700 }))).toEqual(['wake in 700'])
    expect(machine.hold).toBe('RETRYING 700')
    expect(machine.pass(700)).toEqual(['claim'])
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
    expect(machine.on({ is: 'connected' })).toEqual(['attach'])
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
    machine.on(claimed({ is: 'empty' }))
    expect(machine.pace(0)).toEqual([])
  })
})

describe('the rules of one device', () => {
  test('no period of its own → the general rules themselves', () => {
    expect(rulesFor(GENERAL_SETTINGS, RULES)).toBe(RULES)
  })

  test.each([0, 500])('a period of %d ms → that interval, and the other general rules', (period) => {
    const own = { ...GENERAL_SETTINGS, sendMessagePeriodMs: period }
    expect(rulesFor(own, RULES)).toEqual({ ...RULES, intervalMs: period })
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
    this.#perform({ is: 'connected' })
  }

  do(step: Step): void {
    if (step === 'enqueue' || step === 'enqueue NO') this.#enqueue(step === 'enqueue' ? undefined : 'NO')
    else if (step === 'acknowledge') this.#acknowledge()
    else if (step === 'result') this.#result()
    else if (step === 'refuse' && this.#open) this.#answer({ is: 'failed' })
    else if (step === 'reconnect') this.#perform({ is: 'connected' })
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
    else if (!head) this.#answer(claimed({ is: 'empty' }))
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
