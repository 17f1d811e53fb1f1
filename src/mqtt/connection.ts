/**
 * Connects a socket (or a WebSocket) with the MQTT library: checks what comes in, gathers what goes out into one write
 * for each turn of the event loop, and cuts off a peer that does not read. Knows no topics.
 */
import { Duplex } from 'node:stream'
import type { RegisteredConnection } from '../transport/connections.ts'
import type { LoggedIn } from '../transport/logins.ts'
import type { Peer } from './aedes-internals.ts'
import type { FastPath } from './fast-path.ts'
import type { Frame, PacketValidator, ProtocolViolation } from './packet-validator.ts'

export const CONNECTION_LIMITS = {
  /** Maximum bytes that wait for a peer to read them; more end its connection. */
  backlogBytes: 1_048_576,
  /** Time in which a peer may read nothing while bytes wait for it. */
  stallMs: 30_000,
  /** Time that a peer has to close its end, before the server cuts it off. */
  lingerMs: 1_000,
  /** Maximum packets being handled. At that number the server stops reading from the peer. */
  underWay: 1_000,
} as const

export interface ConnectionOptions {
  /** The bytes as the peer sends them. */
  readonly transport: Duplex
  readonly validator: PacketValidator
  /** The peer's address. */
  readonly remote: string
  /** Called once, when this side ends the connection. @param slow true: the peer read too slowly */
  readonly onCut: (reason: string, slow: boolean) => void
}

/** Connections that have something to write in this turn of the event loop. */
const unflushed: MqttConnection[] = []

export class MqttConnection extends Duplex {
  readonly remote: string
  /** Begin of the connection, and time of the last bytes from the peer, in milliseconds since 1970. */
  readonly sinceMs = Date.now()
  heardMs = this.sinceMs
  /** Entry in the registry of connections. It says who is behind this one. */
  entry: RegisteredConnection | null = null
  /** Handles packets past the library, as soon as the client is logged in. */
  fastPath: FastPath | null = null
  readonly #transport: Duplex
  readonly #onCut: ConnectionOptions['onCut']
  #waiting: Uint8Array[] = []
  #underWay = 0
  #stall: NodeJS.Timeout | null = null
  /** Callbacks for when all that was written has left this process, or never will. */
  #asked: ((sent: boolean) => void)[] = []

  constructor({ transport, validator, remote, onCut }: ConnectionOptions) {
    // Writing never blocks the library, which would let every other client wait for this one: see #flush.
    super({ writableHighWaterMark: CONNECTION_LIMITS.backlogBytes })
    this.remote = remote
    this.#transport = transport
    this.#onCut = onCut
    transport.on('data', (chunk: Buffer) => {
      if (this.destroyed) return
      this.heardMs = Date.now()
      const refusal = validator.read(chunk, this.#give)
      if (refusal) this.#refuse(refusal)
    })
    transport.on('end', () => this.push(null))
    transport.on('error', () => this.destroy())
    transport.on('close', () => this.destroy())
  }

  /** @returns true once all that was written has left this process, false when the connection broke before */
  sent(): boolean | Promise<boolean> {
    this.#flush()
    if (this.destroyed || this.#transport.destroyed) return false
    if (this.#transport.writableLength === 0) return true
    return new Promise((resolve) => void this.#asked.push(resolve))
  }

  /**
   * Reads all that is buffered. From Node 26 on a stream gives one chunk a call, and the library would read the next one
   * while it still parses the first, which loses a packet and takes the other one twice.
   */
  override read(size?: number): Buffer | null {
    const first: Buffer | null = super.read(size)
    if (first === null || this.readableLength === 0) return first
    const chunks = [first]
    for (let next: Buffer | null = super.read(); next !== null; next = super.read()) chunks.push(next)
    return Buffer.concat(chunks)
  }

  override _read(): void {
    if (this.#underWay < CONNECTION_LIMITS.underWay) this.#transport.resume()
  }

  /** Writes whole packets past the library; they leave in this turn of the event loop. Not when it has ended. */
  send(bytes: Uint8Array): void {
    if (this.destroyed) return
    // What the library wrote before comes first; it corks this stream until the next tick.
    while (this.writableCorked > 0) this.uncork()
    if (this.#waiting.push(bytes) === 1) MqttConnection.#flushSoon(this)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.send(chunk)
    done()
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    for (const { chunk } of chunks) this.send(chunk)
    done()
  }

  /** Writes what is left first, then cuts off a peer that does not close its end. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const transport = this.#transport
    if (!transport.destroyed) {
      this.#flush()
      transport.end()
      transport.resume()
      const cut = setTimeout(() => transport.destroy(), CONNECTION_LIMITS.lingerMs)
      transport.once('close', () => clearTimeout(cut))
    }
    if (this.#stall) clearTimeout(this.#stall)
    this.#answer(false)
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
      this.#cut(`it reads too slowly: ${transport.writableLength} bytes wait for it`)
    } else if (transport.writableLength > 0 && !this.destroyed) {
      this.#stall ??= setTimeout(
        () => this.#cut(`it has read nothing for ${CONNECTION_LIMITS.stallMs / 1000} s`),
        CONNECTION_LIMITS.stallMs,
      )
    }
  }

  /** While the library has something to read, the rest of it waits behind that. */
  readonly #give = (frame: Frame): void => {
    if (this.destroyed) return
    this.#underWay++
    if (this.readableLength === 0 && this.fastPath?.handle(frame, this.#done)) {
      if (this.#underWay >= CONNECTION_LIMITS.underWay) this.#transport.pause()
      return
    }
    this.#underWay--
    if (!this.push(frame.bytes)) this.#transport.pause()
  }

  readonly #done = (): void => {
    if (--this.#underWay === CONNECTION_LIMITS.underWay - 1) this.#transport.resume()
  }

  /** The peer took what was written before. */
  readonly #written = (): void => {
    if (this.#transport.writableLength > 0) {
      this.#stall?.refresh()
      return
    }
    if (this.#stall) clearTimeout(this.#stall)
    this.#stall = null
    this.#answer(true)
  }

  #answer(sent: boolean): void {
    for (const resolve of this.#asked.splice(0)) resolve(sent)
  }

  #refuse({ reason, reply }: ProtocolViolation): void {
    this.#onCut(reason, false)
    if (reply) this.write(reply)
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

/** Tells who is behind a connection; null before the login, and after the client was changed or deleted. */
export function clientOf(peer: Peer): LoggedIn | null {
  return (peer.conn as MqttConnection).entry?.client ?? null
}
