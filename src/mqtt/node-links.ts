/**
 * Exchanges the messages of clients with the other nodes, at most once: each node subscribes at the others to the
 * filters of its own clients. A node forwards only messages of its own clients, so no message can loop. Knows no access
 * control of clients.
 */
import type { Aedes, AedesPublishPacket, PublishPacket } from 'aedes'
import { generate } from 'mqtt-packet'
import type { Log } from '../process/log.ts'
import type { NodeAddress, OtherNode } from '../transport/node-directory.ts'
import type { NodeTraffic } from '../transport/node-traffic.ts'
import type { SharedTransports } from '../transport/transport.ts'
import type { Peer } from './aedes-internals.ts'
import type { MqttConnection } from './connection.ts'
import { Interest } from './interest.ts'
import { LinkQueue } from './link-queue.ts'
import { linkTopic, NODE_USER, NodeLink, type NodeLinkOptions } from './node-link.ts'
import { isFilter, isForClients } from './topics.ts'

/** Period of the search for other nodes, and pause before the next attempt to reach one, in milliseconds. */
const LOOK_MS = 1_000
const RETRY_MS = 5_000
/** Name of all other nodes in the packets of the library, instead of a broker id. */
const OTHER_NODE = 'another node'

export interface NodeLinksOptions {
  readonly aedes: Aedes
  readonly shared: Pick<SharedTransports, 'cluster' | 'listeners' | 'proofs'>
  readonly traffic: NodeTraffic
  /** Returns the certificate of this node in PEM form; null without TLS. */
  readonly certificate: () => Buffer | null
  readonly log: Pick<Log, 'warn' | 'info'>
}

export class NodeLinks {
  readonly interest: Interest
  readonly #options: NodeLinksOptions
  /** Links to the nodes that send to this node, by number. */
  readonly #links = new Map<number, NodeLink>()
  /** Queues to the nodes that receive from this node. */
  readonly #queues = new WeakMap<Peer, LinkQueue>()
  /** Unreachable nodes, which were logged, with the time of the next attempt. */
  readonly #unreachable = new Map<number, number>()
  #address: NodeAddress | null = null
  #announcedAs: number | null = null
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> | null = null
  #isSyncing = false
  #isClosed = false
  #unsubscribe = (): void => {}

  constructor(options: NodeLinksOptions) {
    this.#options = options
    this.interest = new Interest(() => this.#syncSoon())
  }

  /** Starts the exchange. @param address where the other nodes reach this node */
  start(address: NodeAddress): void {
    this.#address = address
    this.#unsubscribe = this.#options.shared.cluster.onNews((news) => {
      if (news.is === 'node-listens') this.#look()
    })
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
    this.#look()
  }

  /** Accepts a connection of another node. Returns false for a client. */
  accept(peer: Peer, username: string | undefined, password: string | undefined): boolean {
    const { shared, traffic } = this.#options
    if (username !== NODE_USER || !shared.proofs.isValid(password ?? '', shared.cluster.nodeId)) return false
    this.#queues.set(peer, new LinkQueue(peer.conn as MqttConnection, traffic))
    return true
  }

  has(peer: Peer): boolean {
    return this.#queues.has(peer)
  }

  maySubscribe(filter: string): boolean {
    return isFilter(filter) && isForClients(filter)
  }

  /** Sends a message to another node, unless the message came from a node or is addressed to the broker. */
  forward(peer: Peer, packet: AedesPublishPacket): void {
    const { topic, payload, qos, retain, properties } = packet as PublishPacket & AedesPublishPacket
    if (packet.brokerId === OTHER_NODE || !isForClients(topic)) return
    const message = {
      cmd: 'publish',
      topic: linkTopic(topic, qos),
      payload,
      qos: 0,
      retain,
      dup: false,
    } as const
    try {
      const bytes = generate({ ...message, ...(properties && { properties }) }, { protocolVersion: 5 })
      this.#queues.get(peer)?.push(bytes)
    } catch {
      // The topic was too long for the prefix.
      this.#options.traffic.dropped++
    }
  }

  close(): void {
    this.#isClosed = true
    this.#unsubscribe()
    if (this.#timer) clearInterval(this.#timer)
    for (const link of this.#links.values()) link.close()
  }

  #syncSoon(): void {
    if (this.#isSyncing) return
    this.#isSyncing = true
    setImmediate(() => {
      this.#isSyncing = false
      const filters = this.interest.filters()
      for (const link of this.#links.values()) link.sync(filters)
      if (filters.size > 0 && this.#links.size === 0) this.#look()
    })
  }

  #look(): void {
    if (this.#address === null || this.#isClosed) return
    this.#looking ??= this.#lookOnce(this.#address)
      // The storage reports its failures. The next attempt follows soon.
      .catch(() => {})
      .finally(() => {
        this.#looking = null
      })
  }

  async #lookOnce(address: NodeAddress): Promise<void> {
    const { cluster, listeners } = this.#options.shared
    const { nodeId } = cluster
    if (this.#announcedAs !== nodeId) {
      await listeners.announce(address)
      this.#announcedAs = nodeId
    }
    // Without a subscription there is nothing to receive.
    const others = this.interest.filters().size > 0 ? await listeners.others() : []
    const present = new Set(others.map((other) => other.nodeId))
    for (const [id, link] of this.#links) if (!present.has(id)) link.close()
    for (const id of this.#unreachable.keys()) if (!present.has(id)) this.#unreachable.delete(id)
    const now = performance.now()
    const unlinked = others.filter(
      (other) => !this.#links.has(other.nodeId) && now >= (this.#unreachable.get(other.nodeId) ?? 0),
    )
    if (unlinked.length === 0) return
    const { connect } = await import('mqtt')
    for (const other of unlinked) if (!this.#isClosed) this.#open(other, connect)
  }

  #open(node: OtherNode, connect: NodeLinkOptions['connect']): void {
    const { shared, certificate, aedes, traffic, log } = this.#options
    const { nodeId, scheme, host, port } = node
    const shown = { nodeId, address: `${scheme}://${host}:${port}` }
    let isOpen = false
    const link: NodeLink = new NodeLink({
      connect,
      node,
      certificate: certificate(),
      password: shared.proofs.issue(shared.cluster.nodeId, nodeId),
      onMessage: (message, done) => {
        traffic.received++
        const packet = { cmd: 'publish', dup: false, ...message, brokerId: OTHER_NODE } as const
        aedes.publish(packet, () => done())
      },
      onOpen: () => {
        isOpen = true
        traffic.links++
        if (this.#unreachable.delete(nodeId)) log.info(shown, 'another node is reached again')
        link.sync(this.interest.filters())
      },
      onEnd: (error) => {
        this.#links.delete(nodeId)
        if (isOpen) traffic.links--
        if (isOpen || this.#isClosed) return
        const isKnown = this.#unreachable.has(nodeId)
        this.#unreachable.set(nodeId, performance.now() + RETRY_MS)
        if (isKnown) return
        log.warn(
          { ...shown, reason: error?.message ?? 'closed' },
          'another node cannot be reached, so clients here do not receive what its clients publish to topics of their own. Open its MQTT port to this machine, or set --node-address on that node. With mqtt.proxy-protocol its server.trusted-proxies must not contain this machine',
        )
      },
    })
    this.#links.set(nodeId, link)
  }
}
