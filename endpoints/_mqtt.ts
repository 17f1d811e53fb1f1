/** Opens MQTT, the broker's second door, beside the handlers in this directory. Not a route. */
import { mqttListenAddress } from '../src/address.ts'
import type { Accounts } from '../src/auth/accounts.ts'
import type { MayActFor } from '../src/auth/own-queue.ts'
import type { Unanswered } from '../src/broker/attention.ts'
import type { Broker } from '../src/broker/broker.ts'
import { Delivery } from '../src/broker/delivery.ts'
import type { LineState } from '../src/broker/messages.ts'
import type { Presence } from '../src/broker/presence.ts'
import type { Refusals } from '../src/broker/refusals.ts'
import type { MessageStore } from '../src/broker/store.ts'
import type { Tally } from '../src/broker/tally.ts'
import type { Settings } from '../src/config.ts'
import { Intake } from '../src/mqtt/intake.ts'
import { listenMqtt } from '../src/mqtt/listener.ts'
import type { OpenConnections } from '../src/mqtt/open.ts'
import { Rights } from '../src/mqtt/rights.ts'
import { MqttServer } from '../src/mqtt/server.ts'
import type { Log } from '../src/web/app.ts'
import type { Tls, WebSocketHandler } from '../src/web/http.ts'
import { deliveredMessage, messageResult, problemOf } from '../src/wire.ts'
import { errors } from './_errors.ts'

/** How long what is under way may take while the server stops. */
const GRACE_MS = 5_000

/** The second one is what clients of version 3.1 offer. */
const PROTOCOLS = ['mqtt', 'mqttv3.1']

export interface Mqtt {
  /** The same over WebSocket [MQTT-6.0.0-3]. */
  readonly socket: WebSocketHandler
  /** How the delivery to a device stands; null when it has no connection. */
  line(deviceId: string): LineState | null
  /** Messages that went out at least so many times in vain. */
  unanswered(times: number): Unanswered[]
  readonly connections: OpenConnections
  /** Where it listens. */
  readonly url: string
  close(): Promise<void>
}

export interface MqttParts {
  readonly settings: Settings
  readonly log: Log
  readonly tls: Tls | null
  readonly accounts: Accounts
  readonly broker: Broker
  readonly messages: MessageStore
  readonly presence: Presence
  readonly tally: Tally
  readonly refusals: Refusals
  readonly mayActFor: MayActFor
}

/** @returns null when it is switched off. @throws {StartError} when the address cannot be listened on */
export async function openMqtt({ settings, log, tls, ...parts }: MqttParts): Promise<Mqtt | null> {
  const address = mqttListenAddress(settings.mqttAddress)
  if (address === null) return null
  const { accounts, broker, messages, presence, tally, refusals, mayActFor } = parts
  const delivery = new Delivery({
    broker,
    messages,
    publish: (deviceId, message, atMs) =>
      server.outgoing.deliver(deviceId, deliveredMessage(message, atMs), message.guarantee === 'NO'),
    gapMs: settings.sendMessagePeriodMs,
    responseTimeoutMs: settings.responseTimeoutMs,
    tally,
    log,
  })
  const server = await MqttServer.open({
    accounts,
    rights: new Rights({ mayActFor, extraTopics: settings.mqttExtraTopics }),
    intake: new Intake({ broker, mayActFor, explain: (error) => problemOf(error, errors), log }),
    permitAll: settings.permitAll,
    payloadLimit: settings.bodyLimit,
    qos: settings.mqttQos,
    devices: {
      attach(deviceId) {
        presence.connected(deviceId, 'MQTT')
        delivery.attach(deviceId)
      },
      detach(deviceId) {
        presence.disconnected(deviceId, 'MQTT')
        return delivery.detach(deviceId)
      },
    },
    refusals,
    log,
  })
  // tmpId 0 says that the producer does not want to be told.
  const untell = broker.onChange(({ messageId, status, tmpId, producerId }) => {
    if (!tmpId || producerId === null) return
    server.outgoing.tell(producerId, JSON.stringify(messageResult(messageId, tmpId, status)))
  })
  try {
    const listener = await listenMqtt({ ...address, tls }, (socket, remote) =>
      server.accept(socket, remote, tls ? 'TLS' : 'TCP'),
    )
    const url = `${tls ? 'mqtts' : 'mqtt'}://${address.host.includes(':') ? `[${address.host}]` : address.host}:${listener.port}`
    log.info({ mqtt: url }, `MQTT 3.1, 3.1.1 and 5 on ${url}`)
    return {
      socket: {
        protocols: PROTOCOLS,
        open: (stream, remote) => server.accept(stream, remote, tls ? 'WSS' : 'WS'),
      },
      line: (deviceId) => delivery.line(deviceId),
      unanswered: (times) => delivery.unanswered(times),
      connections: server.connections,
      url,
      async close() {
        const closed = listener.close()
        await delivery.close()
        await server.close(GRACE_MS)
        untell()
        await closed
      },
    }
  } catch (error) {
    untell()
    await delivery.close()
    await server.close(0)
    throw error
  }
}
