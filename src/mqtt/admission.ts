/** Admits MQTT clients and the links of other nodes: login, session takeover, and the options of CONNECT. */
import type { Aedes } from 'aedes'
import { Starting } from '../auth/errors.ts'
import type { Log } from '../process/log.ts'
import { LoginRejected } from '../transport/logins.ts'
import type { TransportServices } from '../transport/transport.ts'
import type { Peer } from './aedes-internals.ts'
import { applyClientLimits } from './client-limits.ts'
import { refused, unavailable } from './connack.ts'
import type { MqttConnection } from './connection.ts'
import type { OtherNodes } from './other-nodes.ts'
import { beginSession } from './session-begin.ts'
import { givenId } from './session-id.ts'
import type { Sessions } from './sessions.ts'

export interface AdmissionOptions extends Pick<TransportServices, 'logins' | 'connections'> {
  readonly name: string
  readonly aedes: Aedes
  readonly sessions: Sessions
  /** Null with a single node. */
  readonly nodes: OtherNodes | null
  readonly log: Log
}

export class Admission {
  readonly #options: AdmissionOptions

  constructor(options: AdmissionOptions) {
    this.#options = options
  }

  /** @throws {Error} with the `returnCode` for CONNACK */
  async admit(peer: Peer, username: string | undefined, password: string | undefined): Promise<void> {
    const { aedes, sessions, nodes, log } = this.#options
    if (nodes && !nodes.sessions.isOpen) throw unavailable(new Error('this node has no lease'))
    await this.#logIn(peer, username, password)
    await this.#takeSession(peer)
    await beginSession(aedes, sessions, peer)
    if (peer.version >= 5) applyClientLimits(peer, sessions, log)
  }

  async #logIn(peer: Peer, username: string | undefined, password: string | undefined): Promise<void> {
    const { name, nodes, logins, connections, log } = this.#options
    const { remote: address, entry, signal } = peer.conn as MqttConnection
    if (nodes?.links.accept(peer, username, password)) {
      // Operators see only the connections of clients.
      if (entry) connections.remove(entry)
      return
    }
    try {
      const clientId = givenId(peer.id) || null
      const client = await logins.logIn({ username, password, address, clientId, transport: name, signal })
      if (entry) connections.identify(entry, client)
      if (entry?.client === null)
        throw new LoginRejected('WRONG_CREDENTIALS', 'the access of the client has ended')
    } catch (error) {
      if (!(error instanceof LoginRejected || error instanceof Starting))
        log.error({ err: error }, 'unexpected error')
      throw refused(error as Error)
    }
  }

  async #takeSession(peer: Peer): Promise<void> {
    const { nodes } = this.#options
    if (nodes === null) return
    await nodes.sessions.begin(peer).catch((error: Error) => {
      throw unavailable(error)
    })
    // The connection may have closed while the storage answered.
    if ((peer.conn as MqttConnection).destroyed) nodes.sessions.ended(peer)
  }
}
