/** Rules for one value that no schema can say. Each says what is wrong, in words. */

import { hasNul, isTooLong, MAX_PASSWORD_BYTES } from '../auth/password.ts'
import { MIN_SECRET_BYTES } from '../auth/token.ts'
import { isFilter, overlaps } from '../mqtt/topics.ts'
import { parseAddress } from '../net/address.ts'

export function listenAddressProblem(value: string): string | null {
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
