/** Receives messages from one other node, as an MQTT client of that node. Knows no client of this node. */
import { X509Certificate } from 'node:crypto'
import type { IPublishPacket, MqttClient } from 'mqtt'
import type { OtherNode } from '../transport/node-directory.ts'

/** User name of a node. No client can be given a name with white space at its end. */
export const NODE_USER = '$node '
/** First level of the topics on which a node sends messages to another one. The second level is their QoS. */
const LINK_TOPIC = '$node'

const LINK_TIMES = { keepAliveSec: 10, connectMs: 5_000 } as const
/** Maximum messages that are being handed to the clients of this node. At that number the link stops reading. */
const UNDER_WAY = 1_000

export interface LinkedMessage {
  readonly topic: string
  readonly payload: Buffer
  readonly qos: 0 | 1 | 2
  readonly retain: boolean
  readonly properties?: IPublishPacket['properties']
}

export interface NodeLinkOptions {
  /** The MQTT client, which only a node that has others loads. */
  readonly connect: typeof import('mqtt').connect
  readonly node: OtherNode
  readonly password: string
  /** Certificate of this node in PEM form; null without TLS. */
  readonly certificate: Buffer | null
  /** Called with each message. @param done is called when the message was handed to the clients of this node */
  readonly onMessage: (message: LinkedMessage, done: () => void) => void
  readonly onOpen: () => void
  /** Called once, when the link is closed or could not be opened. */
  readonly onEnd: (error: Error | null) => void
}

/** Builds the topic on which a message goes to another node, so that its QoS survives a link that delivers at most once. */
export function linkTopic(topic: string, qos: number): string {
  return `${LINK_TOPIC}/${qos}/${topic}`
}

export class NodeLink {
  readonly #client: MqttClient
  readonly #onMessage: NodeLinkOptions['onMessage']
  #filters: ReadonlySet<string> = new Set()
  #underWay = 0
  /** Continues reading. */
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

  /** Subscribes to these filters at the other node, and to no others. */
  sync(filters: ReadonlySet<string>): void {
    if (!this.#client.connected) return
    for (const filter of this.#filters) if (!filters.has(filter)) this.#client.unsubscribe(filter, ignore)
    for (const filter of filters) {
      // The journal brings what is retained. One packet a filter: together they could be larger than the limit of a packet.
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
 * Tells whether no authority has signed a certificate. Nodes with such a certificate share it; any other one is checked by the
 * authorities that Node trusts.
 */
function isSelfSigned(certificate: Buffer): boolean {
  const { issuer, subject } = new X509Certificate(certificate)
  return issuer === subject
}

/** Ignores the answer of the other node. A link that failed ends. */
function ignore(): void {}
