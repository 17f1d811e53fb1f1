/**
 * Refuses requests of foreign web pages while access checks are off. Otherwise any page opened on this machine could
 * call the server. Browsers name the page of a request; programs send no such header.
 */
import { ForeignOrigin, WrongHost } from '../auth/errors.ts'
import type { Settings } from '../config/settings.ts'
import { isLoopback } from '../net/address.ts'
import { isOwnOrigin } from '../web/cors.ts'
import type { RequestHead } from '../web/types.ts'

/**
 * Returns the request check of a server without access checks.
 *
 * @throws {ForeignOrigin} {WrongHost} from the check
 */
export function foreignPageCheck({
  address,
  corsOrigins,
}: Pick<Settings, 'address' | 'corsOrigins'>): (head: Pick<RequestHead, 'header'>) => void {
  if (corsOrigins.includes('*')) return () => {}
  const allowed = new Set(corsOrigins)
  const allowedHosts = new Set(corsOrigins.map((origin) => new URL(origin).host))
  const needsLoopbackName = isLoopback(address)
  return (head) => {
    const host = head.header('host')
    // A foreign name that resolves to a loopback address makes a foreign page the server's own (DNS rebinding).
    if (needsLoopbackName && host !== undefined && !isLoopbackHost(host) && !allowedHosts.has(host)) {
      throw new WrongHost(host)
    }
    const origin = head.header('origin')
    if (
      origin === undefined ? comesFromElsewhere(head) : !allowed.has(origin) && !isOwnOrigin(origin, host)
    ) {
      throw new ForeignOrigin(origin ?? null)
    }
  }
}

/** Returns whether the browser marks a request without `Origin`, such as a GET of an image, as cross-origin. */
function comesFromElsewhere(head: Pick<RequestHead, 'header'>): boolean {
  const site = head.header('sec-fetch-site')
  return site === 'cross-site' || site === 'same-site'
}

/**
 * Returns whether a Host header names this machine. Browsers resolve `localhost` and names below it to loopback only.
 */
function isLoopbackHost(host: string): boolean {
  const base = `http://${host}`
  if (!URL.canParse(base)) return false
  const name = new URL(base).hostname.replace(/^\[(.*)\]$/, '$1')
  return isLoopback(name) || name.endsWith('.localhost')
}
