/** Defines close codes, limits and subprotocols of WebSockets, for both adapters (RFC 6455). */
import type { Duplex } from 'node:stream'
import { errorResponse, WEB_ERRORS } from './errors.ts'
import type { HttpResponse } from './types.ts'

/** Close codes of RFC 6455 section 7.4.1. */
export const CLOSE_CODES = {
  normal: 1000,
  goingAway: 1001,
  unsupportedData: 1003,
  /** No close frame arrived. Never sent. */
  abnormal: 1006,
  policyViolation: 1008,
  messageTooBig: 1009,
  unexpected: 1011,
  tryAgainLater: 1013,
} as const

/** Limits of a WebSocket that a class serves. The docs list them too. */
export const SOCKET_LIMITS = {
  /** Maximum bytes of a message from the peer. */
  messageBytes: 1_048_576,
  /** Maximum unread bytes of the peer when another message is sent. */
  unreadBytes: 1_048_576,
  /** Maximum bytes of messages queued for MESSAGE. */
  waitingBytes: 4_194_304,
  pingIntervalMs: 30_000,
  /** Pings without a pong or a message after which the connection ends. */
  unansweredPings: 2,
} as const

/**
 * Serves a WebSocket (RFC 6455) as a byte stream: its binary messages form one stream in each direction. A text message
 * closes the connection.
 */
export interface WebSocketHandler {
  /** Supported subprotocols. A client must offer one of them. */
  readonly protocols: readonly string[]
  /** @param remote address of the client */
  open(stream: Duplex, remote: string): void
}

export interface WebSocketConnection {
  send(data: string | Uint8Array): void
  unreadBytes(): number
  ping(): void
  /** Starts the closing handshake after all messages were sent. */
  close(code: number): void
  /** Ends the connection without a closing handshake. */
  terminate(): void
}

/** Returns whether a program may close with this code (RFC 6455 section 7.4 and the IANA registry). */
export function isCloseCode(code: number): boolean {
  const isAssigned = code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)
  return Number.isInteger(code) && (isAssigned || (code >= 3000 && code <= 4999))
}

/** Name of a subprotocol: a token (RFC 9110 section 5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

export function areSubprotocols(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string' && TOKEN.test(name)) &&
    new Set(value).size === value.length
  )
}

/**
 * Returns the first subprotocol of the handler that the client offers; null without a match.
 *
 * @param offered value of the Sec-WebSocket-Protocol header
 */
export function selectSubprotocol({ protocols }: WebSocketHandler, offered = ''): string | null {
  const names = offered.split(',').map((name) => name.trim())
  return protocols.find((protocol) => names.includes(protocol)) ?? null
}

/** Returns the refusal for a client that offers no supported subprotocol. */
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
