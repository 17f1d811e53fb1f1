/** Implements the transport MQTT: its listener, its WebSocket and the dispatch of messages. Knows no queue. */
import type { Duplex } from 'node:stream'
import type { MaybePromise } from '../broker/contract/store.ts'
import type { DispatchedMessage, DispatchResult } from '../broker/vocabulary/message.ts'
import { listenAddress, parseAddress, urlOf } from '../net/address.ts'
import { ConnectionLimit } from '../net/connection-limit.ts'
import { type Listener, listenTcp } from '../net/listener.ts'
import type { ProxyHeaderOptions } from '../net/proxy-header-reader.ts'
import { TrustedProxies } from '../net/trusted-proxies.ts'
import type {
  Transport,
  TransportContext,
  TransportKind,
  TransportServices,
  WebSocketEntrance,
} from '../transport/transport.ts'
import { deliveredMessage, type MessageResult, resultMessage } from '../wire/results.ts'
import { Acl } from './acl.ts'
import { VERSIONS } from './describe-connection.ts'
import { MQTT_LIMITS, MqttServer } from './server.ts'

export const MQTT: TransportKind = {
  name: 'MQTT',
  versions: VERSIONS,
  schemes: { plain: 'mqtt', tls: 'mqtts' },
  create: (context) => {
    const address = listenAddress(context.settings.mqttAddress)
    return address && new MqttTransport(address, context)
  },
}

/** Returns the address at which other nodes reach the listener. Without a host the storage determines it. */
function nodeAddress(
  setting: string | null,
  listener: { readonly host: string; readonly port: number },
): { readonly host: string | null; readonly port: number } {
  const given = setting === null ? null : parseAddress(setting)
  const isAny = listener.host === '0.0.0.0' || listener.host === '::'
  return { host: given?.address ?? (isAny ? null : listener.host), port: given?.port ?? listener.port }
}

class MqttTransport implements Transport {
  readonly name = MQTT.name
  /** WebSocket entrance with its subprotocols [MQTT-6.0.0-3]. Clients of version 3.1 offer the second subprotocol. */
  readonly webSocket: WebSocketEntrance = {
    path: '/mqtt',
    protocols: ['mqtt', 'mqttv3.1'],
    open: (stream, remote) => this.#acceptWebSocket(stream, remote),
  }
  url: string | null = null
  readonly #address: { readonly host: string; readonly port: number }
  readonly #context: TransportContext
  #server: MqttServer | null = null
  #wantsDetails: TransportServices['wantsDetails'] = () => false
  #listener: Listener | null = null

  constructor(address: { readonly host: string; readonly port: number }, context: TransportContext) {
    this.#address = address
    this.#context = context
  }

  async start(services: TransportServices): Promise<void> {
    const { settings, log, tls } = this.#context
    this.#wantsDetails = services.wantsDetails
    const server = await MqttServer.open({
      name: this.name,
      services,
      acl: new Acl({ ...services, extraTopics: settings.mqttExtraTopics }),
      payloadLimit: settings.bodyLimit,
      qos: settings.mqttQos,
      log,
      certificate: () => tls?.certificate.cert ?? null,
    })
    this.#server = server
    const limit = new ConnectionLimit({
      name: this.name,
      maximum: settings.mqttMaxConnections,
      setting: 'mqtt.max-connections',
      log,
    })
    this.#listener = await listenTcp(
      {
        name: this.name,
        flag: '--mqtt',
        ...this.#address,
        tls,
        limit,
        proxyHeader: this.#proxyHeader(services),
      },
      (socket, remote) => server.accept(socket, remote, tls ? 'TLS' : 'TCP'),
    )
    const scheme = tls ? MQTT.schemes.tls : MQTT.schemes.plain
    this.url = urlOf(scheme, this.#listener)
    const { host, port } = nodeAddress(settings.nodeAddress, this.#listener)
    server.link({ scheme, host, port })
  }

  dispatch(deviceId: string, message: DispatchedMessage): MaybePromise<DispatchResult> {
    if (this.#server === null) return false
    // Only NO messages are lost if the connection breaks. Waiting for the write costs time, so wait for NO messages
    // alone.
    const follow = message.guarantee === 'NO'
    const payload = deliveredMessage(message, this.#wantsDetails(deviceId))
    return this.#server.publisher.dispatch(deviceId, payload, follow)
  }

  disconnect(deviceId: string): void {
    this.#server?.disconnect(deviceId)
  }

  disconnectAll(): void {
    this.#server?.disconnectAll()
  }

  notify(producerId: string, result: MessageResult): void {
    this.#server?.publisher.notify(producerId, resultMessage(result))
  }

  async stop(graceMs: number): Promise<void> {
    this.url = null
    const closed = this.#listener?.close()
    await this.#server?.close(graceMs)
    await closed
  }

  #proxyHeader({ rejections }: TransportServices): ProxyHeaderOptions | null {
    const { mqttProxyProtocol, trustedProxies } = this.#context.settings
    if (!mqttProxyProtocol) return null
    const peer = { deviceId: null, clientId: null, transport: this.name }
    return {
      proxies: new TrustedProxies(trustedProxies),
      timeoutMs: MQTT_LIMITS.connectTimeoutMs,
      onInvalid: (address, message) =>
        rejections.record({ reason: 'PROTOCOL_ERROR', message, address, ...peer }),
    }
  }

  #acceptWebSocket(stream: Duplex, remote: string): void {
    this.#server?.accept(stream, remote, this.#context.tls ? 'WSS' : 'WS')
  }
}
