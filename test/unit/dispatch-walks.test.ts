/** The state machine of dispatch: random walks over a model of a store whose answers come late. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Claim, EndedAttempt, LineState, OpenAttempt } from '../../src/broker/contract/device-lease.ts'
import { next } from '../../src/broker/engine/dispatch.ts'
import type { DispatchEvent, Effect } from '../../src/broker/engine/dispatch-state.ts'
import { attemptMsOf, isLastAttempt, isSameAttempt } from '../../src/broker/vocabulary/attempts.ts'
import type { DispatchedMessage } from '../../src/broker/vocabulary/message.ts'
import type { Guarantee } from '../../src/broker/vocabulary/status.ts'
import { lineOf, Machine, messageOf, ORDERED, RULES } from '../_support/dispatch-machine.ts'
import { runs } from '../_support/runs.ts'

/** One step of a walk: what a producer, the store, the device or the clock does next. */
const STEPS = [
  ...['enqueue', 'enqueue', 'enqueue', 'enqueue NO', 'enqueue delayed', 'enqueue limited'],
  ...['confirm', 'complete', 'complete', 'finish', 'busy', 'not busy', 'poll'],
  ...['effect', 'effect', 'result', 'result', 'result', 'result', 'refuse'],
  ...['reconnect', 'wait', 'slower', 'faster', 'short', 'interval', 'attempt', 'attempt', 'long'],
] as const
type Step = (typeof STEPS)[number]

const STEP_MS: Partial<Record<Step, number>> = {
  short: 300,
  interval: RULES.intervalMs,
  attempt: 30_000,
  long: 150_000,
}
const PAUSE_MS = 60_000
const FINISH_MS = 600_000
const DELAY_MS = 40_000

interface Pending {
  readonly id: number
  readonly guarantee: Guarantee
  readonly dueAtMs: number
  readonly maxAttempts: number | null
  /** Number of the latest attempt. */
  number: number
  counted: number
  /** Number of the latest attempt that reached the device. */
  sentNumber: number
  /** Time of the latest dispatch. */
  atMs: number
  /** End of the open attempt; null when there is none. */
  untilMs: number | null
  /** True when a poll began the open attempt. */
  polled: boolean
  /** True when the present connections were there at the dispatch of the open attempt. */
  received: boolean
}

/** A device with one queue. The effect and the result of each call of its store come when the walk says so. */
class Walk {
  readonly #machine = new Machine(ORDERED)
  #queue: Pending[] = []
  readonly #unfinished = new Map<number, number>()
  readonly #sent: { id: number; atMs: number }[] = []
  readonly #removedOnce = new Set<number>()
  #busyUntilMs = 0
  #open: Effect | null = null
  #answer: DispatchEvent | null = null
  /** The interval under which the latest claim was made. */
  #intervalMs = ORDERED.intervalMs
  #lastId = 0

  constructor() {
    this.#perform({ is: 'connected', keepsAttempt: false })
  }

