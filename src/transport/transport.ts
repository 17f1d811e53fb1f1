/** Defines transports, and the part of the broker that they use. Types only. REST is not a transport but the site. */
import type { Duplex } from 'node:stream'
import type { AccessControl } from '../auth/access.ts'
import type { HeldAccess } from '../auth/held-access.ts'
import type { CanActFor, DevicesOf } from '../auth/queue-access.ts'
import type { Cluster } from '../broker/contract/cluster.ts'
import type { MaybePromise } from '../broker/contract/store.ts'
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

/** Connects devices and producers to the broker. MQTT is a transport; a binary TCP protocol may follow. */
export interface Transport {
  /** Name on the wire and in the log, such as `MQTT`. */
  readonly name: string
  /** URL where the transport listens; null before its start. */
  readonly url: string | null
  /** WebSocket entrance, on the HTTP port. */
  readonly webSocket?: WebSocketEntrance
  /** Opens the transport. @throws {StartError} for an unusable address */
  start(services: TransportServices): Promise<void>
  /** Dispatches a message to the connections of a device. Never rejects. */
  dispatch(deviceId: string, message: DispatchedMessage): MaybePromise<DispatchResult>
  /** Ends the connections of a device when another node takes over its dispatch. The device may connect again. */
  disconnect(deviceId: string): void
  /** Ends every connection at once and drops unsent data. Clients may connect again. */
  disconnectAll(): void
  /** Sends the status of a message to the connections of its producer. */
  notify(producerId: string, result: MessageResult): void
  /** Refuses new messages, waits at most `graceMs` for accepted messages, and ends every connection. */
  stop(graceMs: number): Promise<void>
}

export interface TransportKind {
  readonly name: string
  readonly versions: readonly string[]
  readonly schemes: { readonly plain: string; readonly tls: string }
  /** Creates the transport; returns null if the settings disable it. */
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

/** Devices with pending messages, for a connection that receives the commands of many devices. */
export interface PendingDevices {
  /** Returns all of them, in no order. The result may reflect changes during its iteration. */
  list(): MaybePromise<Iterable<string>>
  /** Calls the listener with the device of each new pending message. Returns a function that unsubscribes. */
  onAdded(listener: (deviceId: string) => void): () => void
}

export interface SharedTransports {
  readonly cluster: Cluster
  readonly sessions: SessionDirectory
  readonly listeners: NodeDirectory
  readonly retained: RetainedDirectory
  readonly proofs: NodeProofs
}

export interface TransportServices {
  /** Handles the commands of producers and the acknowledgements of devices. */
  readonly commands: CommandHandler
  readonly logins: Logins
  /** Registers every connection, so that operators can list and end it. */
  readonly connections: ConnectionRegistry
  readonly rejections: Pick<RejectionLog, 'record'>
  readonly traffic: NodeTraffic
  /** Null with a single node. */
  readonly shared: SharedTransports | null
  /** Decides whether the access of a client is still valid. A transport asks before each dispatch. */
  readonly access: Pick<AccessControl, 'isCurrent' | 'markOf' | 'isMarkCurrent'>
  /** Registers holders that outlive the connection of a client: a session, a will. */
  readonly held: Pick<HeldAccess, 'hold'>
  /** Decides for which device ids a client may receive commands, results and errors. */
  readonly canActFor: CanActFor
  /** Returns the devices that a client may act for, in addition to its own id. */
  readonly devicesOf: DevicesOf
  readonly pending: PendingDevices
  /** Repeats work that the transport owes its clients until it succeeds. */
  readonly duties: Pick<Duties, 'perform'>
  /** Returns whether delivered messages carry details, by the settings of the device. */
  wantsDetails(deviceId: string): boolean
  /**
   * Reports a new connection that receives the commands of a device. The dispatch of pending messages begins at once.
   */
  attach(deviceId: string, transport: string): void
  /** Reports that a connection of {@link attach} has ended. */
  detach(deviceId: string, transport: string): void
}
