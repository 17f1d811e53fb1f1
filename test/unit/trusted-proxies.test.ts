/** The address of a client: directly, behind proxies, and as the network that limits count. */
import { describe, expect, test } from 'vitest'
import { networkOf, plainAddress } from '../../src/net/address.ts'
import { isAddressRange, TrustedProxies } from '../../src/net/trusted-proxies.ts'

const PROXIES = new TrustedProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8:1::/48', '::1'])

describe('client address', () => {
  test.each([
    ['no header', '10.0.0.1', '', '10.0.0.1'],
    ['an untrusted peer with a header', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['one proxy', '10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['a single trusted address', '192.0.2.7', '203.0.113.5', '203.0.113.5'],
    ['a neighbour of it', '192.0.2.8', '203.0.113.5', '192.0.2.8'],
    ['a chain of two proxies', '10.0.0.1', '203.0.113.5, 10.9.9.9', '203.0.113.5'],
    ['a chain whose client invents an address', '10.0.0.1', '1.1.1.1, 203.0.113.5,10.9.9.9', '203.0.113.5'],
    ['a client that invents a trusted address', '10.0.0.1', '10.1.1.1, 203.0.113.5', '203.0.113.5'],
    ['a client that invents nonsense', '10.0.0.1', 'x, 203.0.113.5', '203.0.113.5'],
    ['trusted addresses only', '10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.1'],
    ['no address', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['an empty item', '10.0.0.1', '203.0.113.5,', '10.0.0.1'],
    ['an address with a port', '10.0.0.1', '203.0.113.5:80', '10.0.0.1'],
    ['IPv6', '2001:db8:1::1', '2001:DB8:0:0::5', '2001:db8::5'],
    ['IPv6, long form', '0000:0000:0000:0000:0000:0000:0000:0001', '203.0.113.5', '203.0.113.5'],
    ['an untrusted IPv6 peer', '2001:db8:2::1', '203.0.113.5', '2001:db8:2::1'],
    ['an IPv4-mapped proxy and client', '::ffff:10.0.0.1', '::ffff:203.0.113.5', '203.0.113.5'],
    ['an IPv4-mapped proxy in the chain', '10.0.0.1', '203.0.113.5, ::ffff:a00:2', '203.0.113.5'],
    ['a peer that is gone', '', '203.0.113.5', ''],
  ])('%s: %s, X-Forwarded-For "%s" → %s', (_what, peer, header, client) => {
    expect(PROXIES.clientOf(peer, header)).toBe(client)
  })
})

test.each([
  ['10.0.0.0/8', true],
  ['0.0.0.0/0', true],
  ['::ffff:10.0.0.0/104', true],
  ['fd00::/8', true],
  ['::1', true],
  ['10.0.0.0/33', false],
  ['fd00::/129', false],
  ['10.0.0', false],
  ['10.0.0.0/', false],
  ['10.0.0.0/8/8', false],
  ['fe80::1%eth0', false],
  ['proxy.example', false],
  ['', false],
])('address range: %s → %s', (text, isRange) => {
  expect(isAddressRange(text)).toBe(isRange)
})

test('address range: IPv4-mapped → holds the IPv4 addresses', () => {
  const mapped = new TrustedProxies(['::ffff:10.0.0.0/104'])
  expect(mapped.clientOf('10.1.2.3', '203.0.113.5')).toBe('203.0.113.5')
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['0000:0000:0000:0000:0000:ffff:c000:0207', '192.0.2.7'],
  ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('network of %s → %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('plain address: not an IP address → as it is', () => {
  expect(plainAddress('here')).toBe('here')
})
