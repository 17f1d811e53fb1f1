/** Listens on a TCP port for a transport, with or without TLS. Knows no protocol. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import { startErrorFor } from '../process/start-error.ts'
import { BACKLOG } from './address.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import { type ProxyHeaderOptions, ProxyHeaderReader } from './proxy-header-reader.ts'

export interface Listener {
  readonly host: string
  /** Actual port, even if 0 was requested. */
  readonly port: number
  /** Stops accepting connections. Resolves when the last connection is closed; the transport has to close them. */
  close(): Promise<void>
}

/** Texts by error code: the problem of an address, then what to do. */
const CURES: Readonly<Record<string, (flag: string) => string>> = {
  EADDRINUSE: (flag) =>
    `is in use: stop what listens there, choose another with ${flag} HOST:PORT, or ${flag} off`,
  EACCES: (flag) => `is not allowed for this user: choose a port above 1023 with ${flag} HOST:PORT`,
  EADDRNOTAVAIL: (flag) => `is not an address of this machine: choose one with ${flag} HOST:PORT`,
  ENOTFOUND: (flag) => `is not a known host name: choose an address with ${flag} HOST:PORT`,
}

/** Interval of TCP keep-alive probes. They detect a vanished peer, whatever keep-alive its protocol has. */
const KEEP_ALIVE_MS = 60_000

const HANDSHAKE_TIMEOUT_MS = 10_000

export interface TcpListenOptions {
  readonly name: string
  /** Command-line flag that sets the address, for errors. */
  readonly flag: string
  readonly host: string
  readonly port: number
  /** Certificate that may be replaced while the server runs; null disables TLS. */
  readonly tls: ListenTls | null
  readonly limit: ConnectionLimit
  /** Reads the PROXY protocol header of trusted proxies, before TLS begins. Default: no connection has a header. */
  readonly proxyHeader?: ProxyHeaderOptions | null
}

/** Certificate that may be replaced while the server runs. */
export interface ListenTls {
  readonly certificate: { readonly cert: Buffer; readonly key: Buffer }
  /** Passes each new certificate to the server. Returns a function that unsubscribes. */
  subscribe(server: TlsServer): () => void
}

/**
 * Listens on a TCP port.
 *
 * @param accept called with each connection and the address of its client
 * @throws {StartError} that says what to do, when the address cannot be used
 */
export async function listenTcp(options: TcpListenOptions, accept: Accept): Promise<Listener> {
  const { host, tls, limit, proxyHeader } = options
  const reader = proxyHeader ? new ProxyHeaderReader(proxyHeader) : null
  const server = reader ? behindProxies(tls, reader, accept) : direct(tls, accept)
  server.maxConnections = limit.maximum
  server.on('drop', () => limit.onClosed())
  await startListening(server, options)
  return {
    host,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        reader?.close()
      }),
  }
}

type Accept = (socket: Socket, remote: string) => void

const SOCKETS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }

function direct(tls: ListenTls | null, accept: Accept): Server {
  const connect = (socket: Socket): void => accept(socket, socket.remoteAddress ?? '')
  if (tls === null) return createServer(SOCKETS, connect)
  const options = { ...SOCKETS, ...tls.certificate, handshakeTimeout: HANDSHAKE_TIMEOUT_MS }
  const server = createTlsServer(options, connect)
  server.once('close', tls.subscribe(server))
  return server
}

/** Creates a server that first reads the header of a trusted proxy, and passes the connection to a second server. */
function behindProxies(tls: ListenTls | null, reader: ProxyHeaderReader, accept: Accept): Server {
  /** Addresses of clients until they are accepted. After a TLS handshake the socket is a different object. */
  const remotes = new Map<string, string>()
  const second = direct(tls, (socket, peer) => {
    const ends = endsOf(socket)
    accept(socket, remotes.get(ends) ?? peer)
    remotes.delete(ends)
  })
  const server = createServer(SOCKETS, (socket) =>
    reader.read(socket, (remote) => {
      const ends = endsOf(socket)
      remotes.set(ends, remote)
      socket.once('close', () => remotes.delete(ends))
      second.emit('connection', socket)
    }),
  )
  // The second server never listens, so it does not close by itself.
  server.once('close', () => second.emit('close'))
  return server
}

/** Identifies an open connection by its addresses and ports. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}

async function startListening(server: Server, { name, flag, host, port }: TcpListenOptions): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ port, host, backlog: BACKLOG }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const cure =
      CURES[code]?.(flag) ?? `cannot be used (${message}): choose another address with ${flag} HOST:PORT`
    throw startErrorFor(error, `${name}: ${host}:${port} ${cure}`)
  }
}
