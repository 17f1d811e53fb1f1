/** Builds headers of version 2 of the PROXY protocol, like HAProxy. */
import { isIP, SocketAddress } from 'node:net'

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')

export interface HeaderFields {
  readonly source?: string
  /** Byte of version and command. */
  readonly command?: number
  /** Byte of address family and protocol; by default TCP over the family of the source. */
  readonly family?: number
  readonly tlvs?: Buffer
  /** Length that the header announces. */
  readonly length?: number
}

/** Returns a header of a client at `source`, to port 1883 of the address itself. */
export function proxyHeader({ source = '203.0.113.5', ...fields }: HeaderFields = {}): Buffer {
  const { command = 0x21, family = isIP(source) === 6 ? 0x21 : 0x11, tlvs = Buffer.alloc(0) } = fields
  const address = bytesOf(source)
  const ports = Buffer.from([0xc3, 0x50, 0x07, 0x5b])
  const body = Buffer.concat([address, address, ports, tlvs])
  const { length = body.length } = fields
  return Buffer.concat([SIGNATURE, Buffer.from([command, family, length >> 8, length & 255]), body])
}

/** Returns one TLV (section 2.2.1). */
export function tlv(type: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type, value.length >> 8, value.length & 255]), value])
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const { address: short } = new SocketAddress({ address, family: 'ipv6' })
  const hexadecimal = short.replace(/[\d.]+\.\d+$/, (ipv4) =>
    bytesOf(ipv4).toString('hex').replace(/^.{4}/, '$&:'),
  )
  const [head = '', tail = ''] = hexadecimal.split('::')
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]]
  const zeros = Array<string>(8 - first.length - last.length).fill('0')
  const groups = [...first, ...zeros, ...last].map((group) => group.padStart(4, '0'))
  return Buffer.from(groups.join(''), 'hex')
}
