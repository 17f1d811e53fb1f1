/** The pauses of a memory node: random turns of the event loop, and holds that a test sets. */
import { setImmediate } from 'node:timers/promises'
import type { DeviceLease, MessageStore } from '../../broker/store.ts'

/** A call waits fewer turns than this before its effect, and again before its result. An event waits fewer, too. */
const TURNS = 4

export type Verb = Exclude<keyof MessageStore, 'watch'> | Exclude<keyof DeviceLease, 'state'>

/** `effect`: before the call changes anything. `result`: after the change, before the caller knows of it. */
export type Moment = 'effect' | 'result'

interface Hold {
  readonly verb: Verb
  readonly moment: Moment
  readonly call: HeldCall
}

export class Pauses {
  readonly #random: () => number
  readonly #holds: Hold[] = []

  constructor(random: () => number) {
    this.#random = random
  }

  /** Holds the next call of a verb. */
  hold(verb: Verb, moment: Moment): HeldCall {
    const call = new HeldCall()
    this.#holds.push({ verb, moment, call })
    return call
  }

  /** Waits the turns of a call, and until the end of its hold. */
  async of(verb: Verb, moment: Moment): Promise<void> {
    await this.turns()
    const at = this.#holds.findIndex((hold) => hold.verb === verb && hold.moment === moment)
    if (at >= 0) await this.#holds.splice(at, 1)[0]?.call.reach()
  }

  /** Waits a random number of turns of the event loop. */
  async turns(): Promise<void> {
    for (let turns = Math.floor(this.#random() * TURNS); turns > 0; turns--) await setImmediate()
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

  /** Reports that the call is here, and waits for the end of the hold. */
  reach(): Promise<void> {
    this.#reached()
    return this.#end
  }
}
