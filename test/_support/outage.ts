/** Storage outage: from `begin` to `end` calls of the storage fail like those of an unresponsive database. */
import { BrokerError } from '../../src/broker/vocabulary/errors.ts'
import type { StoreOptions } from '../../src/store/driver.ts'
import { openStore } from '../../src/store/open.ts'
import type { Storage } from '../../src/store/storage.ts'

/** Members that make no storage call. */
const LOCAL = /^(?:watch|on[A-Z]|isLive|close$)/

export class Outage {
  #calls: readonly string[] = []
  refused = 0

  /** Opens the configured storage, in place of the server. */
  readonly open = async (options: StoreOptions): Promise<Storage> => this.over(await openStore(options))

  /** Makes these calls fail, such as `messages.pendingDevices`, or all calls of a part, such as `nodes`. */
  begin(...calls: string[]): void {
    this.#calls = calls
  }

  end(): void {
    this.#calls = []
  }

  /** Returns a storage whose calls this outage can make fail. */
  over<T extends object>(target: T, path = ''): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof name !== 'string' || LOCAL.test(name)) return bound(member, target)
        const place = path === '' ? name : `${path}.${name}`
        if (typeof member === 'object' && member !== null && path.split('.').length < 3)
          return this.over(member, place)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]) => {
          if (!this.#calls.some((each) => place === each || place.startsWith(`${each}.`)))
            return member.apply(target, parameters)
          this.refused++
          return Promise.reject(new BrokerError('storage-away', 'The database does not answer.'))
        }
      },
    })
  }
}

function bound(member: unknown, target: object): unknown {
  return typeof member === 'function' ? member.bind(target) : member
}
