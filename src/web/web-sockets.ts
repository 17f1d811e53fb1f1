/** Close codes, limits and subprotocols of WebSockets, for both adapters (RFC 6455). */
import type { Duplex } from 'node:stream'
import { errorResponse, WEB_ERRORS } from './errors.ts'
import type { HttpResponse } from './types.ts'

/** Close codes of RFC 6455 section 7.4.1. */
export const CLOSE_CODES = {
  normal: 1000,
  goingAway: 1001,
  unsupportedData: 1003,
  /** No close frame arrived. It is never sent. */
  abnormal: 1006,
  /** The access of the peer has ended. */
  policyViolation: 1008,
  messageTooBig: 1009,
  unexpected: 1011,
  tryAgainLater: 1013,
} as const

/** Limits of a WebSocket that a class serves. The docs list them too. */
export const SOCKET_LIMITS = {
  /** Maximum bytes of a message from the peer. */
  messageBytes: 1_048_576,
  /** Maximum bytes that the peer has not read when another message is sent. */
  unreadBytes: 1_048_576,
  /** Maximum bytes of messages that wait for MESSAGE. */
  waitingBytes: 4_194_304,
  pingIntervalMs: 30_000,
  /** Pings without a pong or a message after which the connection ends. */
  unansweredPings: 2,
} as const

/**
 * Serves a WebSocket (RFC 6455). The binary messages form one stream of bytes in each direction. A text message closes
 * the connection.
 */
export interface WebSocketHandler {
  /** Supported subprotocols. A client must offer one of them. */
  readonly protocols: readonly string[]
  /** @param remote address of the client */
  open(stream: Duplex, remote: string): void
}

/** Open WebSocket of an adapter. */
export interface WebSocketConnection {
  send(data: string | Uint8Array): void
  /** Returns the number of bytes that the peer has not taken. */
  unreadBytes(): number
  ping(): void
  /** Starts the closing handshake, after everything that was sent. */
  close(code: number): void
  /** Ends the connection without a closing handshake. */
  terminate(): void
}

/** Returns whether a program may close with this code (RFC 6455 section 7.4 and the registry of IANA). */
export function isCloseCode(code: number): boolean {
  const isAssigned = code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)
  return Number.isInteger(code) && (isAssigned || (code >= 3000 && code <= 4999))
}

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
  return errorResponse(
    status,
    `The WebSocket subprotocol is not supported. Offer ${protocols.join(' or ')}.`,
    {
      code: 'bad-request',
    },
  )
}
