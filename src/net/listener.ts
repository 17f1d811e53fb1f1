/** Listens on a TCP port for a transport, with or without TLS. Knows no protocol. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls'
import { StartError } from '../process/start-error.ts'

export interface Listener {
  readonly host: string
  /** Port in use, also when 0 was asked for. */
  readonly port: number
  /** Stops accepting. Resolves when the last connection is closed, which is the transport's task. */
  close(): Promise<void>
}

/** Says what is wrong and what to do, by the code of the error. */
const CURES: Readonly<Record<string, (flag: string) => string>> = {
  EADDRINUSE: (flag) =>
    `is in use: stop what listens there, choose another with ${flag} HOST:PORT, or ${flag} off`,
  EACCES: (flag) => `is not allowed for this user: choose a port above 1023 with ${flag} HOST:PORT`,
  EADDRNOTAVAIL: (flag) => `is not an address of this machine: choose one with ${flag} HOST:PORT`,
  ENOTFOUND: (flag) => `is not a known host name: choose an address with ${flag} HOST:PORT`,
}

/** Period of TCP probes. They find a device that vanished, whatever keep-alive it asked for. */
const PROBE_MS = 60_000

const HANDSHAKE_MS = 10_000

export interface ListenOptions {
  /** Name of the transport, and the flag that sets its address, for errors. */
  readonly name: string
  readonly flag: string
  readonly host: string
  readonly port: number
  /** Certificate that may change; null: no TLS. */
  readonly tls: ListenTls | null
}

/** A certificate, and the servers that follow its changes. */
export interface ListenTls {
  readonly certificate: { readonly cert: Buffer; readonly key: Buffer }
  /** Gives the server each new certificate. Returns a function that ends this. */
  follow(server: TlsServer): () => void
}

/** @throws {StartError} when it cannot listen there */
export async function listenTcp(
  options: ListenOptions,
  accept: (socket: Socket, remote: string) => void,
): Promise<Listener> {
  const { host, tls } = options
  const sockets = { noDelay: true, keepAlive: true, keepAliveInitialDelay: PROBE_MS }
  const connect = (socket: Socket | TLSSocket): void => accept(socket, socket.remoteAddress ?? '')
  let server: Server
  if (tls) {
    const secure = createTlsServer(
      { ...sockets, ...tls.certificate, handshakeTimeout: HANDSHAKE_MS },
      connect,
    )
    secure.once('close', tls.follow(secure))
    server = secure
  } else server = createServer(sockets, connect)
  await listening(server, options)
  return {
    host,
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function listening(server: Server, { name, flag, host, port }: ListenOptions): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const cure = CURES[code]?.(flag) ?? `cannot be listened on: ${message}`
    throw new StartError(`${name}: ${host}:${port} ${cure}`, error)
  }
}
