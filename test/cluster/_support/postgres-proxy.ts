/** A TCP proxy between a node and PostgreSQL, which fails in the ways of a network. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { whenDone } from '../../_support/cleanup.ts'
import type { PostgresServer } from '../../_support/postgres.ts'
import { withoutNotifications } from './postgres-messages.ts'

/**
 * `pass` forwards. `stop` forwards nothing and keeps the connections, as a network that drops packets. `refuse` ends the
 * connections and each new one. `mute` forwards requests and drops the answers; those connections end with the mode.
 */
export type ProxyMode = 'pass' | 'stop' | 'refuse' | 'mute'

export interface ProxyOptions {
  readonly dropsNotifications?: boolean
}

interface Pair {
  readonly node: Socket
  readonly database: Socket
  lostAnswers: boolean
}

export class PostgresProxy {
  readonly #listener: Server
  readonly #pairs = new Set<Pair>()
  readonly #dropsNotifications: boolean
  #socketPath: string
  #mode: ProxyMode = 'pass'
  /** Delay of each answer in milliseconds. */
  delayMs = 0

  private constructor(server: PostgresServer, { dropsNotifications = false }: ProxyOptions) {
    this.#socketPath = join(server.directory, '.s.PGSQL.5432')
    this.#dropsNotifications = dropsNotifications
    this.#listener = createServer((socket) => this.#accept(socket))
  }

  static async start(server: PostgresServer, options: ProxyOptions = {}): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(server, options)
    proxy.#listener.listen(0, '127.0.0.1')
    whenDone(() => {
      proxy.#listener.close()
      proxy.#endAll()
    })
    await once(proxy.#listener, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port
  }

  set mode(mode: ProxyMode) {
    if (this.#mode === 'mute') this.#endAll(({ lostAnswers }) => lostAnswers)
    this.#mode = mode
    if (mode === 'refuse') this.#endAll()
    for (const { node, database } of this.#pairs) {
      for (const socket of [node, database]) {
        if (mode === 'stop') socket.pause()
        else socket.resume()
      }
    }
  }

  #accept(node: Socket): void {
    if (this.#mode === 'refuse') return void node.destroy()
    const database = connect(this.#socketPath)
    const pair: Pair = { node, database, lostAnswers: false }
    this.#pairs.add(pair)
    const filter = this.#dropsNotifications ? withoutNotifications() : (bytes: Buffer) => bytes
    node.on('data', (bytes) => void database.write(bytes))
    database.on('data', (bytes) => this.#answer(pair, filter(bytes)))
    for (const [socket, other] of [[node, database] as const, [database, node] as const]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#pairs.delete(pair)
        other.destroy()
      })
    }
    if (this.#mode === 'stop') node.pause()
  }

  #answer(pair: Pair, bytes: Buffer): void {
    if (this.#mode === 'mute') {
      pair.lostAnswers = true
      return
    }
    // Timers with one delay fire in their order, and a changed delay applies to all connections that have no answer on its way.
    if (this.delayMs > 0) setTimeout(() => pair.node.write(bytes), this.delayMs)
    else pair.node.write(bytes)
  }

  #endAll(fits: (pair: Pair) => boolean = () => true): void {
    for (const pair of this.#pairs) if (fits(pair)) pair.node.destroy()
  }
}
