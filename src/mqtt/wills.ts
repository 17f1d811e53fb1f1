/** Follows what becomes of the wills of devices: published, or discarded and why. Knows no payload. */
import type { Aedes, PublishPacket } from 'aedes'
import type { WillCause } from '../transport/connections.ts'
import { followDelayedWills, type Peer } from './aedes-internals.ts'

type Done = (error?: Error | null) => void

export interface WillsOptions {
  /** Called with each will that was published (cause null) or discarded. */
  readonly ended: (peer: Peer, topic: string, cause: WillCause | null) => void
  /** Returns whether the client of a connection still has access. */
  readonly hasAccess: (peer: Peer) => boolean
}

export class Wills {
  readonly #options: WillsOptions

  constructor(options: WillsOptions) {
    this.#options = options
  }

  /** Follows the delayed wills of a broker of the library. */
  follow(broker: Aedes): void {
    followDelayedWills(broker, (peer, will) => {
      this.discarded(peer, will, this.#options.hasAccess(peer) ? 'SESSION_CONTINUED' : 'ACCESS_ENDED')
    })
  }

  /** Reports a will that is not published. @param will null for a connection without a will */
  discarded(peer: Peer, will: PublishPacket | null, cause: WillCause): void {
    if (will !== null) this.#options.ended(peer, will.topic, cause)
  }

  /** Returns a callback for the authorization of a will, which reports the outcome. */
  reporting(peer: Peer | null, { topic }: PublishPacket, done: Done): Done {
    if (peer === null) return done
    return (error) => {
      const refused = this.#options.hasAccess(peer) ? 'REFUSED' : 'ACCESS_ENDED'
      this.#options.ended(peer, topic, error ? refused : null)
      done(error)
    }
  }
}
