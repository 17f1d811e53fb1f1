/** Makes the pauses of a memory node: random turns of the event loop, and holds that a test sets. */
import { setImmediate } from 'node:timers/promises'
import type { DeviceLease } from '../../broker/contract/device-lease.ts'
import type { MessageStore } from '../../broker/contract/store.ts'

/** Upper bound, exclusive, of the turns before the effect of a call, before its result, and before an event. */
const MAX_TURNS = 4

/** A call that a test can hold. */
export type StoreVerb = Exclude<keyof MessageStore, 'watch'> | Exclude<keyof DeviceLease, 'state'>

/** A moment of a call. `effect`: before its change. `result`: after its change, before the caller receives the result. */
export type Moment = 'effect' | 'result'

interface Hold {
  readonly verb: StoreVerb
  readonly moment: Moment
  readonly call: HeldCall
}

/** Delays the calls of one node. */
export class Pauses {
  readonly #random: () => number
  readonly #holds: Hold[] = []

  constructor(random: () => number) {
    this.#random = random
  }

  /** Holds the next call of a verb. */
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

  /** Waits a random number of turns of the event loop. */
  async turns(): Promise<void> {
    for (let turns = Math.floor(this.#random() * MAX_TURNS); turns > 0; turns--) await setImmediate()
  }
}

/** A call that a test holds. */
export class HeldCall {
  /** Resolves when the call has reached the moment at which it is held. */
  readonly reached: Promise<void>
  /** Lets the call continue. */
  letGo: () => void = () => {}
  /** Ends the call with an error. */
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
    // A hold may end before the call reaches it. Without a handler the process would end with the rejection.
    this.#end.catch(() => {})
  }

  /** Reports that the call has reached its hold, and waits for the end of the hold. */
  reach(): Promise<void> {
    this.#reached()
    return this.#end
  }
}
