/** A cheap MQTT 3.1.1 client for many devices in one process: a bare socket, QoS 1, a clean session, calls on each event. */
import { connect, type Socket } from 'node:net'
import { generate, type IConnectPacket, type IPublishPacket, type Packet, parser } from 'mqtt-packet'

export interface LinkOptions {
  readonly port: number
  readonly clientId: string
  readonly username: string
  readonly password: string
  /** Address of this machine to connect from. */
  readonly localAddress?: string
  /**
   * Time without a packet of the server after which a connection is given up; pings are twice as frequent. The server has at
   * most {@link PATIENCE_MS} to accept it.
   */
  readonly patienceMs?: number
  readonly onMessage?: (topic: string, payload: Buffer) => void
  /** Called with each packet of the server. */
  readonly onHeard?: () => void
}

/** Default of `patienceMs`. */
export const PATIENCE_MS = 3_000

export class MqttLink {
  readonly #socket: Socket
  readonly #options: LinkOptions
  readonly #waiting = new Map<string, (packet: Packet | null) => void>()
  #lastId = 0
  #receivedAtMs = performance.now()
  #isAccepted = false
  isClosed = false
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>

  private constructor(options: LinkOptions, socket: Socket) {
    this.#options = options
    this.#socket = socket
    const { patienceMs = PATIENCE_MS } = options
    const packets = parser({ protocolVersion: 4 })
    packets.on('packet', (packet) => this.#receive(packet))
    socket.on('data', (chunk) => void packets.parse(chunk))
    socket.on('error', () => {})
    const check = setInterval(() => {
      const limitMs = this.#isAccepted ? patienceMs : PATIENCE_MS
      if (performance.now() - this.#receivedAtMs > limitMs) this.close()
      else this.#send({ cmd: 'pingreq' })
    }, PATIENCE_MS / 2)
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        clearInterval(check)
        this.isClosed = true
        for (const end of this.#waiting.values()) end(null)
        this.#waiting.clear()
        resolve()
      })
    })
  }

  /** Connects and logs in. @returns null when the server refuses, or does not answer in time */
  static async open(options: LinkOptions): Promise<MqttLink | null> {
    const { port, localAddress, clientId, username, password } = options
    const socket = connect({
      ...{ host: '127.0.0.1', port, noDelay: true },
      ...(localAddress !== undefined && { localAddress }),
    })
    const link = new MqttLink(options, socket)
    const packet: IConnectPacket = {
      ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 60 },
      ...{ clientId, username, password: Buffer.from(password) },
    }
    const answer = await link.#request(packet, 'connack')
    link.#isAccepted = answer?.cmd === 'connack' && answer.returnCode === 0
    if (link.#isAccepted) return link
    link.close()
    return null
  }

  /** @returns false when the connection ended before the server answered */
  async subscribe(topic: string): Promise<boolean> {
    const messageId = this.#nextId()
    const answer = await this.#request(
      { cmd: 'subscribe', messageId, subscriptions: [{ topic, qos: 1 }] },
      `suback ${messageId}`,
    )
    return answer !== null
  }

  /** @returns false when the connection ended before the server confirmed the message */
  async publish(topic: string, payload: string): Promise<boolean> {
    const messageId = this.#nextId()
    const packet: IPublishPacket = {
      cmd: 'publish',
      qos: 1,
      dup: false,
      retain: false,
      topic,
      payload,
      messageId,
    }
    return (await this.#request(packet, `puback ${messageId}`)) !== null
  }

  /** Ends the connection without DISCONNECT. */
  close(): void {
    this.#socket.destroy()
  }

  #nextId(): number {
    this.#lastId = (this.#lastId % 65_535) + 1
    return this.#lastId
  }

  #request(packet: Packet, answer: string): Promise<Packet | null> {
    if (this.isClosed) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#waiting.set(answer, resolve)
      this.#send(packet)
    })
  }

  #send(packet: Packet): void {
    if (!this.isClosed) this.#socket.write(generate(packet))
  }

  #receive(packet: Packet): void {
    this.#receivedAtMs = performance.now()
    this.#options.onHeard?.()
    if (packet.cmd === 'publish') {
      const { qos, messageId, topic, payload } = packet
      if (qos === 1 && messageId !== undefined) this.#send({ cmd: 'puback', messageId })
      this.#options.onMessage?.(topic, payload as Buffer)
      return
    }
    const key = packet.cmd === 'connack' ? packet.cmd : `${packet.cmd} ${packet.messageId}`
    this.#waiting.get(key)?.(packet)
    this.#waiting.delete(key)
  }
}
