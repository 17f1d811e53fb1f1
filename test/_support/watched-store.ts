/** Message store whose calls are observed, so that a test knows when no call is running. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { vi } from 'vitest'
import type { Claim, DeviceLease } from '../../src/broker/contract/device-lease.ts'
import type { MessageStore } from '../../src/broker/contract/store.ts'

export class WatchedStore {
  readonly #pending = new Set<Promise<unknown>>()
  readonly #onDispatch: (deviceId: string) => void

  /** @param onDispatch called when the record of a dispatch is durable, whether its message is sent or not */
  constructor(onDispatch: (deviceId: string) => void = () => {}) {
    this.#onDispatch = onDispatch
  }

  /** Returns the same store, with observed calls of itself and its leases. */
  over(messages: MessageStore): MessageStore {
    return this.#observed(messages, (name, result, [deviceId]) =>
      name === 'attach'
        ? mapped(result, (lease) => this.#lease(deviceId as string, lease as DeviceLease))
        : result,
    )
  }

  /** Resolves when no call is running and no event of a call is left. Fires due timers meanwhile. */
  async rest(): Promise<void> {
    // The events of a call may come some turns after its result.
    for (let quiet = 0; quiet < 8; quiet++) {
      if (this.#pending.size > 0) quiet = 0
      await Promise.allSettled(this.#pending)
      await nextTurn()
      vi.advanceTimersByTime(0)
    }
  }

  #lease(deviceId: string, lease: DeviceLease): DeviceLease {
    return this.#observed(lease, (name, result) =>
      name === 'claim' ? mapped(result, (claim) => this.#claimed(deviceId, claim as Claim)) : result,
    )
  }

  #claimed(deviceId: string, claim: Claim): Claim {
    if (claim.is !== 'message') return claim
    const { recorded } = claim
    if (recorded === null) this.#onDispatch(deviceId)
    else {
      this.#add(recorded)
      recorded.then(
        () => this.#onDispatch(deviceId),
        () => {},
      )
    }
    return claim
  }

  #observed<T extends object>(
    target: T,
    map: (name: PropertyKey, result: unknown, parameters: unknown[]) => unknown,
  ): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member = target[name as keyof T]
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]) => {
          const result = map(name, member.apply(target, parameters), parameters)
          if (result instanceof Promise) this.#add(result)
          return result
        }
      },
    })
  }

  #add(call: Promise<unknown>): void {
    this.#pending.add(call)
    void call.catch(() => {}).then(() => this.#pending.delete(call))
  }
}

function mapped<T, R>(value: T | Promise<T>, map: (value: T) => R): R | Promise<R> {
  return value instanceof Promise ? value.then(map) : map(value)
}
