/** Defines protocol violations that end a connection, and the reason codes by which MQTT 5 reports them. */
import { disconnect } from './packets.ts'

/** Reason codes with which MQTT 5 ends a connection (section 4.13). */
export const REASON = {
  MALFORMED: 0x81,
  PROTOCOL_ERROR: 0x82,
  CLIENT_ID_NOT_VALID: 0x85,
  KEEP_ALIVE_TIMEOUT: 0x8d,
  RECEIVE_MAXIMUM_EXCEEDED: 0x93,
  PACKET_TOO_LARGE: 0x95,
} as const
type ReasonCode = (typeof REASON)[keyof typeof REASON]

export interface ProtocolViolation {
  /** Reason for the log, with the clause of MQTT 3.1.1. MQTT 5 has the same rules. */
  readonly reason: string
  readonly code: ReasonCode
  readonly reply?: Uint8Array
}

export function violation(reason: string, code: ReasonCode = REASON.MALFORMED): ProtocolViolation {
  return { reason, code }
}

/**
 * Adds the packet that tells a client of version 5 why its connection ends. @param connecting true for a violation in
 * CONNECT
 */
export function withReply(found: ProtocolViolation, level: number, connecting: boolean): ProtocolViolation {
  if (found.reply || level < 5) return found
  const { code } = found
  return { ...found, reply: connecting ? Uint8Array.of(0x20, 3, 0, code, 0) : disconnect(code) }
}
