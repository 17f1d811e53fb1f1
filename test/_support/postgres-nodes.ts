/** Runs nodes on one schema of a test, and a proxy between a node and PostgreSQL. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/database.ts'
import { whenDone } from './cleanup.ts'
import { message } from './message.ts'
import { newSchema, type PostgresServer } from './postgres.ts'

export type OpenNode = Awaited<ReturnType<typeof openPostgres>>

const LIMITS = { messages: 1_000_000, bytes: 0 }
/** A lease that ends soon, for a test that waits for its end. */
export const SHORT = { leaseMs: 400, beatMs: 50, deadMs: 800 }

/** Returns the devices of the `added` events of a node. */
export function addedTo(node: OpenNode): string[] {
  const devices: string[] = []
  node.messages.watch({ added: ({ deviceId }) => devices.push(deviceId) })
  return devices
}

/** Stores a message for a device through a node. */
export const put = (node: OpenNode, deviceId: string) => node.messages.enqueue(message({ deviceId }), LIMITS)

/** Empty schema, whose nodes are closed after the test. */
export class NodesUnderTest {
  readonly schema = newSchema()
  readonly #server: PostgresServer
  readonly #nodes: OpenNode[] = []

  constructor(server: PostgresServer) {
    this.#server = server
    whenDone(() => Promise.all(this.#nodes.map((node) => node.close())))
  }

  async open(options: Partial<PostgresOptions> = {}): Promise<OpenNode> {
    const target = { hosts: [this.#server.config], schema: this.schema, limits: LIMITS }
    const node = await openPostgres({ ...target, ...options })
    this.#nodes.push(node)
    return node
  }

  /** Returns a connection outside the nodes, which is closed after the test. */
  async session(): Promise<pg.Client> {
    const client = new pg.Client(this.#server.config)
    client.on('error', () => {})
    await client.connect()
    whenDone(() => client.end().catch(() => {}))
    await client.query(`SET search_path TO ${this.schema}`)
    return client
  }
}

/** TCP proxy in front of the socket of a server. */
export interface PostgresProxy {
  readonly config: pg.ClientConfig
  /** True drops the answers of the server, so that its clients wait. */
  dropsAnswers: boolean
  cut(): void
}

export async function startPostgresProxy(server: PostgresServer): Promise<PostgresProxy> {
  const sockets = new Set<Socket>()
  const listener = createServer((client) => {
    const upstream = connect(join(server.directory, '.s.PGSQL.5432'))
    client.pipe(upstream)
    upstream.on('data', (bytes) => {
      if (!proxy.dropsAnswers) client.write(bytes)
    })
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { user, database } = server.config
  const { port } = listener.address() as AddressInfo
  const proxy: PostgresProxy = {
    config: { host: '127.0.0.1', port, ...(user && { user }), ...(database && { database }) },
    dropsAnswers: false,
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
  whenDone(() => {
    listener.close()
    proxy.cut()
  })
  return proxy
}
