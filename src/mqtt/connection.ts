/**
 * Connects a socket or a WebSocket to the MQTT library: validates incoming packets, batches outgoing packets into one
 * write per turn of the event loop, and disconnects a peer that does not read. Knows no topics.
 */
import { Duplex } from 'node:stream'
import type { Grant } from '../auth/grant.ts'
import type { RegisteredConnection } from '../transport/connections.ts'
import type { Peer } from './aedes-internals.ts'
import type { FastPath } from './fast-path.ts'
import type { OutgoingLimits } from './outgoing-limits.ts'
import { CONNECT, DISCONNECT, type Frame, type PacketValidator, PUBACK, PUBCOMP } from './packet-validator.ts'
import type { ProtocolViolation } from './protocol-violation.ts'

export const CONNECTION_LIMITS = {
  /** Maximum unread bytes of a peer, after which its connection ends. */
  backlogBytes: 1_048_576,
  /** Maximum time for which a peer reads nothing while bytes are unread. */
  stallMs: 30_000,
  /** Time for a peer to close its side before the server destroys the connection. */
  lingerMs: 1_000,
  /** Maximum packets being handled. At this number the server stops reading from the peer. */
  underWay: 1_000,
  /** Bytes of packets before the login at which the server stops reading from the peer. */
  earlyBytes: 16_384,
} as const

export interface ConnectionOptions {
  readonly transport: Duplex
  readonly validator: PacketValidator
  readonly remote: string
  /** Called once, when the server ends the connection. @param slow true: the peer read too slowly */
  readonly onCut: (reason: string, slow: boolean) => void
  /** Called once, when an unexpected error ends the connection. */
  readonly onFailure: (error: unknown) => void
}

const CONNACK = 0x20

/** Connections with packets to write in this turn of the event loop. */
const unflushed: MqttConnection[] = []

export class MqttConnection extends Duplex {
  readonly remote: string
  /** Start of the connection, and time of the last bytes from the peer, in milliseconds since 1970. */
  readonly sinceMs = Date.now()
  heardMs = this.sinceMs
  /** Entry in the connection registry, with the client that logged in. */
  entry: RegisteredConnection | null = null
  /** Client of the library, which sets it. */
  client: Peer | null = null
  /** Handles packets that bypass the library; null before the login. */
  fastPath: FastPath | null = null
  /** True while packets wait behind an unanswered SUBSCRIBE. */
  isWaiting = false
  /** Limits that the client announced for outgoing packets; null without any. */
  outgoingLimits: OutgoingLimits | null = null
  readonly #closed = new AbortController()
  readonly #transport: Duplex
  readonly #onCut: ConnectionOptions['onCut']
  readonly #onFailure: ConnectionOptions['onFailure']
  #waiting: Uint8Array[] = []
  #underWay = 0
  /** Packets that arrived before the login; null after it. */
  #early: Frame[] | null = []
  #earlyBytes = 0
  #stall: NodeJS.Timeout | null = null
  /** Callers of {@link sent} waiting for the current writes. */
  #sentCallbacks: ((sent: boolean) => void)[] = []

