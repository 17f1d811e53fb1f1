/** Serves MQTT clients: opens their connections and implements the hooks of the library. Knows no ports and no HTTP. */
import type { Duplex } from 'node:stream'
import { Aedes, type AedesOptions, type AedesPublishPacket, type PublishPacket } from 'aedes'
import type { Grant, GrantMark } from '../auth/grant.ts'
import type { HoldAccess } from '../auth/held.ts'
import type { Log } from '../process/log.ts'
import type { RegisteredConnection, SocketKind } from '../transport/connections.ts'
import type { NodeAddress } from '../transport/node-directory.ts'
import type { TransportServices } from '../transport/transport.ts'
import { acknowledgementLimit } from '../wire/acknowledgement.ts'
import type { Acl } from './acl.ts'
import { Admission } from './admission.ts'
import {
  containErrors,
  containStorageErrors,
  discardWill,
  endWithConnection,
  forgetSession,
  forward,
  hardenSubscriptions,
  interceptSubscriptions,
  keepAliveOf,
  ofRestored,
  onTakenOver,
  type Peer,
  subscriptionsOf,
} from './aedes-internals.ts'
import { BrokerPublisher } from './broker-publisher.ts'
import { clientOf, contain, MqttConnection } from './connection.ts'
import { describeConnection } from './describe-connection.ts'
import { DeviceSubscriptions } from './device-subscriptions.ts'
import { FastPath } from './fast-path.ts'
import { LimitLog } from './limit-log.ts'
import type { NodeLinks } from './node-links.ts'
import { OtherNodes } from './other-nodes.ts'
import { PACKET_HEADERS, PacketValidator } from './packet-validator.ts'
import { isWill, PublishHandler } from './publish-handler.ts'
import { MqttRejections, namesOf } from './rejections.ts'
import { outlivesConnection } from './session-begin.ts'
import { type SessionFields, sessionFields, sessionId } from './session-id.ts'
import { SESSION_LIMITS } from './session-states.ts'
import { Sessions } from './sessions.ts'
import { SubscriptionHandler } from './subscription-handler.ts'
import { withAllIdentifiers } from './subscription-identifiers.ts'
import { SubscriptionQuota } from './subscription-quota.ts'
import { withShownIds } from './sys-topics.ts'
import { Wills } from './wills.ts'

export const MQTT_LIMITS = {
  /** Maximum time from the start of a connection to a complete CONNECT. */
  connectTimeoutMs: 10_000,
} as const

/** Access of connections of other nodes, which never ends. */
const WITHOUT_ACCESS: HoldAccess = () => ({ holds: () => true, release() {} })

/** Reason codes of MQTT 5 section 2.4. */
const NOT_AUTHORIZED = 0x87
const ADMINISTRATIVE_ACTION = 0x98

export interface MqttOptions {
  readonly name: string
  readonly services: TransportServices
  readonly acl: Acl
  readonly payloadLimit: number
  /** Quality of service of the broker's own messages. */
  readonly qos: 0 | 1 | 2
  readonly log: Log
  /** Returns the current certificate of this server in PEM form; null without TLS. */
  readonly certificate: () => Buffer | null
  /** Returns milliseconds since 1970. */
  readonly now?: () => number
}

export class MqttServer {
  readonly #options: MqttOptions
  readonly #aedes: Aedes
  readonly #sessions: Sessions
  /** Null with a single node. */
  readonly #nodes: OtherNodes | null
  readonly #publishHandler: PublishHandler
  readonly #devices: DeviceSubscriptions
  readonly #rejections: MqttRejections
  readonly #admission: Admission
  readonly #wills: Wills
  readonly #quota = new SubscriptionQuota()
  readonly #subscriptions: SubscriptionHandler
  readonly publisher: BrokerPublisher
  readonly #open = new Set<MqttConnection>()

