/**
 * Parses the header in which a proxy names its client: version 2 of the PROXY protocol
 * (https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt, section 2.2). Knows no socket.
 */
import { plainAddress } from './address.ts'

export const PROXY_HEADER_LIMITS = {
  /** Maximum bytes of the addresses and the TLVs of a header. */
  bodyBytes: 4_096,
} as const

export interface ProxyHeader {
  /** Address of the client; null if the header names none, so that the peer is the client. */
  readonly source: string | null
  readonly length: number
}

/** Reason why a connection does not begin with a valid header. */
export interface InvalidProxyHeader {
  readonly problem: string
}

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')
/** Bytes before the addresses: signature, version and command, family and protocol, length. */
const FIXED_BYTES = 16

const LOCAL = 0
const PROXY = 1

interface Family {
  /** Bytes of both addresses and both ports. */
  readonly bytes: number
  /** Returns the address of the client at an offset. Without it the server uses the address of the peer. */
  readonly addressAt?: (bytes: Buffer, at: number) => string
}

const UNSPECIFIED: Family = { bytes: 0 }
const UNIX: Family = { bytes: 216 }
/** Families with their protocols, by the byte that encodes both. A receiver must reject all other bytes. */
const FAMILIES: ReadonlyMap<number, Family> = new Map<number, Family>([
  [0x00, UNSPECIFIED],
  [0x11, { bytes: 12, addressAt: ipv4 }],
  [0x12, { bytes: 12 }],
  [0x21, { bytes: 36, addressAt: ipv6 }],
  [0x22, { bytes: 36 }],
  [0x31, UNIX],
  [0x32, UNIX],
])

/**
 * Parses the header at the start of a connection. Skips its TLVs without a check.
 *
 * @param bytes at least one byte: all that have arrived
 * @returns null if more bytes are needed
 */
export function parseProxyHeader(bytes: Buffer): ProxyHeader | InvalidProxyHeader | null {
  const compared = Math.min(bytes.length, SIGNATURE.length)
  if (bytes.compare(SIGNATURE, 0, compared, 0, compared) !== 0) return invalid(absent(bytes))
  const [command, familyByte] = [bytes[12], bytes[13]]
  if (command === undefined) return null
  const version = command >> 4
  if (version !== 2) return invalid(`the PROXY protocol header has version ${version} instead of 2`)
  const isLocal = (command & 15) === LOCAL
  if (!isLocal && (command & 15) !== PROXY)
    return invalid(`the PROXY protocol header has an unknown command, ${command & 15}`)
  if (bytes.length < FIXED_BYTES) return null
  const bodyBytes = bytes.readUInt16BE(14)
  if (bodyBytes > PROXY_HEADER_LIMITS.bodyBytes) {
    const { bodyBytes: maximum } = PROXY_HEADER_LIMITS
    return invalid(`the PROXY protocol header announces ${bodyBytes} bytes, at most ${maximum} are allowed`)
  }
  // A receiver must ignore the family of the command LOCAL, with which a proxy connects on its own behalf.
  const family = isLocal ? UNSPECIFIED : FAMILIES.get(familyByte as number)
  if (!family) return invalid(`the PROXY protocol header has an unknown address family, ${familyByte}`)
  if (bodyBytes < family.bytes)
    return invalid(`the PROXY protocol header has ${bodyBytes} bytes for addresses of ${family.bytes}`)
  const length = FIXED_BYTES + bodyBytes
  if (bytes.length < length) return null
  return { source: family.addressAt?.(bytes, FIXED_BYTES) ?? null, length }
}

/** Returns whether bytes begin like a header of version 2. No packet of MQTT and no TLS handshake does. */
export function beginsAsProxyHeader(bytes: Uint8Array): boolean {
  return bytes[0] === SIGNATURE[0] && bytes[1] === SIGNATURE[1]
}

function absent(bytes: Buffer): string {
  const isFirstVersion = bytes.toString('latin1', 0, 6) === 'PROXY '
  const found = isFirstVersion ? 'a PROXY protocol header of version 1' : 'no PROXY protocol header'
  return `the trusted proxy sent ${found}. Let it send version 2 (HAProxy: send-proxy-v2), or set mqtt.proxy-protocol to false`
}

function invalid(problem: string): InvalidProxyHeader {
  return { problem }
}

function ipv4(bytes: Buffer, at: number): string {
  return bytes.subarray(at, at + 4).join('.')
}

function ipv6(bytes: Buffer, at: number): string {
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(at + 2 * i).toString(16))
  return plainAddress(groups.join(':'))
}
