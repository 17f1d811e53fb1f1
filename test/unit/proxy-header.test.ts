/** The header of the PROXY protocol, version 2: what it names, what is refused, and that its pieces do not matter. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PROXY_HEADER_LIMITS, parseProxyHeader } from '../../src/net/proxy-header.ts'
import { type HeaderFields, proxyHeader, tlv } from '../_support/proxy-header.ts'

/** PP2_TYPE_CRC32C with a checksum that is wrong, PP2_TYPE_NOOP, PP2_TYPE_AUTHORITY. */
const TLVS = Buffer.concat([
  tlv(0x03, Buffer.from('deadbeef', 'hex')),
  tlv(0x04, Buffer.alloc(300)),
  tlv(0x02, Buffer.from('waybill.example.com')),
])
const LONGEST = Buffer.alloc(PROXY_HEADER_LIMITS.bodyBytes - 12)

describe('PROXY protocol header', () => {
  test('as HAProxy 2.6 sends it → the source', () => {
    const bytes = '0d0a0d0a000d0a515549540a 21 11 000c cb007105 0a000005 c350 075b'.replaceAll(' ', '')
    expect(parseProxyHeader(Buffer.from(bytes, 'hex'))).toEqual({ source: '203.0.113.5', length: 28 })
  })

  test.each<[string, HeaderFields, string | null]>([
    ['TCP over IPv4', { source: '198.51.100.255' }, '198.51.100.255'],
    ['TCP over IPv6', { source: '2001:db8::ff:1' }, '2001:db8::ff:1'],
    ['an IPv4-mapped source', { source: '::ffff:cb00:7105' }, '203.0.113.5'],
    ['TLVs, also a checksum', { tlvs: TLVS }, '203.0.113.5'],
    ['the longest one', { tlvs: LONGEST }, '203.0.113.5'],
    ['command LOCAL', { command: 0x20 }, null],
    ['command LOCAL with an unknown family', { command: 0x20, family: 0x99 }, null],
    ['an unspecified family', { family: 0x00 }, null],
    ['datagrams', { family: 0x12 }, null],
    ['a Unix socket', { family: 0x31, tlvs: Buffer.alloc(216) }, null],
  ])('%s → its source, its length', (_name, fields, source) => {
    const header = proxyHeader(fields)
    const behind = Buffer.concat([header, Buffer.from([0x10])])
    for (const bytes of [header, behind])
      expect(parseProxyHeader(bytes)).toEqual({ source, length: header.length })
  })

  test.each<[string, Buffer, RegExp]>([
    [
      'version 1',
      Buffer.from('PROXY TCP4 203.0.113.5 10.0.0.5 50000 1883\r\n'),
      /of version 1\. .*send-proxy-v2/,
    ],
    ['CONNECT instead', Buffer.from('100c00044d515454', 'hex'), /sent no PROXY protocol header/],
    ['a TLS handshake instead', Buffer.from('16030100', 'hex'), /sent no PROXY protocol header/],
    ['version 3', proxyHeader({ command: 0x31 }), /version 3 instead of 2/],
    ['an unknown command', proxyHeader({ command: 0x22 }), /unknown command, 2/],
    ['an unknown family', proxyHeader({ family: 0x41 }), /unknown address family, 65/],
    ['an unknown protocol', proxyHeader({ family: 0x13 }), /unknown address family, 19/],
    ['too short for IPv4', proxyHeader({ length: 11 }), /11 bytes for addresses of 12/],
    ['too short for IPv6', proxyHeader({ source: '::1', length: 35 }), /35 bytes for addresses of 36/],
    ['too long', proxyHeader({ length: PROXY_HEADER_LIMITS.bodyBytes + 1 }), /4097 bytes, at most 4096/],
  ])('%s → the problem', (_name, bytes, problem) => {
    expect(parseProxyHeader(bytes)).toEqual({ problem: expect.stringMatching(problem) })
  })

  test('each piece of a valid header → null until it is whole', () => {
    const fields = fc.record({
      source: fc.oneof(fc.ipV4(), fc.ipV6()),
      tlvs: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    })
    fc.assert(
      fc.property(fields, fc.uint8Array({ maxLength: 40 }), (header, after) => {
        const bytes = Buffer.concat([proxyHeader(header), after])
        const length = bytes.length - after.length
        for (let end = 1; end < length; end++) expect(parseProxyHeader(bytes.subarray(0, end))).toBeNull()
        const whole = parseProxyHeader(bytes.subarray(0, length))
        expect(whole).toMatchObject({ length })
        for (let end = length; end <= bytes.length; end++)
          expect(parseProxyHeader(bytes.subarray(0, end))).toEqual(whole)
      }),
    )
  })

  test('any bytes, one changed → never an exception, and a problem stays one', () => {
    const changed = fc
      .tuple(fc.nat(43), fc.nat(255))
      .map(([at, value]) => Buffer.from(proxyHeader({ source: '::1', tlvs: TLVS })).fill(value, at, at + 1))
    const any = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.oneof(changed, any), (bytes) => {
        let earlier = parseProxyHeader(bytes.subarray(0, 1))
        for (let end = 2; end <= bytes.length; end++) {
          const found = parseProxyHeader(bytes.subarray(0, end))
          if (earlier && 'problem' in earlier) expect(found).toHaveProperty('problem')
          else if (earlier) expect(found).toEqual(earlier)
          earlier = found
        }
      }),
    )
  })
})
