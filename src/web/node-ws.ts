/** Loads the package ws with the first WebSocket. Knows no application. */
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { WebSocketServer } from 'ws'

const require = createRequire(import.meta.url)

/** Loads ws, which takes 5 MB of memory. Call it for a WebSocket, because most services have none. */
export const loadWs = (): typeof import('ws') => require('ws')

/** @param protocolOf returns the subprotocol of an accepted upgrade, if it has one */
export function createWebSocketServer(
  maxPayload: number,
  protocolOf: (req: IncomingMessage) => string | null | undefined,
): WebSocketServer {
  const { WebSocketServer } = loadWs()
  return new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    handleProtocols: (_offered, req) => protocolOf(req) || false,
  })
}