  constructor({ transport, validator, remote, onCut, onFailure }: ConnectionOptions) {
    // The library must never wait for a write, because all other clients would wait too. See #flush.
    super({ writableHighWaterMark: CONNECTION_LIMITS.backlogBytes })
    this.remote = remote
    this.#transport = transport
    this.#onCut = onCut
    this.#onFailure = onFailure
    transport.on('data', (chunk: Buffer) => {
      if (this.destroyed) return
      this.heardMs = Date.now()
      this.contain(() => {
        const violation = validator.read(chunk, this.#give)
        if (violation) this.#endFor(violation)
      })
    })
    transport.on('end', () => {
      if (!this.#early?.length) this.push(null)
    })
    transport.on('error', () => this.destroy())
    transport.on('close', () => this.destroy())
  }

  get signal(): AbortSignal {
    return this.#closed.signal
  }

  /** Runs a task for this connection. An error of the task ends only the connection. */
  contain(task: () => void): void {
    try {
      task()
    } catch (error) {
      this.fail(error)
    }
  }

  readonly fail = (error: unknown): void => {
    if (this.destroyed) return
    this.#onFailure(error)
    this.destroy(error instanceof Error ? error : new Error(String(error)))
  }

  /** Resolves to true once all written packets have left this process, to false if the connection breaks before. */
  sent(): boolean | Promise<boolean> {
    this.#flush()
    if (this.destroyed || this.#transport.destroyed) return false
    if (this.#transport.writableLength === 0 && !this.outgoingLimits?.heldBytes) return true
    return new Promise((resolve) => void this.#sentCallbacks.push(resolve))
  }

  /**
   * Reads all buffered chunks. From Node 26 on, a stream returns one chunk per call, and the library would read the
   * second while it still parses the first: it then loses one packet and handles another twice.
   */
  override read(size?: number): Buffer | null {
    const first: Buffer | null = super.read(size)
    if (first === null || this.readableLength === 0) return first
    const chunks = [first]
    for (let next: Buffer | null = super.read(); next !== null; next = super.read()) chunks.push(next)
    return Buffer.concat(chunks)
  }

  override _read(): void {
    const { underWay, earlyBytes } = CONNECTION_LIMITS
    if (this.#underWay < underWay && this.#earlyBytes < earlyBytes) this.#transport.resume()
  }

  /**
   * Starts passing on the packets behind CONNECT. Passed on before the login, they would bypass the fast path and the
   * checks in front of the library.
   */
  begin(fastPath: FastPath): void {
    this.fastPath = fastPath
    const early = this.#early ?? []
    this.#early = null
    this.#earlyBytes = 0
    for (const frame of early) this.#handOn(frame)
    if (this.#transport.readableEnded) this.push(null)
    else this._read()
  }

  /** Writes whole packets that bypass the library. They leave in this turn of the event loop. */
  send(bytes: Uint8Array): void {
    if (this.destroyed) return
    // The library corks this stream until the next tick. Uncork it, so that earlier packets leave first.
    while (this.writableCorked > 0) this.uncork()
    if (this.outgoingLimits === null) this.queue(bytes)
    else this.#sendWithin(this.outgoingLimits, bytes)
  }

  /** Queues bytes that the client's limits allow. */
  queue(bytes: Uint8Array): void {
    if (this.#waiting.push(bytes) === 1) MqttConnection.#flushSoon(this)
  }

  #sendWithin(limits: OutgoingLimits, bytes: Uint8Array): void {
    limits.write(bytes)
    if (limits.heldBytes <= CONNECTION_LIMITS.backlogBytes) return
    this.#cut(`the client acknowledges too slowly: ${limits.heldBytes} bytes wait for its receive maximum`)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.send(chunk)
    done()
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    for (const { chunk } of chunks) this.send(chunk)
    done()
  }

  /** Ends the connection at once. Unsent packets are dropped. */
  abort(): void {
    this.#waiting = []
    this.#transport.destroy()
    this.destroy()
  }

  /** Writes the remaining packets, then destroys the connection if the peer does not close its side. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const transport = this.#transport
    if (!transport.destroyed) {
      // The library destroys this stream with an error, the server without one.
      const farewell = error && this.fastPath?.farewell(error)
      if (farewell) this.#waiting.push(farewell)
      this.#flush()
      transport.end()
      transport.resume()
      const cut = setTimeout(() => transport.destroy(), CONNECTION_LIMITS.lingerMs)
      transport.once('close', () => clearTimeout(cut))
    }
    if (this.#stall) clearTimeout(this.#stall)
    this.#closed.abort()
    this.#resolveSent(false)
    done(error)
  }

  static #flushSoon(connection: MqttConnection): void {
    if (unflushed.push(connection) > 1) return
    setImmediate(() => {
      for (const each of unflushed.splice(0)) each.#flush()
    })
  }

  #flush(): void {
    const transport = this.#transport
    const chunks = this.#waiting
    this.#waiting = []
    if (transport.destroyed || chunks.length === 0) return
    transport.write(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks), this.#written)
    if (transport.writableLength > CONNECTION_LIMITS.backlogBytes) {
      this.#cut(`the client reads too slowly: ${transport.writableLength} bytes are unread`)
    } else if (transport.writableLength > 0 && !this.destroyed) {
      this.#stall ??= setTimeout(
        () => this.#cut(`the client has read nothing for ${CONNECTION_LIMITS.stallMs / 1000} s`),
        CONNECTION_LIMITS.stallMs,
      )
    }
  }

  readonly #give = (frame: Frame): void => {
    if (this.destroyed) return
    if (this.outgoingLimits && frame.type >= PUBACK && frame.type <= PUBCOMP)
      this.outgoingLimits.received(frame)
    if (this.#early === null || frame.type === CONNECT) {
      this.#handOn(frame)
      return
    }
    this.#early.push(frame)
    this.#earlyBytes += frame.bytes.length
    if (this.#earlyBytes >= CONNECTION_LIMITS.earlyBytes) this.#transport.pause()
  }

  /**
   * Passes a packet to the fast path, or to the library. While packets wait in front of the library, later packets
   * queue behind them.
   */
  #handOn(frame: Frame): void {
    if (this.destroyed) return
    this.#underWay++
    if (this.readableLength === 0 && !this.isWaiting && this.fastPath?.handle(frame, this.#done)) {
      if (this.#underWay >= CONNECTION_LIMITS.underWay) this.#transport.pause()
      return
    }
    this.#underWay--
    if (frame.type === DISCONNECT && this.entry) this.entry.endsFor('CLIENT')
    if (!this.push(frame.bytes)) this.#transport.pause()
  }

  readonly #done = (): void => {
    if (--this.#underWay === CONNECTION_LIMITS.underWay - 1) this.#transport.resume()
  }

  readonly #written = (): void => {
    if (this.#transport.writableLength > 0) {
      this.#stall?.refresh()
      return
    }
    if (this.#stall) clearTimeout(this.#stall)
    this.#stall = null
    if (!this.outgoingLimits?.heldBytes) this.#resolveSent(true)
  }

  #resolveSent(sent: boolean): void {
    for (const resolve of this.#sentCallbacks.splice(0)) resolve(sent)
  }

  /** Sends a DISCONNECT to a client of MQTT 5, and closes the connection for both directions. */
  endWith(reasonCode: number): void {
    const farewell = this.fastPath?.disconnect(reasonCode)
    if (farewell) this.send(farewell)
    this.destroy()
  }

  #endFor({ reason, reply }: ProtocolViolation): void {
    this.#onCut(reason, false)
    // No DISCONNECT may be sent before CONNACK [MQTT-3.14.0-1].
    if (reply && (reply[0] === CONNACK || this.fastPath !== null)) this.send(reply)
    this.destroy()
  }

  #cut(reason: string): void {
    this.#onCut(reason, true)
    this.#transport.destroy()
    this.destroy()
  }
}

export function send(peer: Peer, bytes: Uint8Array): void {
  ;(peer.conn as MqttConnection).send(bytes)
}

/** Runs a task for a client. An error of the task ends only the client's connection. */
export function contain(peer: Peer, task: () => void): void {
  ;(peer.conn as MqttConnection).contain(task)
}

/**
 * Returns the client of a connection; null before the login, and after its access ended while the connection was open.
 */
export function clientOf(peer: Peer): Grant | null {
  return (peer.conn as MqttConnection).entry?.client ?? null
}

export function addressOf(peer: Peer): string {
  return (peer.conn as MqttConnection).remote
}
