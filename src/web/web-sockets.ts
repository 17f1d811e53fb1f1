/** Close codes and subprotocols of WebSockets, for both adapters (RFC 6455). */
import { errorResponse, WEB_ERRORS } from './errors.ts'
import type { HttpResponse, WebSocketHandler } from './http.ts'

/** Close codes of RFC 6455 section 7.4.1. */
export const CLOSE_CODES = {
  normal: 1000,
  goingAway: 1001,
  unsupportedData: 1003,
  messageTooBig: 1009,
} as const

/**
 * Returns the first subprotocol of the handler that the client offers; null when there is none.
 *
 * @param offered value of the Sec-WebSocket-Protocol header
 */
export function selectSubprotocol({ protocols }: WebSocketHandler, offered = ''): string | null {
  const names = offered.split(',').map((name) => name.trim())
  return protocols.find((protocol) => names.includes(protocol)) ?? null
}

/** Returns the refusal of a client that offers no supported subprotocol. */
export function subprotocolRequired({ protocols }: WebSocketHandler): HttpResponse {
  const { status } = WEB_ERRORS['bad-request']
  return errorResponse(status, `The WebSocket subprotocol is not supported. Offer ${protocols.join(' or ')}.`)
}
