/** Parses and formats the addresses of listeners. */
import { isIP, SocketAddress } from 'node:net'

const LOOPBACK = '127.0.0.1'
const MAX_PORT = 65_535

/**
 * Maximum connections in the accept queue: the maximum of Linux, so that all devices may reconnect at once. Node's
 * default is 511.
 */
export const BACKLOG = 4_096

/** Parses `HOST:PORT`, `HOST`, `PORT`, `:PORT` or `[IPV6]:PORT`. Returns null for any other text. */
export function parseAddress(text: string): { address?: string; port?: number } | null {
  if (isIP(text) === 6) return { address: text }
  if (/^\d+$/.test(text)) return parseAddress(`:${text}`)
  const match = /^(\[[^\]]*\]|[^:[\]\s]*)(?::(\d{1,5}))?$/.exec(text)
  if (!match) return null
  const host = (match[1] as string).replace(/^\[(.*)\]$/, '$1')
  const port = match[2] === undefined ? undefined : Number(match[2])
  if ((host === '' && port === undefined) || (port ?? 0) > MAX_PORT) return null
  if (match[1]?.startsWith('[') && isIP(host) !== 6) return null
  return { ...(host === '' ? {} : { address: host }), ...(port === undefined ? {} : { port }) }
}

/**
 * Returns the problem of a text that {@link parseAddress} refuses only because of its port; null for any other text.
 */
export function portProblem(text: string): string | null {
  const port = /(?:^|:)(\d+)$/.exec(text)?.[1]
  return port !== undefined && Number(port) > MAX_PORT
    ? `port ${port} is above ${MAX_PORT}; use 0 to ${MAX_PORT}`
    : null
}

/**
 * Parses the address of an optional listener. Returns null for `off`.
 *
 * @param address `HOST:PORT`, `PORT`, `:PORT` or `off`
 */
export function listenAddress(address: string): { host: string; port: number } | null {
  const { address: host = LOOPBACK, port } = parseAddress(address) ?? {}
  return port === undefined ? null : { host, port }
}

/** Returns whether an address accepts connections from this machine only. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}

/** Returns the URL of a listener. Puts an IPv6 address in brackets (RFC 3986 section 3.2.2). */
export function urlOf(
  scheme: string,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * Returns the canonical form of an IP address: IPv4 for an IPv4-mapped address, the shortest form of IPv6. Other text
 * is unchanged.
 */
export function plainAddress(address: string): string {
  if (isIP(address) !== 6) return address
  const short = new SocketAddress({ address, family: 'ipv6' }).address
  return short.startsWith('::ffff:') && isIP(short.slice(7)) === 4 ? short.slice(7) : short
}

/**
 * Returns the network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, because a
 * host usually has that many addresses (RFC 6177).
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain
  const [head = '', tail = ''] = plain.split('::')
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]]
  const zeros = plain.includes('::') ? Array<string>(8 - first.length - last.length).fill('0') : []
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`
}
