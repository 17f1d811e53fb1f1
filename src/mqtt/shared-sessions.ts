/**
 * Synchronizes the MQTT sessions of this node with the other nodes: the last opened connection has the session, and
 * each node knows its subscriptions. Knows no access control.
 */
import type { Aedes, Subscription } from 'aedes'
import type { Cluster, News } from '../broker/contract/cluster.ts'
import { levelOf } from '../broker/vocabulary/errors.ts'
import type { Duties } from '../process/duties.ts'
import type { Log } from '../process/log.ts'
import type { SessionDirectory, TakenSession } from '../transport/session-directory.ts'
import {
  cancelDelayedWill,
  forgetSession,
  hasCleanStart,
  type Peer,
  SESSION_TAKEN_OVER,
} from './aedes-internals.ts'
import { outlivesConnection } from './session-begin.ts'
import { givenId } from './session-id.ts'
import type { Sessions } from './sessions.ts'

/** Proves that a session kept by another node still belongs to the access that stored it. */
export interface SessionProofs {
  /** Returns a proof, as a JSON value, for the client of a connection; null when access checks are off. */
  of(peer: Peer): unknown
  isCurrent(proof: unknown): boolean
}

/** Subscriptions of a session, as shared by nodes. */
interface KeptSession {
  readonly proof: unknown
  readonly subscriptions: Subscription[]
}

export interface SharedSessionsOptions {
  readonly proofs: SessionProofs
  readonly aedes: Aedes
  readonly sessions: Sessions
  readonly directory: SessionDirectory
  readonly cluster: Cluster
  readonly duties: Pick<Duties, 'perform'>
  readonly log: Pick<Log, 'debug' | 'warn'>
}

interface HeldSession {
  readonly fence: number
  /** The connection; null if it has ended and its session outlives it. */
  peer: Peer | null
}

type SessionTaken = Extract<News, { is: 'session-taken' }>

export class SharedSessions {
  readonly #options: SharedSessionsOptions
  readonly #held = new Map<string, HeldSession>()
  /** Latest fence of another node, for the sessions that this node is about to take over. */
  readonly #foreign = new Map<string, { claims: number; fence: number }>()
  readonly #unsubscribe: () => void

  constructor(options: SharedSessionsOptions) {
    this.#options = options
    this.#unsubscribe = options.cluster.onNews((news) => {
      if (news.is === 'session-taken') this.#taken(news)
    })
  }

  /**
   * False while this node has no lease. Data that it stored about a new connection would then belong to a node that
   * counts as dead.
   */
  get isOpen(): boolean {
    return this.#options.cluster.isLive()
  }

  /**
   * Takes over the session of a client that has just logged in, with its stored subscriptions.
   *
   * @throws {Error} when a later connection took the session meanwhile, or the storage failed
   */
  async begin(peer: Peer): Promise<void> {
    const sessionId = peer.id
    // The library generated the id, so no other connection can have it.
    if (givenId(sessionId) === '') return
    const foreign = this.#foreign.get(sessionId) ?? { claims: 0, fence: 0 }
    this.#foreign.set(sessionId, foreign)
    foreign.claims++
    try {
      const taken = await this.#options.directory.take({
        sessionId,
        isClean: hasCleanStart(peer),
        expirySeconds: peer.sessionExpiryInterval,
      })
      if (foreign.fence > taken.fence) throw new Error('the session was taken over')
      await this.#continue(peer, taken)
    } finally {
      if (--foreign.claims === 0) this.#foreign.delete(sessionId)
    }
  }

  /** Stores the subscriptions of a session that outlives its connection. Resolves when they are durable. */
  async changed(sessionId: string): Promise<void> {
    const held = this.#held.get(sessionId)
    if (!held?.peer || !outlivesConnection(held.peer)) return
    const subscriptions = await this.#options.sessions.keptSubscriptions(sessionId)
    const kept: KeptSession = { proof: this.#options.proofs.of(held.peer), subscriptions }
    const text = subscriptions.length === 0 ? null : JSON.stringify(kept)
    await this.#options.directory.keep(sessionId, held.fence, text)
  }

  /** Releases the session of a connection that ended, or keeps it without a connection. */
  ended(peer: Peer): void {
    const held = this.#held.get(peer.id)
    if (held?.peer !== peer) return
    const outlives = outlivesConnection(peer)
    held.peer = null
    if (!outlives) this.#held.delete(peer.id)
    this.#release(peer.id, held.fence, outlives ? peer.sessionExpiryInterval : 0)
  }

  /** Releases a session without a connection that this node ended. */
  expired(sessionId: string): void {
    const held = this.#held.get(sessionId)
    if (!held) return
    this.#held.delete(sessionId)
    this.#release(sessionId, held.fence, 0)
  }

  /** Drops all sessions, because other nodes may have taken them while this node had no lease. */
  lapse(): void {
    for (const sessionId of this.#held.keys()) this.#drop(sessionId)
    this.#held.clear()
  }

  close(): void {
    this.#unsubscribe()
  }

  async #continue(peer: Peer, { fence, previous, subscriptions }: TakenSession): Promise<void> {
    const { sessions } = this.#options
    const held = this.#held.get(peer.id)
    this.#held.set(peer.id, { fence, peer })
    if (previous !== null && held?.fence === previous) return
    const kept = subscriptions === null ? null : this.#proven(JSON.parse(subscriptions) as KeptSession)
    if (held || kept === null) await sessions.cleanSubscriptions(peer)
    if (kept !== null) await sessions.restore(peer, kept)
  }

  /** Returns the subscriptions of a session; null if the access that stored them has ended. */
  #proven({ proof, subscriptions }: KeptSession): Subscription[] | null {
    return proof === null || this.#options.proofs.isCurrent(proof) ? subscriptions : null
  }

  /** Ends the connection of a session that another node took over. */
  #taken({ sessionId, fence, isClean }: SessionTaken): void {
    const foreign = this.#foreign.get(sessionId)
    if (foreign) foreign.fence = Math.max(foreign.fence, fence)
    const held = this.#held.get(sessionId)
    if (!held || held.fence > fence) return
    this.#held.delete(sessionId)
    const end = (): void => {
      // A resumed session needs no delayed will (MQTT 5 section 3.1.3.2.2). The will of a discarded session keeps its
      // delay.
      if (!isClean) cancelDelayedWill(this.#options.aedes, sessionId)
      if (!this.#held.has(sessionId)) this.#drop(sessionId)
    }
    if (held.peer === null) end()
    else held.peer.disconnect({ reasonCode: SESSION_TAKEN_OVER }, end)
  }

  #drop(sessionId: string): void {
    const { aedes, sessions } = this.#options
    forgetSession(aedes, sessionId)
    void sessions.cleanSubscriptions({ id: sessionId })
  }

  #release(sessionId: string, fence: number, expirySeconds: number): void {
    const { directory, duties, log } = this.#options
    // The fence protects a session that was taken again from a late attempt.
    void duties.perform(
      () => directory.release(sessionId, fence, expirySeconds),
      (error) =>
        log[levelOf(error, 'warn')](
          { err: error },
          'the end of an MQTT session was not stored; it is tried again',
        ),
    )
  }
}