  get #nowMs(): number {
    return this.#machine.nowMs
  }

  do(step: Step): void {
    if (step === 'enqueue') this.#enqueue({})
    else if (step === 'enqueue NO') this.#enqueue({ guarantee: 'NO' })
    else if (step === 'enqueue limited') this.#enqueue({ maxAttempts: 2 })
    else if (step === 'enqueue delayed') this.#enqueue({ dueAtMs: this.#nowMs + DELAY_MS })
    else if (step === 'confirm' || step === 'complete') this.#acknowledge(step === 'confirm')
    else if (step === 'finish') this.#finish()
    else if (step === 'busy' || step === 'not busy') this.#busy(step === 'busy' ? PAUSE_MS : 0)
    else if (step === 'poll') this.#poll()
    else if (step === 'effect') this.#effect()
    else if (step === 'result') this.#result()
    else if (step === 'refuse') this.#refuse()
    else if (step === 'reconnect') this.#reconnect()
    else if (step === 'wait') this.#perform({ is: 'connected', keepsAttempt: true })
    else if (step === 'slower' || step === 'faster') this.#pace(step === 'slower' ? 5_000 : 500)
    else this.#pass(STEP_MS[step] as number)
  }

  #reconnect(): void {
    for (const each of this.#queue) each.received = false
    this.#perform({ is: 'connected', keepsAttempt: false })
  }

  /** Lets time pass. The queue must be empty then, whether the device acknowledges everything or nothing. */
  drain(acknowledges: boolean): void {
    for (let n = 0; n < 40 * this.#lastId + 40; n++) {
      this.#result()
      if (acknowledges) this.#acknowledge(false)
      this.#finish()
      this.#pass(acknowledges ? 5_000 : 30_000)
    }
    expect(this.#queue, 'messages that neither leave nor are parked').toEqual([])
  }

  #enqueue({ guarantee = 'RECEIPT_CONFIRMATION', dueAtMs = 0, maxAttempts = null }: Partial<Pending>): void {
    const attempts = {
      number: 0,
      counted: 0,
      sentNumber: 0,
      atMs: 0,
      untilMs: null,
      polled: false,
      received: false,
    }
    this.#queue.push({ id: ++this.#lastId, guarantee, dueAtMs, maxAttempts, ...attempts })
    this.#perform({ is: 'added' })
  }

  /** Acknowledges the message that the device received last. */
  #acknowledge(asDelivered: boolean): void {
    const id = this.#sent.at(-1)?.id
    if (id === undefined || !this.#queue.some((each) => each.id === id)) return
    if (asDelivered) {
      this.#unfinished.set(id, this.#nowMs + FINISH_MS)
      this.#perform({ is: 'unfinished', messageId: id, forMs: FINISH_MS })
    }
    this.#remove(id)
  }

  /** Ends the oldest unfinished message. */
  #finish(): void {
    const [id] = this.#unfinished.keys()
    if (id === undefined) return
    this.#unfinished.delete(id)
    this.#perform({ is: 'unfinished', messageId: id, forMs: null })
  }

  #busy(forMs: number): void {
    this.#busyUntilMs = this.#nowMs + forMs
    for (const each of this.#queue) {
      if (forMs === 0 || each.untilMs === null) continue
      each.untilMs = null
      each.counted--
    }
    this.#perform({ is: 'busy', forMs })
  }

  /** A plain poll of the device, which has no interval of its own. */
  #poll(): void {
    if (this.#isBusy || this.#isUnfinished) return
    const inFlight = this.#inFlight
    if (inFlight && (inFlight.untilMs as number) > this.#nowMs) return
    const head = inFlight ?? this.#due
    if (!head) return
    if (inFlight && isLastAttempt(head, RULES.maxAttempts, false)) {
      this.#remove(head.id)
      return
    }
    this.#sent.push({ id: head.id, atMs: Number.NEGATIVE_INFINITY })
    this.#begin(head, true)
  }

  get #isBusy(): boolean {
    return this.#nowMs < this.#busyUntilMs
  }

  get #isUnfinished(): boolean {
    return [...this.#unfinished.values()].some((untilMs) => this.#nowMs < untilMs)
  }

  get #inFlight(): Pending | undefined {
    return this.#queue.find(({ untilMs }) => untilMs !== null)
  }

  get #due(): Pending | undefined {
    return this.#queue.find(({ dueAtMs }) => dueAtMs <= this.#nowMs)
  }

  #begin(message: Pending, polled: boolean): void {
    if (message.guarantee === 'NO') {
      this.#remove(message.id)
      return
    }
    message.number++
    message.counted++
    message.atMs = this.#nowMs
    message.untilMs = this.#nowMs + attemptMsOf(RULES.attempt.durationsMs, message.counted)
    message.polled = polled
    message.received = true
  }

  #remove(messageId: number): void {
    this.#queue = this.#queue.filter(({ id }) => id !== messageId)
    this.#removedOnce.add(messageId)
    this.#perform({ is: 'removed', messageId })
  }

  /** The call that is on its way takes effect. */
  #effect(): void {
    const effect = this.#open
    if (effect === null || this.#answer !== null) return
    if (effect.is === 'attach') this.#answer = { is: 'attached', line: this.#line() }
    if (effect.is === 'park') this.#answer = this.#parked(effect.flight.id, effect.flight.number)
    if (effect.is === 'claim') this.#answer = this.#claimUnlessHeld(effect.ended)
  }

  /** The line of the device asks for unfinished messages before each claim. */
  #claimUnlessHeld(ended: EndedAttempt | null): DispatchEvent {
    if (this.#isUnfinished) return { is: 'held', line: this.#line() }
    return { is: 'claimed', claim: this.#claim(ended) }
  }

  #line(): LineState {
    const inFlight = this.#inFlight
    const unfinished = [...this.#unfinished].map(([messageId, untilMs]) => {
      return { messageId, forMs: Math.max(0, untilMs - this.#nowMs) }
    })
    return lineOf({ attempt: inFlight ? this.#attemptOf(inFlight) : null, unfinished })
  }

  #attemptOf({ id, number, counted, maxAttempts, atMs, untilMs }: Pending): OpenAttempt {
    const runningMs = Math.max(0, (untilMs as number) - this.#nowMs)
    const terms = { maxAttempts, remainingMs: null, finishSeconds: null }
    return { messageId: id, number, counted, runningMs, atMs, ...terms }
  }

  #parked(messageId: number, number: number): DispatchEvent {
    const message = this.#queue.find(({ id }) => id === messageId)
    if (message?.number === number && message.untilMs !== null) {
      expect(isLastAttempt(message, RULES.maxAttempts, false), 'parked after the last attempt').toBe(true)
      const isOver = message.untilMs <= this.#nowMs
      const isCut = message.counted <= 3 && (message.polled || !message.received)
      expect(isOver || isCut, 'the last attempt is over').toBe(true)
      this.#remove(messageId)
    }
    return { is: 'parked' }
  }

  #claim(ended: EndedAttempt | null): Claim {
    const open = this.#inFlight
    if (ended && open?.id === ended.messageId && isSameAttempt(open, ended)) this.#end(open, ended)
    const inFlight = this.#inFlight
    if (inFlight) return { is: 'inFlight', attempt: this.#attemptOf(inFlight) }
    const due = this.#due
    if (!due) return { is: 'empty', dueInMs: this.#dueInMs() }
    this.#begin(due, false)
    const message = { ...messageOf(due.id, due.guarantee, due), number: due.number, atMs: due.atMs }
    return { is: 'message', message, recorded: null, transition: null }
  }

  #end(message: Pending, { outcome }: EndedAttempt): void {
    const { untilMs, counted, polled, received } = message
    if (outcome === 'TIMEOUT') expect(untilMs, 'a time-out').toBeLessThanOrEqual(this.#nowMs)
    const wasSent = message.sentNumber === message.number
    if (outcome === 'CONNECTION' && wasSent && !polled) {
      expect(counted, 'attempts that a connection ends').toBeLessThanOrEqual(received ? 9 : 3)
    }
    message.untilMs = null
  }

  #dueInMs(): number | null {
    const [first] = this.#queue.map(({ dueAtMs }) => dueAtMs - this.#nowMs).toSorted((a, b) => a - b)
    return first ?? null
  }

  #result(): void {
    this.#effect()
    const answer = this.#answer
    if (answer === null) return
    this.#open = null
    this.#answer = null
    this.#perform(answer)
  }

  /** The store refuses the call, unless it has taken effect. */
  #refuse(): void {
    if (this.#open === null || this.#answer !== null) return
    this.#open = null
    this.#perform({ is: 'failed' })
  }

  #pace(intervalMs: number): void {
    this.#machine.rules = { ...ORDERED, intervalMs }
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
      if (effect.is === 'attach' || effect.is === 'claim' || effect.is === 'park') this.#ask(effect)
      if (effect.is === 'send') this.#send(effect.message)
    }
  }

  #ask(effect: Effect): void {
    expect(this.#open, 'one question to the store at a time').toBe(null)
    this.#open = effect
    if (effect.is !== 'claim') return
    this.#intervalMs = this.#machine.rules.intervalMs
    expect(this.#isBusy, 'a claim of a busy device').toBe(false)
  }

  #send({ id, guarantee }: DispatchedMessage): void {
    const last = this.#sent.at(-1)
    if (last) expect(this.#nowMs - last.atMs, 'the interval').toBeGreaterThanOrEqual(this.#intervalMs)
    if (guarantee === 'NO') expect(this.#sent.map((each) => each.id)).not.toContain(id)
    else {
      expect(this.#isBusy, 'a dispatch to a busy device').toBe(false)
      expect(this.#removedOnce, 'a message that left its queue').not.toContain(id)
      const running = this.#queue.filter(({ untilMs }) => untilMs !== null)
      expect(running, 'in flight').toMatchObject([{ id }])
      for (const each of running) each.sentNumber = each.number
    }
    this.#sent.push({ id, atMs: this.#nowMs })
  }
}

test('random walks: late results of a store → never two in flight, interval and pauses hold, queues drain', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...STEPS), { maxLength: 80, size: 'max' }),
      fc.boolean(),
      (steps, acknowledges) => {
        const walk = new Walk()
        for (const step of steps) walk.do(step)
        walk.drain(acknowledges)
      },
    ),
    { numRuns: runs(1_000) },
  )
})
