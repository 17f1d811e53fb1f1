/** Checks values for conditions beyond their schemas. Each rule returns the problem, or null. */
import { isPadded } from '../auth/device-id.ts'
import { hasNul, isTooLong, MAX_PASSWORD_BYTES } from '../auth/password.ts'
import { ACCEPTED_COSTS, refusedCostOf } from '../auth/password-hash.ts'
import { MIN_SECRET_BYTES } from '../auth/token.ts'
import { isFilter, overlaps } from '../mqtt/topics.ts'
import { parseAddress, portProblem } from '../net/address.ts'
import { isAddressRange } from '../net/trusted-proxies.ts'
import { isOrigin } from '../web/cors.ts'

export function hostProblem(value: string): string | null {
  const parsed = parseAddress(value)
  return parsed?.address === value && parsed.port === undefined
    ? null
    : `expected a host without a port, not ${JSON.stringify(value)}; set the port with server.port`
}

export function listenAddressProblem(value: string): string | null {
  if (value === 'off' || parseAddress(value)?.port !== undefined) return null
  return portProblem(value) ?? 'expected HOST:PORT or off'
}

export function nodeAddressProblem(value: string): string | null {
  return parseAddress(value)?.address !== undefined
    ? null
    : `expected HOST or HOST:PORT, not ${JSON.stringify(value)}`
}

export function extraTopicsProblem(filters: readonly string[]): string | null {
  for (const filter of filters) {
    const shown = JSON.stringify(filter)
    if (!isFilter(filter)) return `${shown} is not a topic filter`
    if (filter.startsWith('$')) return `${shown} begins with $, which is reserved`
    if (overlaps(filter, 'producer/#') || overlaps(filter, 'consumer/#'))
      return `${shown} overlaps producer/ or consumer/, whose topics have their own access rules`
  }
  return null
}

export function addressRangesProblem(ranges: readonly string[]): string | null {
  const bad = ranges.find((range) => !isAddressRange(range))
  return bad === undefined
    ? null
    : `${JSON.stringify(bad)} is no IP address and no CIDR range; write one such as 192.0.2.7 or 10.0.0.0/8`
}

/** Names of the trees in this package, accepted in place of a directory. */
export type TreeName = '@broker' | '@docs'
const TREE_NAMES: readonly string[] = ['@broker', '@docs'] satisfies TreeName[]

export function prefixesProblem(prefixes: readonly string[]): string | null {
  const unknown = prefixes.find((name) => name.startsWith('@') && !TREE_NAMES.includes(name))
  if (unknown === undefined) return null
  return `there is no tree ${unknown}; use ${TREE_NAMES.join(' or ')}, or ./${unknown} for a directory of that name`
}

export function originsProblem(origins: readonly string[]): string | null {
  if (origins.includes('*')) {
    return origins.length === 1 ? null : '* stands for all origins; remove the others, or remove *'
  }
  const bad = origins.find((origin) => !isOrigin(origin))
  return bad === undefined
    ? null
    : `${JSON.stringify(bad)} is not an origin; write scheme, host and port only, such as https://app.example, or * for all`
}

export function secretProblem(value: string): string | null {
  const bytes = Buffer.byteLength(value)
  return bytes < MIN_SECRET_BYTES ? `has ${bytes} bytes; use at least ${MIN_SECRET_BYTES}` : null
}

export function passwordProblem(value: string): string | null {
  const cost = refusedCostOf(value)
  if (cost !== null)
    return `is a bcrypt hash of cost ${cost}; use a hash of cost ${ACCEPTED_COSTS}, or the password itself`
  if (isTooLong(value))
    return `has more than ${MAX_PASSWORD_BYTES} bytes, and bcrypt ignores the rest; choose a shorter password`
  return hasNul(value) ? 'has a NUL, which bcrypt takes for the end; choose another password' : null
}

export function clientIdProblem(value: string): string | null {
  return isPadded(value) ? 'begins or ends with white space; remove it' : null
}
