/**
 * TCP proxy that cuts connections after the server has answered, so that the client loses the answers of completed
 * requests.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { whenDone } from './cleanup.ts'

export interface CutProxy {
  readonly url: string
  readonly connections: () => number
}

/** Starts a proxy before a server. It cuts the first `cuts` connections at the first byte of an answer. */
export async function startCutProxy(serverUrl: string, cuts: number): Promise<CutProxy> {
  const { hostname, port } = new URL(serverUrl)
  let connections = 0
  const proxy = createServer((client) => {
    const isCut = connections++ < cuts
    const server = connect(Number(port), hostname)
    client.pipe(server)
    if (isCut) server.once('data', () => client.destroy())
    else server.pipe(client)
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      socket.on('error', () => {})
      socket.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  whenDone(() => proxy.close())
  await once(proxy, 'listening')
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, connections: () => connections }
}
