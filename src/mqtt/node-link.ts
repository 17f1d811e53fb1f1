/** Receives messages from one other node, as an MQTT client of that node. Knows no client of this node. */
import { X509Certificate } from 'node:crypto'
import type { IPublishPacket, MqttClient } from 'mqtt'
import type { OtherNode } from '../transport/node-directory.ts'

/** User name of a node. No client can have it, because client ids cannot end with white space. */
export const NODE_USER = '$node '
/** First level of the topics on which a node sends messages to another node. The second level is their QoS. */
const LINK_TOPIC = '$node'

const LINK_TIMES = { keepAliveSec: 10, connectMs: 5_000 } as const
/** Maximum messages being delivered to the clients of this node. At this number the link stops reading. */
const UNDER_WAY = 1_000

export interface LinkedMessage {
  readonly topic: string
  readonly payload: Buffer
  readonly qos: 0 | 1 | 2
  readonly retain: boolean
  readonly properties?: IPublishPacket['properties']
}

export interface NodeLinkOptions {
  /** MQTT client library, loaded only if there are other nodes. */
  readonly connect: typeof import('mqtt').connect
  readonly node: OtherNode
  readonly password: string
  /** Certificate of this node in PEM form; null without TLS. */
  readonly certificate: Buffer | null
  /** Called with each message. @param done called when the message was delivered to the clients of this node */
  readonly onMessage: (message: LinkedMessage, done: () => void) => void
  readonly onOpen: () => void
  /** Called once, when the link is closed or could not be opened. */
  readonly onEnd: (error: Error | null) => void
}

/**
 * Builds the topic for a message to another node. It carries the QoS, because the link itself delivers at most once.
 */
export function linkTopic(topic: string, qos: number): string {
  return `${LINK_TOPIC}/${qos}/${topic}`
}

export class NodeLink {
  readonly #client: MqttClient
  readonly #onMessage: NodeLinkOptions['onMessage']
  #filters: ReadonlySet<string> = new Set()
  #underWay = 0
  #resume: (() => void) | null = null

  constructor({ connect, node, password, certificate, onMessage, onOpen, onEnd }: NodeLinkOptions) {
    this.#onMessage = onMessage
    const isTls = node.scheme === 'mqtts'
    this.#client = connect({
      protocol: isTls ? 'mqtts' : 'mqtt',
      host: node.host,
      port: node.port,
      protocolVersion: 5,
      clientId: '',
      clean: true,
      username: NODE_USER,
      password,
      reconnectPeriod: 0,
      connectTimeout: LINK_TIMES.connectMs,
      keepalive: LINK_TIMES.keepAliveSec,
      ...(isTls && certificate && isSelfSigned(certificate) && { ca: certificate }),
    })
    let failure: Error | null = null
    this.#client.on('error', (error) => {
      failure = error
    })
    this.#client.once('connect', onOpen)
    this.#client.once('close', () => {
      this.#client.end(true)
      onEnd(failure)
    })
    this.#client.handleMessage = (packet, done) => this.#receive(packet, done)
  }

  /** Changes the subscriptions at the other node to exactly these filters. */
  sync(filters: ReadonlySet<string>): void {
    if (!this.#client.connected) return
    for (const filter of this.#filters) if (!filters.has(filter)) this.#client.unsubscribe(filter, ignore)
    for (const filter of filters) {
      // Retained messages come through the journal. One packet per filter: together they could exceed the maximum
      // packet size.
      if (!this.#filters.has(filter))
        this.#client.subscribe(filter, { qos: 0, nl: true, rap: true, rh: 2 }, ignore)
    }
    this.#filters = filters
  }

  close(): void {
    this.#client.end(true)
  }

  #receive({ topic, payload, retain, properties }: IPublishPacket, read: () => void): void {
    const match = /^\$node\/([012])\/(.+)$/s.exec(topic)
    if (!match) {
      read()
      return
    }
    const message: LinkedMessage = {
      topic: match[2] as string,
      payload: payload as Buffer,
      retain,
      qos: Number(match[1]) as 0 | 1 | 2,
      ...(properties && { properties }),
    }
    this.#underWay++
    this.#onMessage(message, () => {
      this.#underWay--
      const resume = this.#resume
      this.#resume = null
      resume?.()
    })
    if (this.#underWay < UNDER_WAY) read()
    else this.#resume = read
  }
}

/**
 * Returns whether a certificate is self-signed. Nodes with such a certificate share it; any other certificate is
 * checked against the authorities that Node trusts.
 */
function isSelfSigned(certificate: Buffer): boolean {
  const { issuer, subject } = new X509Certificate(certificate)
  return issuer === subject
}

/** Ignores the response of the other node. A failed link ends. */
function ignore(): void {}
