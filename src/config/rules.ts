/** Rules that no schema can say, for one value or for several together. Each says what is wrong, in words. */

import { hasNul, isTooLong, MAX_PASSWORD_BYTES } from '../auth/password.ts'
import { MIN_SECRET_BYTES } from '../auth/token.ts'
import { isFilter, overlaps } from '../mqtt/topics.ts'
import { isLoopback, mqttListenAddress, parseAddress } from '../net/address.ts'
import type { Values } from './settings.ts'

export function mqttAddressProblem(value: string): string | null {
  return value === 'off' || parseAddress(value)?.port !== undefined ? null : 'expected HOST:PORT or off'
}

export function extraTopicsProblem(filters: readonly string[]): string | null {
  for (const filter of filters) {
    const shown = JSON.stringify(filter)
    if (!isFilter(filter)) return `${shown} is no topic filter`
    if (filter.startsWith('$')) return `${shown} begins with $`
    if (overlaps(filter, 'producer/#') || overlaps(filter, 'consumer/#'))
      return `${shown} reaches under producer/ or consumer/, whose topics have rights of their own`
  }
  return null
}

export function secretProblem(value: string): string | null {
  const bytes = Buffer.byteLength(value)
  return bytes < MIN_SECRET_BYTES ? `has ${bytes} bytes, at least ${MIN_SECRET_BYTES} are needed` : null
}

export function passwordProblem(value: string): string | null {
  if (isTooLong(value)) return `has more than ${MAX_PASSWORD_BYTES} bytes, bcrypt reads no further`
  return hasNul(value) ? 'has a NUL, which bcrypt takes for the end' : null
}

/** Lists conflicts between values. The values may be of the wrong type. */
export function conflictsOf(values: Values): string[] {
  const problems: string[] = []
  const hosts = [values.address, mqttListenAddress(values.mqttAddress)?.host]
  const exposed = hosts.find((host) => host !== undefined && !isLoopback(host))
  if (values.permitAll === true && values.permitAllExposed !== true && exposed !== undefined) {
    problems.push(
      `APP_SECURITY_PERMIT_ALL: switches all access checks off, and ${exposed} is not a loopback address; ` +
        'listen on 127.0.0.1, or set APP_SECURITY_PERMIT_ALL_EXPOSED=true if you mean it',
    )
  }
  if ((values.tlsCert === null) !== (values.tlsKey === null))
    problems.push('tls.cert, tls.key: one is of no use without the other, set both or neither')
  if (values.tlsCert !== null && values.adapter === 'uws')
    problems.push('tls.cert: adapter uws serves no HTTPS; use --adapter node, or a proxy that ends TLS')
  return problems
}
