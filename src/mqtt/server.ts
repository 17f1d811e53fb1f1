/** The MQTT broker inside: who is connected, and the library's hooks. Knows no ports, and nothing of HTTP. */
import type { Duplex } from 'node:stream'
import { Aedes, type AedesOptions } from 'aedes'
import type { Accounts } from '../auth/accounts.ts'
import type { Rejection, RejectionLog, RejectionReason } from '../broker/rejection-log.ts'
import type { Problem } from '../wire.ts'
import type { Acl } from './acl.ts'
import { forward, type Peer } from './aedes-internals.ts'
import { Connection } from './connection.ts'
import { FastPath } from './fast-path.ts'
import type { Intake } from './intake.ts'
import { type LoggedIn, LoginRefused, logIn, REJECTION_REASONS } from './login.ts'
import { givenId, NOT_ANY_MORE, OpenConnections, sessionId, type Transport } from './open.ts'
import { Outgoing } from './outgoing.ts'
import { PacketValidator } from './packet-validator.ts'
import { Presence, type PresenceListener } from './presence.ts'
import { Publishing } from './publishing.ts'
import { Sessions } from './sessions.ts'

export const MQTT_LIMITS = {
  /** From the connection to a whole CONNECT. */
  connectTimeoutMs: 10_000,
  /** How often the tokens that clients logged in with are looked at again. */
  tokenCheckMs: 60_000,
} as const

export interface MqttLog {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
  debug(fields: object, message: string): void
}

export interface MqttOptions {
  readonly accounts: Pick<Accounts, 'check' | 'find' | 'session' | 'onChange'>
  readonly acl: Acl
  readonly intake: Intake
  /** True: nobody has to log in. */
  readonly permitAll: boolean
  /** Bytes of the largest payload. */
  readonly payloadLimit: number
  /** Of what the broker itself publishes. */
  readonly qos: 0 | 1 | 2
  /** Told which devices come and go. */
  readonly devices: PresenceListener
  /** Told whom it refuses. */
  readonly rejections: Pick<RejectionLog, 'record'>
  readonly log: MqttLog
}

export class MqttServer {
  readonly #options: MqttOptions
  readonly #aedes: Aedes
  readonly #sessions: Sessions
  readonly #publishing: Publishing
  readonly #presence: Presence
  readonly outgoing: Outgoing
  /** Those that are open now. */
  readonly connections: OpenConnections
  /** Everyone who has logged in, until the client is changed or deleted. A will is published after the end. */
  readonly #who = new WeakMap<Peer, LoggedIn>()
  readonly #online = new Map<string, Set<Peer>>()
  readonly #endings: (() => void)[] = []

