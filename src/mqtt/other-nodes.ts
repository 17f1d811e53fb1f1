/** Combines the state shared with the servers of other nodes: sessions, retained messages, messages of clients. */
import type { Aedes } from 'aedes'
import type { Duties } from '../process/duties.ts'
import type { Log } from '../process/log.ts'
import type { NodeTraffic } from '../transport/node-traffic.ts'
import type { SharedTransports } from '../transport/transport.ts'
import type { Peer } from './aedes-internals.ts'
import type { LimitLog } from './limit-log.ts'
import { NodeLinks } from './node-links.ts'
import type { Sessions } from './sessions.ts'
import { SharedRetained } from './shared-retained.ts'
import { type SessionProofs, SharedSessions } from './shared-sessions.ts'

export interface OtherNodesOptions {
  readonly aedes: Aedes
  readonly sessions: Sessions
  readonly shared: SharedTransports
  readonly proofs: SessionProofs
  readonly traffic: NodeTraffic
  readonly duties: Pick<Duties, 'perform'>
  readonly limits: LimitLog
  /** Returns the current certificate of this server in PEM form; null without TLS. */
  readonly certificate: () => Buffer | null
  readonly log: Log
}

export class OtherNodes {
  readonly sessions: SharedSessions
  readonly retained: SharedRetained
  readonly links: NodeLinks

  constructor({
    aedes,
    sessions,
    shared,
    proofs,
    traffic,
    duties,
    limits,
    certificate,
    log,
  }: OtherNodesOptions) {
    const { cluster } = shared
    this.sessions = new SharedSessions({
      aedes,
      sessions,
      cluster,
      proofs,
      duties,
      log,
      directory: shared.sessions,
    })
    this.retained = new SharedRetained({
      directory: shared.retained,
      limits,
      copy: {
        topics: () => sessions.retainedTopics(),
        hold: (packet) => sessions.holdRetained(packet),
      },
    })
    this.links = new NodeLinks({ aedes, shared, traffic, certificate, log })
  }

  ended(peer: Peer): void {
    this.sessions.ended(peer)
    this.links.interest.leave(peer)
  }

  async close(): Promise<void> {
    this.sessions.close()
    await this.retained.close()
  }
}