  private constructor(options: MqttOptions) {
    const { acl, services, log, name, payloadLimit, now = Date.now } = options
    const currentClientOf = (peer: Peer): Grant | null => {
      const client = clientOf(peer)
      return client && services.access.isCurrent(client) ? client : null
    }
    const maySubscribe = (peer: Peer, filter: string): boolean => {
      const client = currentClientOf(peer)
      return client !== null && acl.maySubscribe(client, filter)
    }
    const authorizeFilter = (peer: Peer, filter: string): boolean => {
      const may = maySubscribe(peer, filter)
      if (!may)
        this.#rejections.record(peer, 'TOPIC_NOT_ALLOWED', `The client may not subscribe to "${filter}".`)
      return may
    }
    this.#options = options
    const limits = new LimitLog({ log, now })
    this.#rejections = new MqttRejections({ name, rejections: services.rejections, limits })
    this.#sessions = new Sessions({
      ended: (id) => {
        forgetSession(this.#aedes, id)
        this.#nodes?.sessions.expired(id)
      },
      accessEnded: (id) => {
        endWithConnection(this.#aedes, id)
        forgetSession(this.#aedes, id)
        this.#nodes?.sessions.expired(id)
      },
      ...(services.shared && {
        changed: async (id: string) => this.#nodes?.sessions.changed(id),
        cleaned: (id: string) => this.#nodes?.links.interest.cleaned(id),
        sharesRetained: true,
      }),
      limits,
      now,
    })
    this.#subscriptions = new SubscriptionHandler({
      sessions: this.#sessions,
      quota: this.#quota,
      authorize: authorizeFilter,
      beyondQuota: (peer, filter) => this.#rejections.filterBeyondQuota(peer, filter),
    })
    this.#devices = new DeviceSubscriptions({
      attach: (deviceId) => services.attach(deviceId, name),
      detach: (deviceId) => services.detach(deviceId, name),
      mayReceive: maySubscribe,
      gatewayDevices: (peer) => {
        const client = clientOf(peer)
        const list = client && acl.gatewayList(client)
        return list && { ownId: client.id, list }
      },
      pending: services.pending,
      duties: services.duties,
      log,
    })
    this.#wills = new Wills({
      hasAccess: (peer) => currentClientOf(peer) !== null,
      ended: (peer, topic, cause) => {
        const entry = entryOf(peer)
        if (entry) services.connections.willEnded(entry, topic, cause)
      },
    })
    this.#publishHandler = new PublishHandler({
      acl,
      commands: services.commands,
      sessions: this.#sessions,
      payloadLimit,
      log,
      currentClientOf,
      publish: (topic, payload) => void this.publisher.publish(topic, payload),
      refused: (peer, { status, message, code }) =>
        this.#rejections.record(
          peer,
          status === 403 ? 'TOPIC_NOT_ALLOWED' : 'MESSAGE_REFUSED',
          message,
          code,
        ),
      tooManyUnreleased: (peer) => {
        const message = this.#rejections.tooManyUnreleased(peer)
        entryOf(peer)?.endsFor('PROTOCOL_ERROR', { message })
      },
      hasObservers: () => this.#devices.hasObservers,
      forward: (peer, packet) => forward(this.#aedes, packet, peer),
      ...(services.shared && {
        retain: async (packet: PublishPacket) =>
          (await this.#nodes?.retained.put(packet as AedesPublishPacket)) ?? true,
      }),
    })
    this.#aedes = new Aedes({
      ...AEDES_OPTIONS,
      // The validator refuses larger packets; the library announces the limit in CONNACK.
      maximumPacketSize: acknowledgementLimit(options.payloadLimit) + PACKET_HEADERS,
      persistence: containStorageErrors(this.#sessions, (id, error) => this.#failSession(id, error)),
      preConnect: (_peer, packet, done) => {
        if (packet.clientId) packet.clientId = sessionId(packet.username, packet.clientId)
        done(null, true)
      },
      authenticate: (peer, username, password, done) => {
        this.#admission.admit(peer, username, password?.toString()).then(
          () => contain(peer, () => done(null, true)),
          (error) => contain(peer, () => done(error, false)),
        )
      },
      authorizePublish: (peer, packet, done) => {
        const report = isWill(packet) ? this.#wills.reporting(peer, packet, done) : done
        this.#publishHandler.authorize(peer, packet, report)
      },
      // Clients subscribe past this hook, so it sees the filters of other nodes and of resumed sessions.
      authorizeSubscribe: (peer, given, done) => {
        const subscription = ofRestored(given)
        const { topic } = subscription
        const links = this.#linksOf(peer)
        const may = links
          ? links.maySubscribe(topic)
          : authorizeFilter(peer, topic) && this.#quota.take(peer, topic)
        done(null, may ? subscription : null)
      },
      // The rights of a client may have changed while it was away, so check the messages of its session.
      authorizeForward: (peer, packet) => {
        const links = this.#linksOf(peer)
        if (links) {
          links.forward(peer, packet)
          return null
        }
        const accepts = maySubscribe(peer, packet.topic) && this.#devices.accepts(peer, packet.topic)
        return accepts ? withAllIdentifiers(peer, withShownIds(packet)) : null
      },
    })
    this.#wills.follow(this.#aedes)
    const { shared, traffic, duties } = services
    this.#nodes =
      shared &&
      new OtherNodes({
        proofs: {
          of: (peer) => {
            const client = currentClientOf(peer)
            return client && services.access.markOf(client)
          },
          isCurrent: (proof) => services.access.isMarkCurrent(proof as GrantMark),
        },
        aedes: this.#aedes,
        sessions: this.#sessions,
        limits,
        shared,
        traffic,
        duties,
        certificate: options.certificate,
        log,
      })
    const { logins, connections } = services
    this.#admission = new Admission({
      name,
      aedes: this.#aedes,
      sessions: this.#sessions,
      nodes: this.#nodes,
      logins,
      connections,
      log,
    })
    this.publisher = new BrokerPublisher({
      aedes: this.#aedes,
      devices: this.#devices,
      qos: options.qos,
      hasAccess: (peer) => currentClientOf(peer) !== null,
    })
  }

  static async open(options: MqttOptions): Promise<MqttServer> {
    const server = new MqttServer(options)
    await server.#aedes.listen()
    server.#listen()
    await server.#nodes?.retained.start()
    return server
  }

  /** Starts the exchange with other nodes. @param address where they reach this server */
  link(address: NodeAddress): void {
    this.#nodes?.links.start(address)
  }

  /** Serves a client over a socket or another duplex stream. @param remote address of the peer */
  accept(transport: Duplex, remote: string, socket: SocketKind = 'TCP'): void {
    const { payloadLimit, services } = this.#options
    const connection = new MqttConnection({
      transport,
      remote,
      validator: new PacketValidator(payloadLimit, acknowledgementLimit(payloadLimit)),
      onCut: (text, slow) => {
        const reason = slow ? 'TOO_SLOW' : 'PROTOCOL_ERROR'
        entry.endsFor(reason, { message: text })
        this.#rejections.record(peer, reason, text)
      },
      onFailure: (error) => this.#logFailure(error, namesOf(peer)),
    })
    const peer = this.#aedes.handle(connection)
    hardenSubscriptions(peer)
    containErrors(peer, connection.fail)
    const entry = services.connections.add({
      protocol: this.#options.name,
      describe: () => ({
        ...describeConnection(peer, connection, [...this.#devices.devicesOf(peer)]),
        transport: socket,
        protocol: this.#options.name,
      }),
      disconnect: (discardsWill) => {
        if (discardsWill) this.#wills.discarded(peer, discardWill(peer), 'ADMIN')
        peer.disconnect({ reasonCode: ADMINISTRATIVE_ACTION })
      },
      accessEnded: (cause) => {
        this.#devices.remove(peer)
        connection.endWith(cause === 'client-removed' ? NOT_AUTHORIZED : ADMINISTRATIVE_ACTION)
      },
      devicesChanged: () => this.#devices.update(peer),
      receives: (deviceId) => this.#devices.connected(deviceId)?.peers.has(peer) ?? false,
    })
    onTakenOver(peer, () => {
      entry.endsFor('TAKEN_OVER')
    })
    connection.entry = entry
    this.#open.add(connection)
    connection.once('close', () => {
      this.#open.delete(connection)
      this.#devices.remove(peer)
      this.#nodes?.ended(peer)
      services.connections.remove(entry)
    })
  }

  /** Ends the connections of a device, which may connect again. A gateway loses the device and stays connected. */
  disconnect(deviceId: string): void {
    for (const peer of this.#devices.release(deviceId)) {
      entryOf(peer)?.endsFor('TAKEN_OVER')
      peer.disconnect({ reasonCode: ADMINISTRATIVE_ACTION })
    }
  }

  /** Ends every connection at once and drops unsent packets. */
  disconnectAll(): void {
    for (const connection of [...this.#open]) {
      connection.entry?.endsFor('LEASE')
      connection.abort()
    }
    this.#nodes?.sessions.lapse()
  }

  /** Refuses new messages, waits at most `graceMs` for accepted messages, and ends every connection. */
  async close(graceMs: number): Promise<void> {
    this.#nodes?.links.close()
    let cut: NodeJS.Timeout | undefined
    const grace = new Promise((resolve) => {
      cut = setTimeout(resolve, graceMs)
    })
    await Promise.race([this.#publishHandler.close(), grace])
    clearTimeout(cut)
    for (const { entry } of this.#open) entry?.endsFor('STOPPED')
    await new Promise<void>((resolve) => this.#aedes.close(resolve))
    for (const connection of this.#open) connection.destroy()
    this.#devices.close()
    this.#sessions.close()
    await this.#nodes?.close()
  }

  #listen(): void {
    const { log } = this.#options
    const authorize = this.#publishHandler.authorize.bind(this.#publishHandler)
    this.#aedes.on('client', (peer) => {
      const client = clientOf(peer)
      this.#sessions.open(peer.id, client?.id ?? '', client ? this.#holdSession(client) : WITHOUT_ACCESS)
      if (this.#nodes) this.#sessions.count(peer.id, Object.keys(subscriptionsOf(peer)))
    })
    this.#aedes.on('clientReady', (peer) =>
      contain(peer, () => {
        const connection = peer.conn as MqttConnection
        if (!this.#linksOf(peer)) this.#ready(peer, connection)
        connection.begin(new FastPath({ peer, authorize }))
      }),
    )
    const changed = (peer: Peer, filters: readonly string[]): void => {
      if (this.#linksOf(peer)) return
      this.#nodes?.links.interest.update(peer, filters)
      this.#quota.update(peer, filters)
      this.#devices.update(peer, filters)
      this.#described(peer)
    }
    this.#aedes.on('subscribe', (subscriptions, peer) => {
      this.#sessions.subscribed(peer)
      const filters = subscriptions.map(({ topic }) => topic)
      contain(peer, () => changed(peer, filters))
    })
    this.#aedes.on('unsubscribe', (filters, peer) => contain(peer, () => changed(peer, filters)))
    this.#aedes.on('clientDisconnect', (peer) => {
      if (outlivesConnection(peer)) this.#sessions.leave(peer.id)
      else this.#sessions.forget(peer.id)
      log.debug(namesOf(peer), 'MQTT client disconnected')
    })
    for (const event of ['clientError', 'connectionError'] as const) {
      this.#aedes.on(event, (peer, error) => log.debug(namesOf(peer), `MQTT connection: ${error.message}`))
    }
    this.#aedes.on('keepaliveTimeout', (peer) =>
      entryOf(peer)?.endsFor('KEEP_ALIVE', { keepAliveSeconds: keepAliveOf(peer) }),
    )
    this.#aedes.addListener('error', (error) => log.error({ err: error }, 'unexpected error'))
  }

  /**
   * Returns a function that registers a session of a client. The session outlives a token or a key: its content goes
   * only to the same client, after the client logs in again.
   */
  #holdSession(client: Grant): HoldAccess {
    const { held } = this.#options.services
    return (end) => held.hold({ ...client, endsAtMs: null }, { kind: 'session', end })
  }

  #ready(peer: Peer, connection: MqttConnection): void {
    interceptSubscriptions(
      peer,
      (task) => connection.contain(task),
      (packet, done) => this.#subscriptions.handle(peer, packet, done),
      (isWaiting) => {
        connection.isWaiting = isWaiting
      },
    )
    // A resumed session may bring subscriptions.
    this.#devices.update(peer)
    this.#nodes?.links.interest.open(peer)
    this.#described(peer)
    this.#options.log.debug({ ...namesOf(peer), version: peer.version }, 'MQTT client connected')
  }

  /** Ends the connection of a session after an unexpected error. */
  #failSession(sessionId: string | undefined, error: unknown): void {
    const ended = [...this.#open].filter(({ client }) => client?.id === sessionId)
    for (const connection of ended) connection.fail(error)
    if (ended.length === 0) this.#logFailure(error, sessionFields(sessionId))
  }

  #logFailure(error: unknown, names: SessionFields): void {
    const message =
      'an unexpected error in the work for an MQTT client ended its connection. Report the error'
    this.#options.log.error({ err: error, ...names }, message)
  }

  /** Returns the links to other nodes if a connection belongs to another node; null for a client. */
  #linksOf(peer: Peer): NodeLinks | null {
    return this.#nodes?.links.has(peer) ? this.#nodes.links : null
  }

  /** Reports that the description of a connection has changed. */
  #described(peer: Peer): void {
    const entry = entryOf(peer)
    if (entry) this.#options.services.connections.changed(entry)
  }
}

function entryOf(peer: Peer): RegisteredConnection | null {
  return (peer.conn as MqttConnection).entry
}

const AEDES_OPTIONS = {
  connectTimeout: MQTT_LIMITS.connectTimeoutMs,
  // MqttConnection never blocks a write, so the library needs no limit of writes at a time and no drain timeout.
  concurrency: 0,
  drainTimeout: 0,
  // sessionId() prefixes the ids, so they exceed the 23 characters of version 3.1.
  maxClientsIdLength: Number.MAX_SAFE_INTEGER,
  pendingSessionsLimit: 100_000,
  receiveMaximum: SESSION_LIMITS.unreleased,
  sessionExpiryIntervalLimit: SESSION_LIMITS.expirySec,
} satisfies AedesOptions
