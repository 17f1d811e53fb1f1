/** Defines transports, and the part of the broker that they use. Types only. REST is not a transport but the site. */
import type { Duplex } from 'node:stream'
import type { AccessControl } from '../auth/access.ts'
import type { HeldAccess } from '../auth/held-access.ts'
import type { CanActFor, DevicesOf } from '../auth/queue-access.ts'
import type { Cluster } from '../broker/contract/cluster.ts'
import type { Soon } from '../broker/contract/store.ts'
import type { RejectionLog } from '../broker/views/rejection-log.ts'
import type { DispatchedMessage, DispatchResult } from '../broker/vocabulary/message.ts'
import type { Settings } from '../config/settings.ts'
import type { ListenTls } from '../net/listener.ts'
import type { Duties } from '../process/duties.ts'
import type { Log } from '../process/log.ts'
import type { MessageResult } from '../wire/results.ts'
import type { CommandHandler } from './command-handler.ts'
import type { ConnectionRegistry } from './connections.ts'
import type { Logins } from './logins.ts'
import type { NodeDirectory, NodeProofs, RetainedDirectory } from './node-directory.ts'
import type { NodeTraffic } from './node-traffic.ts'
import type { SessionDirectory } from './session-directory.ts'

/** A way in and out for devices and producers. MQTT is one; a binary TCP protocol may be the next. */
export interface Transport {
  /** Name on the wire and in the log, such as `MQTT`. */
  readonly name: string
  /** URL where the transport listens; null before its start. */
  readonly url: string | null
  /** Entrance by WebSocket, on the port of HTTP. */
  readonly webSocket?: WebSocketEntrance
  /** Opens the transport. @throws {StartError} when its address cannot be used */
  start(services: TransportServices): Promise<void>
  /** Hands a message to the connections of a device. Never rejects. */
  dispatch(deviceId: string, message: DispatchedMessage): Soon<DispatchResult>
  /** Ends the connections of a device when another node takes over its dispatch. The device may connect again. */
  disconnect(deviceId: string): void
  /** Ends every connection at once, without sending what is still unsent. Each client may connect again. */
  disconnectAll(): void
  /** Sends the status of a message to the connections of its producer. */
  notify(producerId: string, result: MessageResult): void
  /** Refuses new messages, waits at most `graceMs` for accepted ones, and ends every connection. */
  stop(graceMs: number): Promise<void>
}

/** A kind of transport. `TRANSPORTS` lists all kinds. */
export interface TransportKind {
  readonly name: string
  /** Versions of the protocol, as operators see them. */
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
  readonly log: Log
}

export interface WebSocketEntrance {
  readonly path: string
  /** Supported subprotocols (RFC 6455 section 1.9), the preferred one first. */
  readonly protocols: readonly string[]
  /** Serves a client. The stream carries the bytes of its binary messages. @param remote address of the peer */
  open(stream: Duplex, remote: string): void
}

/** The devices with pending messages, for a connection that receives the commands of many devices. */
export interface PendingDevices {
  /** Returns all of them, in no order. The answer may follow changes that happen while it is read. */
  list(): Soon<Iterable<string>>
  /** Calls the listener with the device of each new pending message. Returns a function that ends the subscription. */
  onAdded(listener: (deviceId: string) => void): () => void
}

/** Shared state of the transports of all nodes. */
export interface SharedTransports {
  readonly cluster: Cluster
  readonly sessions: SessionDirectory
  readonly listeners: NodeDirectory
  readonly retained: RetainedDirectory
  readonly proofs: NodeProofs
}

/** The broker as a transport sees it. */
export interface TransportServices {
  /** Handles the commands of producers and the acknowledgements of devices. */
  readonly commands: CommandHandler
  /** Logs the clients of connections in. */
  readonly logins: Logins
  /** Registers every connection, so that operators can list and end it. */
  readonly connections: ConnectionRegistry
  readonly rejections: Pick<RejectionLog, 'record'>
  /** Counts the messages between nodes. */
  readonly traffic: NodeTraffic
  /** Null when there is one node. */
  readonly shared: SharedTransports | null
  /** Decides whether the access of a client still holds. A transport asks before each hand-over. */
  readonly access: Pick<AccessControl, 'isCurrent' | 'markOf' | 'isMarkCurrent'>
  /** Registers what a client leaves behind when its connection ends: a session, a will. */
  readonly held: Pick<HeldAccess, 'hold'>
  /** Decides for which device ids a client may receive commands, results and errors. */
  readonly canActFor: CanActFor
  /** Returns the devices that a client may act for beside its own id. */
  readonly devicesOf: DevicesOf
  readonly pending: PendingDevices
  /** Repeats what the transport owes its clients until it is done. */
  readonly duties: Pick<Duties, 'perform'>
  /** Tells whether delivered messages carry details, by the settings of the device. */
  wantsDetails(deviceId: string): boolean
  /** Reports a new connection that receives the commands of a device. The dispatch of pending messages begins at once. */
  attach(deviceId: string, transport: string): void
  /** Reports that such a connection has ended. */
  detach(deviceId: string, transport: string): void
}
