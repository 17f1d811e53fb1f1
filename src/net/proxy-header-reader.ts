/**
 * Reads the PROXY protocol header of connections from trusted proxies. Leaves the bytes after the header in the socket.
 */
import type { Socket } from 'node:net'
import { parseProxyHeader } from './proxy-header.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

export interface ProxyHeaderOptions {
  readonly proxies: Pick<TrustedProxies, 'trusts'>
  /** Maximum time from the start of a connection to its complete header. */
  readonly timeoutMs: number
  /** Called when the server ends a connection because of its first bytes. */
  readonly onInvalid: (peer: string, problem: string) => void
}

export class ProxyHeaderReader {
  readonly #options: ProxyHeaderOptions
  readonly #waiting = new Set<Socket>()

  constructor(options: ProxyHeaderOptions) {
    this.#options = options
  }

  /**
   * Determines the address of a client. Ends a connection without a valid header.
   *
   * @param accept called with the address: at once, or when the header of a trusted proxy has arrived
   */
  read(socket: Socket, accept: (remote: string) => void): void {
    const peer = socket.remoteAddress ?? ''
    const { proxies, timeoutMs, onInvalid } = this.#options
    if (!proxies.trusts(peer)) {
      accept(peer)
      return
    }
    let held: Buffer | null = null
    const onReadable = (): void => {
      for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read())
        held = held ? Buffer.concat([held, chunk]) : chunk
      const header = held && parseProxyHeader(held)
      if (!header) return
      finish()
      if ('problem' in header) {
        socket.destroy()
        onInvalid(peer, header.problem)
        return
      }
      const rest = (held as Buffer).subarray(header.length)
      if (rest.length > 0) socket.unshift(rest)
      accept(header.source ?? peer)
    }
    const end = (): void => {
      finish()
      socket.destroy()
    }
    const timer = setTimeout(end, timeoutMs)
    const finish = (): void => {
      clearTimeout(timer)
      this.#waiting.delete(socket)
      socket.off('readable', onReadable).off('error', end).off('close', finish)
    }
    this.#waiting.add(socket)
    socket.on('readable', onReadable).on('error', end).on('close', finish)
  }

  close(): void {
    for (const socket of this.#waiting) socket.destroy()
  }
}
