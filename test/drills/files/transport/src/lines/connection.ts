/** Serves the connection of one device: login, commands out, acknowledgements in. */
import type { Socket } from 'node:net'
import { Starting } from '../auth/errors.ts'
import type { Log } from '../process/log.ts'
import { DroppedParts } from '../transport/command-handler.ts'
import type {
  ConnectionDescription,
  ConnectionHandle,
  RegisteredConnection,
  SocketKind,
} from '../transport/connections.ts'
import { LoginRejected } from '../transport/logins.ts'
import type { TransportServices } from '../transport/transport.ts'
import { linesOf } from './line-reader.ts'
import { parseLogin } from './login-line.ts'

const LOGIN_TIMEOUT_MS = 10_000
/** Maximum unread bytes of a device, after which its connection ends. */
const BACKLOG_BYTES = 1_048_576

export interface LineConnectionOptions {
  readonly protocol: string
  readonly transport: SocketKind
  readonly address: string
  readonly lineBytes: number
  readonly services: TransportServices
  readonly log: Pick<Log, 'error'>
}

export class LineConnection implements ConnectionHandle {
  readonly protocol: string
  readonly #socket: Socket
  readonly #options: LineConnectionOptions
  readonly #entry: RegisteredConnection
  readonly #closed = new AbortController()
  readonly #sinceMs = Date.now()
  #heardMs = this.#sinceMs
  /** Resolves when the line that is being handled is done. */
  #handling: Promise<void> = Promise.resolve()
  /** Device that is attached to the dispatch; null before the login. */
  #attached: string | null = null

  constructor(socket: Socket, options: LineConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.protocol = options.protocol
    this.#entry = options.services.connections.add(this)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#closed.abort())
    socket.setTimeout(LOGIN_TIMEOUT_MS, () => socket.destroy())
  }

  get deviceId(): string | null {
    return this.#attached
  }

  /** Serves the device until the connection closes. Never rejects. */
  async serve(): Promise<void> {
    const { lineBytes, services, log } = this.#options
    try {
      for await (const line of linesOf(this.#socket, lineBytes)) {
        this.#heardMs = Date.now()
        this.#handling = this.#attached === null ? this.#logIn(line) : this.#acknowledge(this.#attached, line)
        await this.#handling
      }
    } catch (error) {
      if (!this.#socket.destroyed) log.error({ err: error }, 'unexpected error')
    }
    this.#socket.destroySoon()
    if (this.#attached !== null) services.detach(this.#attached, this.protocol)
    services.connections.remove(this.#entry)
  }

  /** Writes a line. Returns false if the access of the device has ended, or the device reads too slowly. */
  send(text: string): boolean {
    const { client } = this.#entry
    if (client === null || !this.#options.services.access.isCurrent(client)) return false
    if (this.#socket.destroyed || this.#socket.writableLength > BACKLOG_BYTES) {
      this.#socket.destroy()
      return false
    }
    this.#socket.write(`${text}\n`)
    return true
  }

  /** Waits for the acknowledgement that is being stored, then closes the connection. */
  async finish(): Promise<void> {
    this.#socket.pause()
    await this.#handling
    this.#socket.destroySoon()
  }

  describe(): ConnectionDescription {
    const devices = this.#attached === null ? [] : [this.#attached]
    return {
      clientId: '',
      devices,
      deviceCount: devices.length,
      address: this.#options.address,
      transport: this.#options.transport,
      protocol: this.protocol,
      version: '1',
      sinceMs: this.#sinceMs,
      lastPacketAtMs: this.#heardMs,
      subscriptions: 0,
    }
  }

  receives(deviceId: string): boolean {
    return this.#attached === deviceId
  }

  disconnect(): void {
    this.#socket.destroy()
  }

  accessEnded(): void {
    this.#socket.destroy()
  }

  async #logIn(line: Buffer): Promise<void> {
    const { services, address, protocol } = this.#options
    const { username, password } = parseLogin(line)
    try {
      const client = await services.logins.logIn({
        username,
        password,
        address,
        clientId: null,
        transport: protocol,
        signal: this.#closed.signal,
      })
      services.connections.identify(this.#entry, client)
      // Meanwhile the connection may have closed, and the access have ended.
      if (this.#entry.client === null || this.#closed.signal.aborted) return this.disconnect()
      this.#socket.setTimeout(0)
      this.#attached = client.id
      services.connections.changed(this.#entry)
      services.attach(client.id, protocol)
    } catch (error) {
      if (!(error instanceof LoginRejected || error instanceof Starting)) throw error
      this.#socket.end(`${JSON.stringify({ error: error.message })}\n`)
    }
  }

  async #acknowledge(deviceId: string, line: Buffer): Promise<void> {
    const { client } = this.#entry
    if (client === null) return
    const outcome = await this.#options.services.commands.acknowledge(client, deviceId, line)
    if (outcome === null) return
    const { message } = outcome instanceof DroppedParts ? outcome.why : outcome
    this.send(JSON.stringify({ error: message }))
  }
}
