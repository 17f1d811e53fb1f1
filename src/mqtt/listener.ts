/** The TCP port of the MQTT broker, with or without TLS. Knows no MQTT. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls'
import { StartError } from '../process/start-error.ts'

export interface MqttListener {
  readonly host: string
  /** The port in use, also when 0 was asked for. */
  readonly port: number
  /** Stops accepting; resolves when the last connection is closed, which is somebody else's task. */
  close(): Promise<void>
}

const CURES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: stop what listens there, choose another with --mqtt HOST:PORT, or --mqtt off',
  EACCES: 'is not allowed for this user: choose a port above 1023 with --mqtt HOST:PORT',
  EADDRNOTAVAIL: 'is not an address of this machine: choose one with --mqtt HOST:PORT',
  ENOTFOUND: 'is not a known host name: choose an address with --mqtt HOST:PORT',
}

/** Devices that vanish without a word are found out after about this long, whatever keep-alive they asked for. */
const PROBE_MS = 60_000

const HANDSHAKE_MS = 10_000

export interface MqttAddress {
  readonly host: string
  readonly port: number
  /** A certificate that may change; null: no TLS. */
  readonly tls: {
    readonly certificate: { readonly cert: Buffer; readonly key: Buffer }
    follow(server: TlsServer): () => void
  } | null
}

/** @throws {StartError} when it cannot listen there */
export async function listenMqtt(
  { host, port, tls }: MqttAddress,
  accept: (socket: Socket, remote: string) => void,
): Promise<MqttListener> {
  const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: PROBE_MS }
  const connect = (socket: Socket | TLSSocket): void => accept(socket, socket.remoteAddress ?? '')
  let server: Server
  if (tls) {
    const secure = createTlsServer(
      { ...options, ...tls.certificate, handshakeTimeout: HANDSHAKE_MS },
      connect,
    )
    secure.once('close', tls.follow(secure))
    server = secure
  } else server = createServer(options, connect)
  await listening(server, host, port)
  return {
    host,
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function listening(server: Server, host: string, port: number): Promise<void> {
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
    const cure = CURES[code] ?? `cannot be listened on: ${message}`
    throw new StartError(`MQTT: ${host}:${port} ${cure}`, error)
  }
}
