/**
 * Keeps several connections to a server open that send hostile MQTT packets, over TCP and WebSocket, and counts the
 * outcomes.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Packet, parser } from 'mqtt-packet'
import WebSocket, { createWebSocketStream } from 'ws'
import { HostileMqtt } from './hostile-mqtt.ts'

export interface FuzzerOptions {
  readonly mqttPort: number
  readonly httpPort: number
  readonly logins: readonly { readonly username: string; readonly password: string }[]
  readonly random: () => number
}

const CONNECTIONS = 8

export class MqttFuzzer {
  readonly #options: FuzzerOptions
  readonly #hostile: HostileMqtt
  packets = 0
  opened = 0
  ended = 0
  /** Filters, messages and logins that were refused with a code. */
  refused = 0

  constructor(options: FuzzerOptions) {
    this.#options = options
    this.#hostile = new HostileMqtt(options.random)
  }

  /** Sends packets until this total number. */
  async sendUntil(packets: number): Promise<void> {
    const worker = async (): Promise<void> => {
      while (this.packets < packets) await this.#session()
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  }

  /** Sends packets over one connection, until the server or the sender ends it. */
  async #session(): Promise<void> {
    const hostile = this.#hostile
    const version = hostile.pick([3, 4, 4, 5, 5])
    const connection = new Connection(await this.#open(), version, (packet) => this.#count(packet))
    this.opened++
    let first = hostile.connect(version, hostile.chance(0.97) ? hostile.pick(this.#options.logins) : null)
    if (hostile.chance(0.5)) {
      connection.stream.write(first)
      first = Buffer.alloc(0)
      await connection.roundTrip()
    }
    const bursts = 1 + hostile.below(12)
    for (let i = 0; i < bursts && !connection.isClosed; i++) {
      const built = Array.from({ length: 1 + hostile.below(30) }, () => hostile.packet(version))
      this.packets += built.length
      await this.#write(connection, Buffer.concat([first, ...built.map(({ bytes }) => bytes)]))
      first = Buffer.alloc(0)
      // A server that waits for the rest of a packet answers nothing.
      if (built.some(({ isWhole }) => !isWhole)) break
      if (hostile.chance(0.85)) await connection.roundTrip()
    }
    if (connection.isClosed) this.ended++
    else await connection.close(hostile.chance(0.5))
  }

  /** Writes bytes in one piece or in several. */
  async #write({ stream }: Connection, bytes: Buffer): Promise<void> {
    const hostile = this.#hostile
    for (let at = 0; at < bytes.length && !stream.destroyed; ) {
      const end = hostile.chance(0.7) ? bytes.length : at + 1 + hostile.below(200)
      stream.write(bytes.subarray(at, end))
      at = end
      if (hostile.chance(0.3)) await new Promise(setImmediate)
    }
  }

  async #open(): Promise<Duplex> {
    const { mqttPort, httpPort } = this.#options
    if (this.#hostile.chance(0.4)) {
      const socket = new WebSocket(`ws://127.0.0.1:${httpPort}/mqtt`, 'mqtt')
      await once(socket, 'open')
      return createWebSocketStream(socket)
    }
    const socket = connect({ host: '127.0.0.1', port: mqttPort, noDelay: true })
    await once(socket, 'connect')
    return socket
  }

  #count(packet: Packet): void {
    const { granted, reasonCode, returnCode } = packet as {
      readonly granted?: readonly number[]
      readonly reasonCode?: number
      readonly returnCode?: number
    }
    const codes = [...(granted ?? []), reasonCode ?? 0, returnCode ? 0x80 : 0]
    this.refused += codes.filter((code) => code >= 0x80).length
  }
}

class Connection {
  readonly stream: Duplex
  isClosed = false
  readonly #closed: Promise<void>
  #pongs = 0
  #wake: () => void = () => {}

  constructor(stream: Duplex, version: number, onPacket: (packet: Packet) => void) {
    this.stream = stream
    const packets = parser({ protocolVersion: version })
    packets.on('packet', (packet) => {
      if (packet.cmd === 'pingresp') this.#pongs++
      onPacket(packet)
      this.#wake()
    })
    packets.on('error', () => {})
    stream.on('data', (chunk: Buffer) => void packets.parse(chunk))
    stream.on('error', () => {})
    stream.on('end', () => stream.end())
    this.#closed = new Promise((resolve) => {
      stream.on('close', () => {
        this.isClosed = true
        this.#wake()
        resolve()
      })
    })
  }

  /** Resolves when the server has answered everything, or has ended the connection. */
  async roundTrip(): Promise<void> {
    // The answers to earlier pings may still come.
    const pongs = this.#pongs + 1
    this.stream.write(Buffer.of(0xc0, 0))
    while (!this.isClosed && this.#pongs < pongs) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Closes the connection. @param abruptly like a broken line */
  async close(abruptly: boolean): Promise<void> {
    if (abruptly) this.stream.destroy()
    else this.stream.end(Buffer.of(0xe0, 0))
    await this.#closed
  }
}
