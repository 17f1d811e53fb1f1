/** Part of the adapter contract: rate limits by the address of a client. */
import { expect, test } from 'vitest'
import { code } from '../_support/trees.ts'
import type { Reach } from './adapter.ts'

const FILES = {
  'a.ts': code(`export class Default extends Endpoint {
    static limit = { requests: 1, seconds: 60 }
    GET() {}
  }`),
}

export function addressCases(reach: Reach): void {
  test.each([
    ['of one IPv6 /64', '2001:db8::1', '2001:db8::2:3', 429],
    ['of two IPv6 /64', '2001:db8::1', '2001:db8:0:1::1', 204],
    ['IPv4 and its IPv6 form', '192.0.2.7', '::ffff:192.0.2.7', 429],
    ['of two IPv4 hosts', '192.0.2.7', '192.0.2.8', 204],
  ])('a limit, two addresses %s: %s, %s → %i for the second', async (_how, one, other, status) => {
    const { send } = await reach(FILES, { now: () => 0, clientAddress: (_peer, header) => header })
    const from = (address: string) => send('GET', '/a', { headers: { 'x-forwarded-for': address } })
    expect((await from(one)).status).toBe(204)
    expect((await from(other)).status).toBe(status)
  })
}
