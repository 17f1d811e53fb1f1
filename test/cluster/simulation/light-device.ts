/** An MQTT device that costs little: a bare socket, one parser, and counters in place of lists. It completes each command. */
import { connect, type Socket } from 'node:net'
import { generate, type Packet, parser } from 'mqtt-packet'
import type { DeviceCounts } from './device-counts.ts'

export interface LightDeviceOptions {
  readonly id: string
  readonly localAddress: string
  readonly port: number
  readonly username: string
  readonly password: string
  readonly counts: DeviceCounts
}

/** Time of a device between a command and its acknowledgement. */
const WORK_MS = 20

export class LightDevice {
  readonly #options: LightDeviceOptions
  readonly #socket: Socket
  #messageId = 1
  /** The newest command that was received. */
  #newest = 0
  #inFlight = 0
  /** Resolves with true when the device is subscribed, with false when the connection ended before. */
  readonly ready: Promise<boolean>

  constructor(options: LightDeviceOptions) {
    this.#options = options
    const { id, localAddress, port, username, password, counts } = options
    this.#socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true })
    const packets = parser({ protocolVersion: 4 })
    this.ready = new Promise((resolve) => {
      packets.on('packet', (packet) => {
        if (packet.cmd === 'connack') this.#subscribe()
        else if (packet.cmd === 'suback') resolve(true)
        else if (packet.cmd === 'publish') this.#receive(packet.messageId, packet.payload as Buffer)
      })
      this.#socket.once('close', () => resolve(false))
    })
    this.#socket.on('data', (bytes) => void packets.parse(bytes))
    this.#socket.on('error', () => {})
    this.#socket.once('close', () => counts.closed++)
    this.#send({
      ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 600 },
      ...{ clientId: id, username, password: Buffer.from(password) },
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #subscribe(): void {
    const topic = `consumer/request/${this.#options.id}`
    this.#send({ cmd: 'subscribe', messageId: this.#messageId++, subscriptions: [{ topic, qos: 1 }] })
  }

  #receive(messageId: number | undefined, payload: Buffer): void {
    const { counts } = this.#options
    if (messageId !== undefined) this.#send({ cmd: 'puback', messageId })
    const { id, data } = JSON.parse(payload.toString()) as { id: number; data: { sentMs: number } }
    if (this.#inFlight !== 0 && this.#inFlight !== id) counts.twoInFlight++
    if (id < this.#newest) counts.outOfOrder++
    else if (id === this.#newest) counts.repeated++
    else {
      counts.received++
      counts.latencies.add(Date.now() - data.sentMs)
    }
    this.#newest = Math.max(this.#newest, id)
    this.#inFlight = id
    setTimeout(() => this.#complete(id), WORK_MS)
  }

  #complete(id: number): void {
    if (this.#inFlight === id) this.#inFlight = 0
    this.#messageId = (this.#messageId % 65_535) + 1
    this.#send({
      ...{ cmd: 'publish', qos: 1, dup: false, retain: false, messageId: this.#messageId },
      topic: `consumer/response/${this.#options.id}`,
      payload: JSON.stringify({ id, deliveryStatus: 'COMPLETED' }),
    })
  }

  #send(packet: Packet): void {
    this.#socket.write(generate(packet))
  }
}
