/** Dispatch state machine with a clock moved by the test, and short notations for its events. */

import type { Claim, LineState, OpenAttempt } from '../../src/broker/contract/device-lease.ts'
import { next } from '../../src/broker/engine/dispatch.ts'
import { holdOf } from '../../src/broker/engine/dispatch-holds.ts'
import { type DispatchRules, generalRules, rulesFor } from '../../src/broker/engine/dispatch-rules.ts'
import {
  DETACHED,
  type DispatchEvent,
  type DispatchState,
  type Effect,
} from '../../src/broker/engine/dispatch-state.ts'
import { GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import type { Guarantee } from '../../src/broker/vocabulary/status.ts'

export const MAX_ATTEMPTS = 5
export const RULES = generalRules({ intervalMs: 2_000, attemptMs: 30_000, maxAttempts: MAX_ATTEMPTS })
export const DEAF = rulesFor(GENERAL_SETTINGS, RULES, { isDeaf: true, onlyPolls: false })
export const ORDERED: DispatchRules = { ...RULES, nextAfterCompleted: true }

export interface Numbers {
  readonly counted?: number
  readonly maxAttempts?: number | null
}

export const messageOf = (
  id: number,
  guarantee: Guarantee,
  { counted = 1, maxAttempts = null }: Numbers = {},
) => {
  const attempt = { number: counted, counted, maxAttempts, remainingMs: null, finishSeconds: null }
  return { id, command: 'start', guarantee, data: '{}', atMs: 1_000 + id, ...attempt }
}

export const claimOf = (
  id: number,
  guarantee: Guarantee = 'RECEIPT_CONFIRMATION',
  numbers?: Numbers,
): Claim => {
  return { is: 'message', message: messageOf(id, guarantee, numbers), recorded: null, transition: null }
}

/** Attempt with message 1, as reported by the store. */
export const openAttempt = (
  runningMs: number,
  { counted = 1, maxAttempts = null }: Numbers = {},
): OpenAttempt => {
  const numbers = { number: counted, counted, maxAttempts, remainingMs: null, finishSeconds: null }
  return { messageId: 1, runningMs, atMs: 1_001, ...numbers }
}

export const lineOf = (line: Partial<LineState> = {}): LineState => {
  return { sinceDispatchMs: null, attempt: null, unfinished: [], ...line }
}

export const attached = (line?: Partial<LineState>): DispatchEvent => ({ is: 'attached', line: lineOf(line) })
export const claimed = (claim: Claim): DispatchEvent => ({ is: 'claimed', claim })
export const removed = (messageId: number): DispatchEvent => ({ is: 'removed', messageId })
export const busy = (forMs: number): DispatchEvent => ({ is: 'busy', forMs })
export const unfinished = (messageId: number, forMs: number | null): DispatchEvent => {
  return { is: 'unfinished', messageId, forMs }
}

export const CONNECTED: DispatchEvent = { is: 'connected', keepsAttempt: false }
export const WAITS: DispatchEvent = { is: 'connected', keepsAttempt: true }
export const EMPTY = claimed({ is: 'empty', dueInMs: null })

/** Machine with a clock moved by the test. */
export class Machine {
  state: DispatchState = DETACHED
  nowMs = 10_000
  rules: DispatchRules

  constructor(rules = RULES) {
    this.rules = rules
  }

  /** Raises events at the current time. Returns the effects of the last one, as text. */
  on(...events: DispatchEvent[]): string[] {
    let effects: readonly Effect[] = []
    for (const event of events) [this.state, effects] = next(this.state, event, this.nowMs, this.rules)
    return effects.map((effect) => this.#inWords(effect))
  }

  pass(ms: number): string[] {
    this.nowMs += ms
    return this.on({ is: 'timer' })
  }

  pace(intervalMs: number): string[] {
    return this.apply({ ...this.rules, intervalMs })
  }

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
    if (effect.is === 'park')
      return `park ${effect.flight.id}${effect.outcome === 'TIMEOUT' ? '' : `, ${effect.outcome}`}`
    if (effect.is === 'wake') return `wake in ${effect.atMs - this.nowMs}`
    return effect.is
  }
}

const ended = ({ messageId, outcome }: { messageId: number; outcome: string }): string =>
  `${messageId} ${outcome}`

/** Connected device with a pending claim. */
export function claiming(rules?: DispatchRules): Machine {
  const machine = new Machine(rules)
  machine.on(CONNECTED, attached())
  return machine
}

/** Connected device with message 1 in flight. */
export function flying(rules?: DispatchRules, numbers?: Numbers): Machine {
  const machine = claiming(rules)
  machine.on(claimed(claimOf(1, 'RECEIPT_CONFIRMATION', numbers)))
  return machine
}