  private constructor(options: MqttOptions) {
    const { acl, intake, log } = options
    const whoIs = (peer: Peer): LoggedIn | undefined => this.#who.get(peer)
    const maySubscribe = (peer: Peer, filter: string): boolean => {
      const who = whoIs(peer)
      return who !== undefined && acl.maySubscribe(who, filter)
    }
    this.#options = options
    this.#sessions = new Sessions({ maySubscribe })
    this.#presence = new Presence(options.devices)
    this.connections = new OpenConnections({
      deviceIdOf: (peer) => whoIs(peer)?.id,
      devicesOf: (peer) => this.#presence.devicesOf(peer),
    })
    const publish = (topic: string, payload: string): void => void this.outgoing.publish(topic, payload)
    const refused = (peer: Peer | null, { status, message }: Problem): void =>
      this.#reject(peer, status === 403 ? 'TOPIC_NOT_ALLOWED' : 'MESSAGE_REFUSED', message)
    const isWatched = (): boolean => this.#presence.isWatched
    const sessions = this.#sessions
    this.#publishing = new Publishing({
      ...{ acl, intake, sessions, whoIs, publish, refused, isWatched, log },
      forward: (peer, packet) => forward(this.#aedes, packet, peer),
    })
    this.#aedes = new Aedes({
      ...SETTINGS,
      persistence: this.#sessions,
      preConnect: (_peer, packet, done) => {
        if (packet.clientId) packet.clientId = sessionId(packet.username, packet.clientId)
        done(null, true)
      },
      authenticate: (peer, username, password, done) => {
        this.#logIn(peer, username, password?.toString()).then(
          () => done(null, true),
          (error) => done(error, false),
        )
      },
      authorizePublish: (peer, packet, done) => this.#publishing.authorize(peer, packet, done),
      authorizeSubscribe: (peer, subscription, done) => {
        const may = maySubscribe(peer, subscription.topic)
        if (!may) this.#reject(peer, 'TOPIC_NOT_ALLOWED', `It may not subscribe to "${subscription.topic}".`)
        done(null, may ? subscription : null)
      },
      // What a session kept while its client was away is asked for again: its rights may have changed.
      authorizeForward: (peer, packet) => (maySubscribe(peer, packet.topic) ? packet : null),
    })
    this.outgoing = new Outgoing({
      ...{ aedes: this.#aedes, presence: this.#presence, qos: options.qos },
      isKnown: (peer) => whoIs(peer) !== undefined,
    })
  }

  static async open(options: MqttOptions): Promise<MqttServer> {
    const server = new MqttServer(options)
    await server.#aedes.listen()
    server.#watch()
    return server
  }

  /**
   * Serves a client, over a socket or anything that is like one.
   *
   * @param remote the peer's address
   * @param by what the socket is
   */
  accept(transport: Duplex, remote: string, by: Transport = 'TCP'): void {
    const { payloadLimit, log } = this.#options
    const connection = new Connection({
      transport,
      remote,
      validator: new PacketValidator(payloadLimit),
      onCut: (reason, slow) => {
        log.info({ remote, clientId: peer.id }, `MQTT connection ended: ${reason}`)
        this.#reject(peer, slow ? 'TOO_SLOW' : 'PROTOCOL_ERROR', reason)
      },
    })
    const peer = this.#aedes.handle(connection)
    const closed = this.connections.add(peer, connection, by)
    connection.once('close', () => {
      closed()
      this.#presence.left(peer)
      this.#leave(peer)
    })
  }

  /** Takes nothing new, waits at most `graceMs` for what is under way, and takes leave of every client. */
  async close(graceMs: number): Promise<void> {
    for (const end of this.#endings) end()
    let cut: NodeJS.Timeout | undefined
    const grace = new Promise((resolve) => {
      cut = setTimeout(resolve, graceMs)
    })
    await Promise.race([this.#publishing.close(), grace])
    clearTimeout(cut)
    await new Promise<void>((resolve) => this.#aedes.close(resolve))
    this.connections.cut()
  }

  #watch(): void {
    const { accounts, log } = this.#options
    this.#endings.push(accounts.onChange((deviceId) => this.#dismiss(this.#online.get(deviceId) ?? [])))
    const timer = setInterval(() => {
      const all = [...this.#online.values()].flatMap((peers) => [...peers])
      this.#dismiss(all.filter((peer) => !this.#isValid(peer)))
    }, MQTT_LIMITS.tokenCheckMs).unref()
    this.#endings.push(() => clearInterval(timer))
    const authorize = this.#publishing.authorize.bind(this.#publishing)
    this.#aedes.on('clientReady', (peer) => {
      ;(peer.conn as Connection).fastPath = new FastPath({ peer, authorize })
      // A session that was there before brings subscriptions.
      this.#presence.look(peer)
      log.debug({ clientId: peer.id, version: peer.version }, 'MQTT client connected')
    })
    this.#aedes.on('subscribe', (_subscriptions, peer) => this.#presence.look(peer))
    this.#aedes.on('unsubscribe', (_filters, peer) => this.#presence.look(peer))
    this.#aedes.on('clientDisconnect', (peer) => {
      if (peer.clean) this.#sessions.forget(peer.id)
      log.debug({ clientId: peer.id }, 'MQTT client left')
    })
    for (const event of ['clientError', 'connectionError'] as const) {
      this.#aedes.on(event, ({ id }, error) =>
        log.debug({ clientId: id }, `MQTT connection: ${error.message}`),
      )
    }
    this.#aedes.addListener('error', (error) => log.error({ err: error }, 'unexpected error'))
  }

  async #logIn(peer: Peer, username: string | undefined, password: string | undefined): Promise<void> {
    const { accounts, permitAll, log } = this.#options
    const { remote } = peer.conn as Connection
    try {
      const who: LoggedIn = permitAll
        ? { id: username ?? '', roles: [], unrestricted: true, token: null }
        : await logIn(accounts, { username, password, remote })
      this.#who.set(peer, who)
      const peers = this.#online.get(who.id) ?? new Set()
      this.#online.set(who.id, peers.add(peer))
      if (peer.closed) this.#leave(peer)
    } catch (error) {
      if (error instanceof LoginRefused) {
        log.info({ deviceId: username, remote }, `MQTT login refused: ${error.message}`)
        const reason = REJECTION_REASONS[error.returnCode] ?? 'NO_CREDENTIALS'
        this.#reject(peer, reason, error.message, username)
      } else log.error({ err: error }, 'unexpected error')
      throw error
    }
  }

  #reject(peer: Peer | null, reason: RejectionReason, message: string, deviceId = this.#whoIs(peer)): void {
    const clientId = (peer?.id && givenId(peer.id)) || null
    const address = (peer?.conn as Connection | undefined)?.remote ?? ''
    const rejection: Rejection = {
      reason,
      message,
      deviceId: deviceId ?? null,
      clientId,
      address,
      transport: 'MQTT',
    }
    this.#options.rejections.record(rejection)
  }

  #whoIs(peer: Peer | null): string | undefined {
    return peer ? this.#who.get(peer)?.id : undefined
  }

  #leave(peer: Peer): void {
    const id = this.#who.get(peer)?.id
    const peers = id === undefined ? undefined : this.#online.get(id)
    peers?.delete(peer)
    if (id !== undefined && peers?.size === 0) this.#online.delete(id)
  }

  #isValid(peer: Peer): boolean {
    const token = this.#who.get(peer)?.token ?? null
    return token === null || this.#options.accounts.session(token) !== null
  }

  /** Ends connections whose client was changed or deleted; their wills go with them. */
  #dismiss(peers: Iterable<Peer>): void {
    for (const peer of [...peers]) {
      this.#leave(peer)
      this.#who.delete(peer)
      peer.disconnect({ reasonCode: NOT_ANY_MORE })
    }
  }
}

const SETTINGS = {
  connectTimeout: MQTT_LIMITS.connectTimeoutMs,
  // A write never has to wait (connection.ts), so that no client's turn has to.
  concurrency: 0,
  drainTimeout: 0,
  // Ids are prefixed below; version 3.1 would allow 23 characters.
  maxClientsIdLength: Number.MAX_SAFE_INTEGER,
  /** Packets that come right behind CONNECT, while the password is checked. */
  queueLimit: 1_000,
  pendingSessionsLimit: 100_000,
} satisfies AedesOptions
