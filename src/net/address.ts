/** Addresses to listen on, as people write them. */
import { isIP } from 'node:net'

const LOOPBACK = '127.0.0.1'

/** `HOST:PORT`, `HOST`, `:PORT`, `[IPV6]:PORT`; null when it is none of them. */
export function parseAddress(text: string): { address?: string; port?: number } | null {
  if (isIP(text) === 6) return { address: text }
  const match = /^(\[[^\]]*\]|[^:[\]\s]*)(?::(\d{1,5}))?$/.exec(text)
  if (!match) return null
  const host = (match[1] as string).replace(/^\[(.*)\]$/, '$1')
  const port = match[2] === undefined ? undefined : Number(match[2])
  if ((host === '' && port === undefined) || (port ?? 0) > 65_535) return null
  if (match[1]?.startsWith('[') && isIP(host) !== 6) return null
  return { ...(host === '' ? {} : { address: host }), ...(port === undefined ? {} : { port }) }
}

/** Where the MQTT listener listens; null: nowhere. @param address `HOST:PORT`, `:PORT` or `off` */
export function mqttListenAddress(address: string): { host: string; port: number } | null {
  const { address: host = LOOPBACK, port } = parseAddress(address) ?? {}
  return port === undefined ? null : { host, port }
}

export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}
