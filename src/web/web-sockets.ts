/** What the adapters' WebSockets have in common (RFC 6455). */
import { errorResponse, WEB_ERRORS } from './errors.ts'
import type { HttpResponse, WebSocketHandler } from './http.ts'

/** Section 7.4.1. */
export const CLOSE = { normal: 1000, goingAway: 1001, unsupportedData: 1003, tooMuch: 1009 } as const

/** @param offered the header Sec-WebSocket-Protocol. @returns null when the handler speaks none of them */
export function subprotocol({ protocols }: WebSocketHandler, offered = ''): string | null {
  const names = offered.split(',').map((name) => name.trim())
  return protocols.find((protocol) => names.includes(protocol)) ?? null
}

export function withoutSubprotocol({ protocols }: WebSocketHandler): HttpResponse {
  const { status } = WEB_ERRORS['bad-request']
  return errorResponse(
    status,
    `Offer a WebSocket subprotocol that is spoken here: ${protocols.join(' or ')}.`,
  )
}
