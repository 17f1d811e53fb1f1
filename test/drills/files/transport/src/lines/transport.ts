/** Implements the transport LINES: a device receives its commands as lines of JSON over TCP. Knows no queue. */
import type { Socket } from 'node:net'
import type { DispatchedMessage } from '../broker/vocabulary/message.ts'
import { listenAddress, urlOf } from '../net/address.ts'
import { ConnectionLimit } from '../net/connection-limit.ts'
import { type Listener, listenTcp } from '../net/listener.ts'
import type { Transport, TransportContext, TransportKind, TransportServices } from '../transport/transport.ts'
import { deliveredMessage, type MessageResult, resultMessage } from '../wire/results.ts'
import { LineConnection } from './connection.ts'

export const LINES: TransportKind = {
  name: 'LINES',
  versions: ['1'],
  schemes: { plain: 'lines', tls: 'lines-tls' },
  create: (context) => {
    const address = listenAddress(context.settings.linesAddress)
    return address && new LineTransport(address, context)
  },
}

class LineTransport implements Transport {
  readonly name = LINES.name
  url: string | null = null
  readonly #address: { readonly host: string; readonly port: number }
  readonly #context: TransportContext
  readonly #open = new Set<LineConnection>()
  #services: TransportServices | null = null
  #listener: Listener | null = null

  constructor(address: { readonly host: string; readonly port: number }, context: TransportContext) {
    this.#address = address
    this.#context = context
  }

  async start(services: TransportServices): Promise<void> {
    const { settings, log, tls } = this.#context
    const { name } = this
    this.#services = services
    const setting = 'server.max-connections'
    const limit = new ConnectionLimit({ name, maximum: settings.maxConnections, setting, log })
    this.#listener = await listenTcp(
      { name, flag: '--lines', ...this.#address, tls, limit },
      (socket, remote) => this.#accept(socket, remote, services),
    )
    this.url = urlOf(tls ? LINES.schemes.tls : LINES.schemes.plain, this.#listener)
  }

  dispatch(deviceId: string, message: DispatchedMessage): boolean {
    const text = deliveredMessage(message, this.#services?.wantsDetails(deviceId))
    // Sends to each connection of the device, as every transport does.
    return this.#of(deviceId).filter((each) => each.send(text)).length > 0
  }

  disconnect(deviceId: string): void {
    for (const each of this.#of(deviceId)) each.disconnect()
  }

  disconnectAll(): void {
    for (const each of this.#open) each.disconnect()
  }

  notify(producerId: string, result: MessageResult): void {
    for (const each of this.#of(producerId)) each.send(resultMessage(result))
  }

  async stop(graceMs: number): Promise<void> {
    this.url = null
    const closed = this.#listener?.close()
    const timer = setTimeout(() => this.disconnectAll(), graceMs).unref()
    await Promise.all([...this.#open].map((each) => each.finish()))
    await closed
    clearTimeout(timer)
  }

  #of(deviceId: string): LineConnection[] {
    return [...this.#open].filter((each) => each.deviceId === deviceId)
  }

  #accept(socket: Socket, address: string, services: TransportServices): void {
    const { settings, tls, log } = this.#context
    const connection = new LineConnection(socket, {
      protocol: this.name,
      transport: tls ? 'TLS' : 'TCP',
      address,
      lineBytes: settings.bodyLimit,
      services,
      log,
    })
    this.#open.add(connection)
    void connection.serve().then(() => this.#open.delete(connection))
  }
}
