/** MQTT client (the `mqtt` package) that keeps its messages until the test reads them. It is closed after the test. */
import mqtt, {
  type IClientOptions,
  type IConnackPacket,
  type IPublishPacket,
  type MqttClient,
  type Packet,
} from 'mqtt'
import { generate } from 'mqtt-packet'
import { whenDone } from './cleanup.ts'

export interface Message {
  readonly topic: string
  readonly text: string
  readonly packet: IPublishPacket
}

export interface MqttOptions extends IClientOptions {
  readonly port: number
  readonly host?: string
}

/** Protocol versions of MQTT, by level. */
export const VERSIONS = [3, 4, 5] as const

export class MqttPeer {
  readonly client: MqttClient
  readonly #messages: Message[] = []
  #wake: () => void = () => {}
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>
  /** CONNACK of the broker. */
  connack: IConnackPacket = { cmd: 'connack', sessionPresent: false }

  private constructor(client: MqttClient) {
    this.client = client
    client.on('error', () => {})
    client.on('message', (topic, payload, packet) => {
      this.#messages.push({ topic, text: payload.toString(), packet })
      this.#wake()
    })
    this.closed = new Promise((resolve) => void client.once('close', () => resolve()))
    whenDone(() => client.end(true))
  }

  /** @throws {Error} when the broker refuses; `code` is that of CONNACK */
  static async connect({ port, host = '127.0.0.1', ...options }: MqttOptions): Promise<MqttPeer> {
    const protocolId = options.protocolVersion === 3 ? 'MQIsdp' : 'MQTT'
    const client = mqtt.connect({ host, port, protocolId, reconnectPeriod: 0, ...options })
    const peer = new MqttPeer(client)
    await new Promise<void>((resolve, reject) => {
      client.once('connect', (connack) => {
        peer.connack = connack
        resolve()
      })
      client.once('error', reject)
      client.once('close', () => reject(new Error('closed without CONNACK')))
    })
    return peer
  }

  /** @returns the codes of SUBACK: the QoS granted, 0x80 and above for a refusal */
  async subscribe(...filters: string[]): Promise<number[]> {
    const suback = this.packet('suback')
    this.client.subscribe(filters, { qos: 1 }, () => {})
    return (await suback).granted as number[]
  }

  /** Resolves with the acknowledgement; with QoS 0 when it was sent. Rejects on a refusal in version 5. */
  async publish(topic: string, payload: string | object | Buffer, options: object = {}): Promise<void> {
    const raw = typeof payload === 'string' || Buffer.isBuffer(payload)
    await this.client.publishAsync(topic, raw ? payload : JSON.stringify(payload), { qos: 1, ...options })
  }

  /** Returns the next message, which may have already arrived. */
  async next(): Promise<Message> {
    for (;;) {
      const message = this.#messages.shift()
      if (message) return message
      if (!this.client.connected) throw new Error('the connection ended without a message')
      const arrived = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      await Promise.race([arrived, this.closed])
    }
  }

  /** Makes a round trip to the broker and returns the unread messages. */
  async rest(): Promise<Message[]> {
    const pong = this.packet('pingresp')
    this.client.sendPing()
    await pong
    return this.#messages.splice(0)
  }

  unread(): readonly Message[] {
    return this.#messages
  }

  /** Resolves with the next packet of this kind that arrives. */
  packet(cmd: Packet['cmd']): Promise<Packet & Record<string, unknown>> {
    return new Promise((resolve) => {
      const look = (packet: Packet): void => {
        if (packet.cmd !== cmd) return
        this.client.off('packetreceive', look)
        resolve(packet as Packet & Record<string, unknown>)
      }
      this.client.on('packetreceive', look)
    })
  }

  /** Sends a packet past the client's own bookkeeping. */
  raw(packet: Packet): void {
    this.client.stream.write(generate(packet, { protocolVersion: this.client.options.protocolVersion }))
  }

  /** Disconnects with DISCONNECT. */
  async end(): Promise<void> {
    await this.client.endAsync()
  }

  /** Ends the connection without DISCONNECT, like a broken line. */
  async drop(): Promise<void> {
    this.client.stream.destroy()
    await this.closed
  }
}

/** Returns the code with which CONNACK refuses a login; null when the login succeeds. */
export async function refusalOf(options: MqttOptions): Promise<number | null> {
  try {
    const peer = await MqttPeer.connect(options)
    await peer.drop()
    return null
  } catch (error) {
    return (error as { code: number }).code
  }
}
