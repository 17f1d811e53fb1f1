/**
 * Connects a socket or a WebSocket with the MQTT library: validates incoming packets, gathers outgoing packets into one
 * write for each turn of the event loop, and cuts off a peer that does not read. Knows no topics.
 */
import { Duplex } from 'node:stream'
import type { Grant } from '../auth/grant.ts'
import type { RegisteredConnection } from '../transport/connections.ts'
import type { Peer } from './aedes-internals.ts'
import type { FastPath } from './fast-path.ts'
import type { OutgoingLimits } from './outgoing-limits.ts'
import { CONNECT, type Frame, type PacketValidator, PUBACK, PUBCOMP } from './packet-validator.ts'
import type { ProtocolViolation } from './protocol-violation.ts'

export const CONNECTION_LIMITS = {
  /** Maximum unread bytes of a peer. More end its connection. */
  backlogBytes: 1_048_576,
  /** Maximum time in which a peer reads none of its unread bytes. */
  stallMs: 30_000,
  /** Time that a peer has to close its end before the server destroys the connection. */
  lingerMs: 1_000,
  /** Maximum packets being handled. At that number the server stops reading from the peer. */
  underWay: 1_000,
  /** Bytes of packets before the login at which the server stops reading from the peer. */
  earlyBytes: 16_384,
} as const

export interface ConnectionOptions {
  /** Stream of the peer's bytes. */
  readonly transport: Duplex
  readonly validator: PacketValidator
  /** Address of the peer. */
  readonly remote: string
  /** Called once, when the server ends the connection. @param slow true: the peer read too slowly */
  readonly onCut: (reason: string, slow: boolean) => void
  /** Called once, when an unexpected error ends the connection. */
  readonly onFailure: (error: unknown) => void
}

/** First byte of a CONNACK. */
const CONNACK = 0x20

/** Connections with packets to write in this turn of the event loop. */
const unflushed: MqttConnection[] = []

export class MqttConnection extends Duplex {
  readonly remote: string
  /** Begin of the connection, and time of the last bytes from the peer, in milliseconds since 1970. */
  readonly sinceMs = Date.now()
  heardMs = this.sinceMs
  /** Entry in the connection registry. It has the client that logged in. */
  entry: RegisteredConnection | null = null
  /** Client of the library, which the library sets. */
  client: Peer | null = null
  /** Handles packets that bypass the library; null before the login. */
  fastPath: FastPath | null = null
  /** True while the library has packets that wait for the answer to a SUBSCRIBE. */
  isWaiting = false
  /** Limits of the client on what the server sends; null if it announced none. */
  outgoingLimits: OutgoingLimits | null = null
  readonly #closed = new AbortController()
  readonly #transport: Duplex
  readonly #onCut: ConnectionOptions['onCut']
  readonly #onFailure: ConnectionOptions['onFailure']
  #waiting: Uint8Array[] = []
  #underWay = 0
  /** Packets of a client that has not logged in; null from the login on. */
  #early: Frame[] | null = []
  #earlyBytes = 0
  #stall: NodeJS.Timeout | null = null
  /** Callers of {@link sent} that await the end of the present writes. */
  #sentCallbacks: ((sent: boolean) => void)[] = []

  constructor({ transport, validator, remote, onCut, onFailure }: ConnectionOptions) {
    // The library must never wait for a write, since all other clients would wait too. See #flush.
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

  /** Aborts when the connection ends. */
  get signal(): AbortSignal {
    return this.#closed.signal
  }

  /** Runs a part of the work for this connection. An error in it ends the connection, and nothing else. */
  contain(task: () => void): void {
    try {
      task()
    } catch (error) {
      this.fail(error)
    }
  }

  /** Ends the connection, since its work failed unexpectedly. */
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
   * Reads all buffered chunks. From Node 26 on, a stream returns one chunk a call, and the library would read the second
   * while it still parses the first. It then loses one packet and handles another twice.
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
   * Begins to hand on the packets behind CONNECT. The library would handle those that came before the login past everything
   * that is in front of it.
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
    // The library corks this stream until the next tick. Uncork it, so that its earlier packets leave first.
    while (this.writableCorked > 0) this.uncork()
    if (this.outgoingLimits === null) this.queue(bytes)
    else this.#sendWithin(this.outgoingLimits, bytes)
  }

  /** Writes bytes that pass the limits of the client. */
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

  /** Ends the connection at once. Packets that have not left this process are never sent. */
  abort(): void {
    this.#waiting = []
    this.#transport.destroy()
    this.destroy()
  }

  /** Writes the remaining packets, then destroys the connection if the peer does not close its end. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const transport = this.#transport
    if (!transport.destroyed) {
      // An error is one of the library. The server itself destroys this stream without an error.
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

  /** Gives a packet to the fast path, or to the library. While packets wait in front of the library, all others queue behind them. */
  #handOn(frame: Frame): void {
    if (this.destroyed) return
    this.#underWay++
    if (this.readableLength === 0 && !this.isWaiting && this.fastPath?.handle(frame, this.#done)) {
      if (this.#underWay >= CONNECTION_LIMITS.underWay) this.#transport.pause()
      return
    }
    this.#underWay--
    if (!this.push(frame.bytes)) this.#transport.pause()
  }

  readonly #done = (): void => {
    if (--this.#underWay === CONNECTION_LIMITS.underWay - 1) this.#transport.resume()
  }

  /** Called when the peer has received a write. */
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

  /** Sends a DISCONNECT to a client of MQTT 5, and closes the connection: it sends and reads nothing more. */
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

/** Writes whole packets to a client. */
export function send(peer: Peer, bytes: Uint8Array): void {
  ;(peer.conn as MqttConnection).send(bytes)
}

/** Runs a part of the work for a client. An error in it ends the connection of the client, and nothing else. */
export function contain(peer: Peer, task: () => void): void {
  ;(peer.conn as MqttConnection).contain(task)
}

/** Returns the client of a connection; null before the login, and after its access ended while the connection was open. */
export function clientOf(peer: Peer): Grant | null {
  return (peer.conn as MqttConnection).entry?.client ?? null
}

/** Returns the address of the peer of a connection. */
export function addressOf(peer: Peer): string {
  return (peer.conn as MqttConnection).remote
}
