/** Defines what a transport is, and what the broker offers to one. Types only; REST is no transport, it is the site. */
import type { Duplex } from 'node:stream'
import type { CanActFor } from '../auth/queue-access.ts'
import type { DispatchedMessage } from '../broker/message.ts'
import type { RejectionLog } from '../broker/rejection-log.ts'
import type { Soon } from '../broker/store.ts'
import type { Settings } from '../config/settings.ts'
import type { ListenTls } from '../net/listener.ts'
import type { MessageResult } from '../wire.ts'
import type { CommandHandler } from './command-handler.ts'
import type { ConnectionRegistry } from './connections.ts'
import type { Logins } from './logins.ts'

/** A way in and out for devices and producers. MQTT is one; a binary TCP protocol may be the next. */
export interface Transport {
  /** Name on the wire and in the log, such as `MQTT`. */
  readonly name: string
  /** Address where the transport listens; null before it is started. */
  readonly url: string | null
  /** Entrance by WebSocket, on the port of HTTP. */
  readonly webSocket?: WebSocketEntrance
  /** Opens the transport. @throws {StartError} when its address cannot be used */
  start(gateway: Gateway): Promise<void>
  /** Hands a message to the connections of a device. Resolves to true if at least one took it whole; never rejects. */
  dispatch(deviceId: string, message: DispatchedMessage): Soon<boolean>
  /** Ends the connections of a device, as another node dispatches to it now. The device may come back. */
  disconnect(deviceId: string): void
  /** Sends the status of a message to its producer, as far as the producer is connected. */
  notify(producerId: string, result: MessageResult): void
  /** Accepts nothing new, waits at most `graceMs` for what clients sent, and ends every connection. */
  stop(graceMs: number): Promise<void>
}

/** A kind of transport, as the list of the composition root has it. */
export interface TransportKind {
  readonly name: string
  /** Versions of its protocol, as operators see them. */
  readonly versions: readonly string[]
  /** Schemes of the URL where it listens. */
  readonly schemes: { readonly plain: string; readonly tls: string }
  /** Creates the transport; returns null when the settings switch it off. */
  create(context: TransportContext): Transport | null
}

export interface TransportContext {
  readonly settings: Settings
  /** Null without TLS. */
  readonly tls: ListenTls | null
  readonly log: TransportLog
}

export interface TransportLog {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
  debug(fields: object, message: string): void
}

export interface WebSocketEntrance {
  readonly path: string
  /** Subprotocols that are spoken (RFC 6455 section 1.9), the preferred one first. */
  readonly protocols: readonly string[]
  /** Serves a client whose binary messages are the bytes of the stream. @param remote the peer's address */
  open(stream: Duplex, remote: string): void
}

/** The broker as a transport sees it. */
export interface Gateway {
  /** Handles the commands of producers and the acknowledgements of devices. */
  readonly commands: CommandHandler
  /** Decides who a connection belongs to. */
  readonly logins: Logins
  /** Registers every connection, so that operators see it and can end it. */
  readonly connections: ConnectionRegistry
  readonly rejections: Pick<RejectionLog, 'record'>
  /** Decides for which device ids a client may receive commands, results and errors. */
  readonly canActFor: CanActFor
  /** Announces one more connection that receives the commands of a device. Pending messages are dispatched at once. */
  attach(deviceId: string, transport: string): void
  /** Announces one such connection less. */
  detach(deviceId: string, transport: string): void
}
