/** Delays the calls of a memory node: random turns of the event loop, and holds set by a test. */
import { setImmediate } from 'node:timers/promises'
import type { DeviceLease } from '../../broker/contract/device-lease.ts'
import type { MessageStore } from '../../broker/contract/store.ts'

/** Exclusive upper bound of the turns before the effect of a call, before its result, and before an event. */
const MAX_TURNS = 4

/** Call that a test can hold. */
export type StoreVerb = Exclude<keyof MessageStore, 'watch'> | Exclude<keyof DeviceLease, 'state'>

/** Moment of a call. `effect`: before its change. `result`: after its change, before the caller receives the result. */
export type Moment = 'effect' | 'result'

interface Hold {
  readonly verb: StoreVerb
  readonly moment: Moment
  readonly call: HeldCall
}

export class Pauses {
  readonly #random: () => number
  readonly #holds: Hold[] = []

  constructor(random: () => number) {
    this.#random = random
  }

  hold(verb: StoreVerb, moment: Moment): HeldCall {
    const call = new HeldCall()
    this.#holds.push({ verb, moment, call })
    return call
  }

  /** Waits a random number of turns, then until the end of a hold. */
  async of(verb: StoreVerb, moment: Moment): Promise<void> {
    await this.turns()
    const at = this.#holds.findIndex((hold) => hold.verb === verb && hold.moment === moment)
    if (at >= 0) await this.#holds.splice(at, 1)[0]?.call.reach()
  }

  async turns(): Promise<void> {
    for (let turns = Math.floor(this.#random() * MAX_TURNS); turns > 0; turns--) await setImmediate()
  }
}

export class HeldCall {
  /** Resolves when the call has reached its hold. */
  readonly reached: Promise<void>
  letGo: () => void = () => {}
  fail: (error: Error) => void = () => {}
  readonly #end: Promise<void>
  #reached: () => void = () => {}

  constructor() {
    this.reached = new Promise((resolve) => {
      this.#reached = resolve
    })
    this.#end = new Promise((resolve, reject) => {
      this.letGo = resolve
      this.fail = reject
    })
    // A hold may end before the call reaches it. An unhandled rejection would end the process.
    this.#end.catch(() => {})
  }

  /** Reports that the call has reached its hold, and waits for the end of the hold. */
  reach(): Promise<void> {
    this.#reached()
    return this.#end
  }
}
