/** MQTT connection that sends exactly the packets of the test and answers none. It is closed after the test. */
import { connect, type Socket } from 'node:net'
import { generate, type Packet, parser } from 'mqtt-packet'
import { whenDone } from './cleanup.ts'

export type ReceivedPacket = Packet & Record<string, unknown>

export class RawMqtt {
  readonly #socket: Socket
  readonly #version: number
  readonly #packets: ReceivedPacket[] = []
  #wake: () => void = () => {}
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>

  private constructor(socket: Socket, version: number) {
    this.#socket = socket
    this.#version = version
    const packets = parser({ protocolVersion: version })
    packets.on('packet', (packet) => {
      this.#packets.push(packet as ReceivedPacket)
      this.#wake()
    })
    socket.on('data', (chunk) => void packets.parse(chunk))
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => void socket.once('close', () => resolve()))
    whenDone(() => void socket.destroy())
  }

  /** @param fields fields of CONNECT, in addition to a clean session of version 3.1.1 */
  static async connect(port: number, fields: object): Promise<RawMqtt> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    const packet = {
      cmd: 'connect',
      protocolVersion: 4,
      clean: true,
      keepalive: 0,
      clientId: 'raw',
      ...fields,
    }
    const peer = new RawMqtt(socket, packet.protocolVersion)
    peer.send(packet)
    return peer
  }

  send(...packets: readonly object[]): void {
    const bytes = packets.map((packet) => generate(packet as Packet, { protocolVersion: this.#version }))
    this.#socket.write(Buffer.concat(bytes))
  }

  /** Returns the next packet of a kind, which may have already arrived. Drops the packets before it. */
  async next(cmd: string): Promise<ReceivedPacket> {
    for (;;) {
      const packet = this.#packets.shift()
      if (packet?.cmd === cmd) return packet
      if (packet) continue
      if (this.#socket.destroyed) throw new Error(`the connection ended without ${cmd}`)
      const arrived = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      await Promise.race([arrived, this.closed])
    }
  }

  /** Makes a round trip to the server and returns the unread packets. */
  async rest(): Promise<ReceivedPacket[]> {
    const before = this.#packets.splice(0)
    this.send({ cmd: 'pingreq' })
    for (;;) {
      const packet = this.#packets.shift()
      if (packet?.cmd === 'pingresp') return before
      if (packet) before.push(packet)
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
