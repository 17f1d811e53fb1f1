/** Decides which proxies may name the address of their client. Knows no server. */
import { BlockList, isIP } from 'node:net'
import { plainAddress } from './address.ts'

export class TrustedProxies {
  readonly #trusted = new BlockList()

  /** @param ranges addresses and CIDR ranges, for which {@link isAddressRange} is true */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) {
      const [address = '', bits] = range.split('/')
      const family = familyOf(address)
      if (bits === undefined) this.#trusted.addAddress(address, family)
      else this.#trusted.addSubnet(address, Number(bits), family)
    }
  }

  /**
   * Returns the address of the client: the peer, or, if the peer is trusted, the last untrusted address in its
   * X-Forwarded-For. Addresses before it are from an untrusted source. If the header has no such address, returns the
   * peer.
   *
   * @param forwardedFor all values of X-Forwarded-For, joined by commas
   */
  clientOf(peer: string, forwardedFor: string): string {
    if (!this.trusts(peer)) return plainAddress(peer)
    for (const each of forwardedFor.split(',').reverse()) {
      const address = each.trim()
      if (isIP(address) === 0) break
      if (!this.trusts(address)) return plainAddress(address)
    }
    return plainAddress(peer)
  }

  /** Returns whether an address belongs to a trusted proxy. */
  trusts(address: string): boolean {
    return isIP(address) !== 0 && this.#trusted.check(address, familyOf(address))
  }
}

/** Returns whether a text is an IP address, or a CIDR range such as `10.0.0.0/8`. */
export function isAddressRange(text: string): boolean {
  const match = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text)
  const version = isIP(match?.[1] ?? '')
  return version !== 0 && Number(match?.[2] ?? 0) <= (version === 4 ? 32 : 128)
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
